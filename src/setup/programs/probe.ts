import { asObject, parseJson, stringField } from '../../core/text/json.js';
import type { Machine, ProgramInput } from '../ports.js';

/** What a program would run, how it would, and how it reads what comes. */
export interface Probe {
  /** Words, or a line for the shell where the program uses one. */
  readonly command: readonly string[] | string;
  readonly input: ProgramInput;
  /** What of the environment it leaves: hardly anything, or all, with these added. */
  readonly environment: 'least' | 'whole';
  readonly variables: Readonly<Record<string, string>>;
  readonly read: (stdout: string) => ProbeAnswer;
}

/** What the program would have got. A token is never part of it. */
export type ProbeAnswer =
  | { readonly kind: 'token'; readonly length: number }
  | { readonly kind: 'server'; readonly name: string }
  /** Words of the server or of ours, untrusted. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unreadable' };

/** What Codex CLI leaves, of all callers the least. */
const kept = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'USER', 'LANG', 'LC_ALL', 'TERM', 'TMPDIR', 'TZ'];

const keptOnWindows = [
  'SystemRoot',
  'ComSpec',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'Path',
];

/** The environment of a probe; the least one has neither a session bus, nor `XDG_*`, nor anything of ours. */
export function probeEnvironment(
  { env, platform }: Machine,
  { environment, variables }: Probe,
): Readonly<Record<string, string>> {
  const least = platform === 'win32' ? [...kept, ...keptOnWindows] : kept;
  const own = Object.entries(env).filter(
    (pair): pair is [string, string] =>
      pair[1] !== undefined && (environment === 'whole' || least.includes(pair[0])),
  );
  return { ...Object.fromEntries(own), ...variables };
}

/** The answer of `credential headers`, as Claude Code and Codex CLI read it. */
export function readHeaders(stdout: string): ProbeAnswer {
  const object = objectIn(stdout);
  if (object === undefined) return stdout.trim() === '' ? { kind: 'nothing' } : { kind: 'unreadable' };
  return bearer(stringField(object, 'Authorization'));
}

/** The answer of `credential bazel`. */
export function readBazel(stdout: string): ProbeAnswer {
  const headers = asObject(objectIn(stdout)?.['headers']);
  if (headers === undefined) return stdout.trim() === '' ? { kind: 'nothing' } : { kind: 'unreadable' };
  const [value] = Array.isArray(headers['Authorization']) ? headers['Authorization'] : [];
  return bearer(typeof value === 'string' ? value : undefined);
}

/** The answer of `credential kubectl`. */
export function readKubectl(stdout: string): ProbeAnswer {
  const status = asObject(objectIn(stdout)?.['status']);
  if (status === undefined) return stdout.trim() === '' ? { kind: 'nothing' } : { kind: 'unreadable' };
  const token = stringField(status, 'token');
  return token === undefined ? { kind: 'nothing' } : { kind: 'token', length: token.length };
}

/** The answer of `credential git`. */
export function readGit(stdout: string): ProbeAnswer {
  const token = /^(?:credential|password)=(.+)$/m.exec(stdout)?.[1];
  return token === undefined ? { kind: 'nothing' } : { kind: 'token', length: token.length };
}

/** Lines with `Authorization: Bearer …` somewhere: the answers of `credential goauth` and `curl`. */
export function readHeaderLine(stdout: string): ProbeAnswer {
  const token = /Authorization: Bearer ([^\s"]+)/.exec(stdout)?.[1];
  return token === undefined ? { kind: 'nothing' } : { kind: 'token', length: token.length };
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
export function readInitialize(stdout: string): ProbeAnswer {
  const [line = ''] = stdout.split('\n');
  const message = objectIn(line);
  if (message === undefined) return stdout.trim() === '' ? { kind: 'nothing' } : { kind: 'unreadable' };
  const error = asObject(message['error']);
  if (error !== undefined) return { kind: 'refused', why: stringField(error, 'message') ?? '' };
  const info = asObject(asObject(message['result'])?.['serverInfo']);
  return info === undefined
    ? { kind: 'unreadable' }
    : { kind: 'server', name: stringField(info, 'name') ?? '' };
}

function bearer(value: string | undefined): ProbeAnswer {
  const token = /^Bearer (\S+)$/.exec(value ?? '')?.[1];
  return token === undefined ? { kind: 'nothing' } : { kind: 'token', length: token.length };
}

function objectIn(text: string) {
  const parsed = parseJson(new TextEncoder().encode(text.trim()));
  return parsed.ok ? asObject(parsed.value) : undefined;
}
