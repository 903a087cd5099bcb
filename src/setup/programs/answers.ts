import { asObject, parseObject, stringField } from '../../core/text/json.js';
import type { ProgramInput } from '../../stores/programs.js';
import type { Machine } from '../ports.js';

/** How a program runs ours. */
export interface Asking {
  /** Words behind those of the entry. */
  readonly words?: readonly string[];
  /** By a shell's line. */
  readonly inShell?: true;
  readonly input?: ProgramInput;
  /** It leaves hardly anything of the environment. */
  readonly isApart?: true;
  readonly variables?: Readonly<Record<string, string>>;
}

/** What the program would have got. A token is never part of it. */
export type Answer =
  | { readonly kind: 'token'; readonly length: number }
  | { readonly kind: 'server'; readonly name: string }
  /** Words of the server or of ours, untrusted. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unreadable' };

/** What Codex CLI leaves, of all callers the least: neither a session bus, nor `XDG_*`, nor anything of ours. */
const kept = 'HOME LOGNAME PATH SHELL USER LANG LC_ALL TERM TMPDIR TZ'.split(' ');
const keptOnWindows = 'SystemRoot ComSpec PATHEXT TEMP TMP USERPROFILE APPDATA LOCALAPPDATA Path'.split(' ');

export function askingEnvironment(
  { env, platform }: Machine,
  { isApart, variables }: Asking,
): Readonly<Record<string, string>> {
  const least = platform === 'win32' ? [...kept, ...keptOnWindows] : kept;
  const own = Object.entries(env).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && (isApart !== true || least.includes(pair[0])),
  );
  return { ...Object.fromEntries(own), ...variables };
}

/** The answer of `credential headers`, as Claude Code and Codex CLI read it. */
export function readHeaders(stdout: string): Answer {
  return readJson(stdout, (object) => bearerIn(stringField(object, 'Authorization')));
}

/** The answer of `credential bazel`. */
export function readBazel(stdout: string): Answer {
  return readJson(stdout, ({ headers }) => {
    const values = asObject(headers)?.['Authorization'];
    return asObject(headers) && bearerIn(Array.isArray(values) ? String(values[0]) : undefined);
  });
}

/** The answer of `credential kubectl`. */
export function readKubectl(stdout: string): Answer {
  return readJson(stdout, ({ status }) => asObject(status) && tokenIn(stringField(asObject(status) ?? {}, 'token')));
}

/** The answer of `credential git`. */
export function readGit(stdout: string): Answer {
  return tokenIn(/^(?:credential|password)=(.+)$/m.exec(stdout)?.[1]);
}

/** Lines with `Authorization: Bearer …` somewhere: the answers of `credential goauth` and `curl`. */
export function readHeaderLine(stdout: string): Answer {
  return tokenIn(/Authorization: Bearer ([^\s"]+)/.exec(stdout)?.[1]);
}

/** The first message of the protocol that a program sends, to see who answers. */
export const initializeLine = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'postern-check', version: '1' },
  },
})}\n`;

/** The answer to it. */
export function readInitialize(stdout: string): Answer {
  const [line = ''] = stdout.split('\n');
  return readJson(line, ({ error, result }) => {
    const refusal = asObject(error);
    if (refusal !== undefined) return { kind: 'refused', why: stringField(refusal, 'message') ?? '' };
    const info = asObject(asObject(result)?.['serverInfo']);
    return info && { kind: 'server', name: stringField(info, 'name') ?? '' };
  });
}

/** Without an object, or where `read` finds none in it, there is nothing or no JSON of that form. */
function readJson(
  stdout: string,
  read: (object: NonNullable<ReturnType<typeof asObject>>) => Answer | undefined,
): Answer {
  const object = parseObject(stdout.trim());
  return (object && read(object)) ?? { kind: stdout.trim() === '' ? 'nothing' : 'unreadable' };
}

function bearerIn(header: string | undefined): Answer {
  return tokenIn(/^Bearer (\S+)$/.exec(header ?? '')?.[1]);
}

function tokenIn(token: string | undefined): Answer {
  return token === undefined ? { kind: 'nothing' } : { kind: 'token', length: token.length };
}
