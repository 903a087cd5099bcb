import type { CorePorts } from '../core/ports.js';
import { type JsonObject, jsonWords } from '../core/text/json.js';
import { jsonText } from '../core/text/json-number.js';
import { fitted, wrapped } from '../core/text/layout.js';
import { type Look, toned } from '../core/text/look.js';
import { piecesOf, printable, quoted } from '../core/text/printable.js';

/**
 * A server's text for stdout: as it is into a file or pipe; on a terminal each line goes through `printable`, so that
 * no control sequence of a server's reaches it.
 */
export function serverText(text: string, toTerminal: boolean): string {
  return toTerminal
    ? text
        .split(/\r?\n/)
        .map((line) =>
          line
            .split('\t')
            .map((cell) => printable(cell, Number.POSITIVE_INFINITY))
            .join('\t'),
        )
        .join('\n')
    : text;
}

/** In characters. */
const pieceLength = 65_536;

/**
 * Text for a terminal, made in pieces.
 * @param width Lines that are wider are broken between words; those with tabs are not, as they are tables.
 */
export function* terminalText(
  texts: Iterable<string>,
  width = Number.POSITIVE_INFINITY,
): Generator<string, void, undefined> {
  const fit = (line: string) => (line.includes('\t') ? line : fitted(line, width).join('\n'));
  for (const text of texts) {
    for (const piece of piecesOf(text, pieceLength)) {
      const shown = serverText(piece, true);
      yield width === Number.POSITIVE_INFINITY ? shown : shown.split('\n').map(fit).join('\n');
    }
  }
}

/** With line feeds between them. */
export function* lines<Entry>(
  all: Iterable<Entry>,
  line: (entry: Entry) => string,
): Generator<string, void, undefined> {
  let isFirst = true;
  for (const entry of all) {
    if (!isFirst) yield '\n';
    isFirst = false;
    yield line(entry);
  }
}

/** How the server wants to be used, as it says itself; none where it says nothing. */
export function instructionLines(instructions: string | undefined, width: number): readonly string[] {
  const said = printable((instructions ?? '').replace(/\s+/g, ' ').trim(), 600);
  return said === '' ? [] : wrapped(`The server says: ${said}`, width);
}

/** Whether a notification tells that a list has changed: who asks for one thing need not know. */
export function isOfLists(method: string): boolean {
  return /^notifications\/(?:tools|prompts|resources)\/list_changed$/.test(method);
}

/** A notification on one line, harmless for any terminal, with the time of the day in UTC. */
export function timedLine(
  { look, clock }: { readonly look: Look } & Pick<CorePorts, 'clock'>,
  method: string,
  params: JsonObject,
): string {
  const time = new Date(clock.now()).toISOString().slice(11, 19);
  return `${toned(look, 'dim', time)}  ${notificationLine(method, params)}`;
}

/** The same without the time. */
export function notificationLine(method: string, params: JsonObject): string {
  const name = method.replace(/^notifications\//, '');
  const [, list] = /^(tools|prompts|resources|roots)\/list_changed$/.exec(name) ?? [];
  if (list !== undefined) return `list of ${list} changed`;
  switch (name) {
    case 'progress':
      return progressLine(params);
    case 'tasks':
      return taskLine(params);
    case 'resources/updated':
      return `resource updated  ${printable(jsonWords(params['uri'], '?'), 500)}`;
    case 'message':
      return logLine(params);
    default:
      return [printable(name, 80), ...(Object.keys(params).length > 0 ? [quotedJson(params)] : [])].join('  ');
  }
}

function logLine({ level, logger, data }: JsonObject): string {
  const by = typeof logger === 'string' ? `${printable(logger, 40)}: ` : '';
  const text = typeof data === 'string' ? quoted(data, 2_000) : quotedJson(data ?? null);
  return `log ${printable(jsonWords(level, '?'), 20)}  ${by}${text}`;
}

function quotedJson(value: unknown): string {
  return printable(jsonText(value), 2_000);
}

function taskLine({ taskId, status, statusMessage }: JsonObject): string {
  const said = typeof statusMessage === 'string' ? ` ${quoted(statusMessage)}` : '';
  return `Task ${printable(jsonWords(taskId, '?'), 80)}: ${printable(jsonWords(status, '?'), 40).replaceAll('_', ' ')}${said}`;
}

function progressLine(params: JsonObject): string {
  const { progress, total, message } = params;
  const count = typeof progress === 'number' ? String(progress) : '?';
  const of = typeof total === 'number' ? ` of ${total}` : '';
  return `Progress: ${count}${of}${typeof message === 'string' ? ` ${quoted(message)}` : ''}`;
}
