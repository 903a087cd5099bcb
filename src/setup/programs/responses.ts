import { asObject, type JsonObject, parseObject, stringField } from '../../core/text/json.js';
import type { ProgramInput } from '../../stores/run-program.js';
import type { Machine } from '../machine/ports.js';

/** The command of ours that a program calls: `bridge`, or `credential` with this format. */
export type OwnCommand = 'bridge' | 'headers' | 'git' | 'kubectl' | 'bazel' | 'goauth' | 'curl';

/** How a program calls ours. */
export interface Invocation {
  /** Words behind those of the entry. */
  readonly words?: readonly string[];
  /** By a shell's line. */
  readonly inShell?: true;
  readonly input?: ProgramInput;
  /** With hardly anything of the environment. */
  readonly clearsEnvironment?: true;
  readonly variables?: Readonly<Record<string, string>>;
}

/** What the program would have got. A token is never part of it. */
export type ProgramResponse =
  | { readonly kind: 'token'; readonly length: number }
  | { readonly kind: 'server'; readonly name: string }
  /** Words of the server or of ours, untrusted. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unreadable' };

/** What Codex CLI passes on, the fewest of all callers: no session bus, no `XDG_*`, nothing of ours. */
const kept = 'HOME LOGNAME PATH SHELL USER LANG LC_ALL TERM TMPDIR TZ'.split(' ');
const keptOnWindows = 'SystemRoot ComSpec PATHEXT TEMP TMP USERPROFILE APPDATA LOCALAPPDATA Path'.split(' ');

export function invocationEnvironment(
  { env, platform }: Machine,
  { clearsEnvironment, variables }: Invocation,
): Machine['env'] {
  const names = platform === 'win32' ? [...kept, ...keptOnWindows] : kept;
  const own = Object.entries(env).filter(([name]) => clearsEnvironment !== true || names.includes(name));
  return { ...Object.fromEntries(own), ...variables };
}

/** The first message of the protocol that a program sends, to see who responds. */
export const initializeLine = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'postern-check', version: '1' } },
})}\n`;

/** Reads the output of our command as the program that called it does. */
export function readResponse(command: OwnCommand, stdout: string): ProgramResponse {
  return readers[command](stdout);
}

const readers: Readonly<Record<OwnCommand, (stdout: string) => ProgramResponse>> = {
  bridge: (stdout) =>
    fromJson(stdout.split('\n', 1).join(), ({ error, result }) => {
      const refusal = asObject(error);
      if (refusal !== undefined) return { kind: 'refused', why: stringField(refusal, 'message') ?? '' };
      const info = asObject(asObject(result)?.['serverInfo']);
      return info && { kind: 'server', name: stringField(info, 'name') ?? '' };
    }),
  headers: (stdout) => fromJson(stdout, (object) => bearerIn(stringField(object, 'Authorization'))),
  bazel: (stdout) =>
    fromJson(stdout, (object) => {
      const headers = asObject(object['headers']);
      const values = headers?.['Authorization'];
      return headers && bearerIn(Array.isArray(values) ? String(values[0]) : undefined);
    }),
  kubectl: (stdout) =>
    fromJson(stdout, (object) => {
      const status = asObject(object['status']);
      return status && tokenIn(stringField(status, 'token'));
    }),
  git: (stdout) => tokenIn(/^(?:credential|password)=(.+)$/m.exec(stdout)?.[1]),
  goauth: headerIn,
  curl: headerIn,
};

/** `nothing` or `unreadable` where `read` finds none in it. */
function fromJson(stdout: string, read: (object: JsonObject) => ProgramResponse | undefined): ProgramResponse {
  const object = parseObject(stdout.trim());
  return (object && read(object)) ?? { kind: stdout.trim() === '' ? 'nothing' : 'unreadable' };
}

function headerIn(stdout: string): ProgramResponse {
  return tokenIn(/Authorization: Bearer ([^\s"]+)/.exec(stdout)?.[1]);
}

function bearerIn(header: string | undefined): ProgramResponse {
  return tokenIn(/^Bearer (\S+)$/.exec(header ?? '')?.[1]);
}

function tokenIn(token: string | undefined): ProgramResponse {
  return token === undefined ? { kind: 'nothing' } : { kind: 'token', length: token.length };
}
