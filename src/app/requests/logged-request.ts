import type { LoggedRequest } from '../../core/ports.js';
import { type Look, toned } from '../../core/text/look.js';
import { printable } from '../../core/text/printable.js';

/** Of what a caller calls itself, the first word says enough: `curl/8.5.0`. */
function programOf({ program }: LoggedRequest): string | undefined {
  const [word = ''] = program?.trim().split(/\s/, 1) ?? [];
  return word === '' ? undefined : printable(word, 60);
}

/** One line: the time here, method, path, status, milliseconds, who asked. */
export function loggedLine(request: LoggedRequest, look: Look): string {
  const { at, method, what, status, ms } = request;
  const time = toned(look, 'dim', new Date(at).toTimeString().slice(0, 8));
  const came = toned(look, /^[23]/.test(status) ? 'good' : 'warning', printable(status, 20));
  const took = ms === undefined ? undefined : `${Math.round(ms)} ms`;
  const by = programOf(request);
  const end = [took, by && toned(look, 'dim', by)].filter((part) => part !== undefined);
  return [time, printable(method, 20).padEnd(4), came, printable(what, 300), ...end].join('  ');
}

/** The same for programs. */
export function loggedJson(request: LoggedRequest) {
  const { at, method, what, status, ms } = request;
  return {
    time: new Date(at).toISOString(),
    method: printable(method, 20),
    path: printable(what, 300),
    status: /^\d+$/.test(status) ? Number(status) : null,
    milliseconds: ms === undefined ? null : Math.round(ms),
    program: programOf(request) ?? null,
  };
}
