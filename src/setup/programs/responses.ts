import { asObject, type JsonObject, parseObject, stringField } from '../../core/text/json.js';
import type { ProgramInput } from '../../stores/run-program.js';
import type { EntryRequest, OwnCommand, Program } from './program.js';

/** How a program calls ours: with words behind those of the entry, its input, and variables. */
interface Invocation {
  readonly words?: readonly string[];
  readonly input?: ProgramInput;
  readonly variables?: Readonly<Record<string, string>>;
}

/** What Codex CLI passes on, the fewest of all callers: no session bus, no `XDG_*`, nothing of ours. */
const kept = 'HOME LOGNAME PATH SHELL USER LANG LC_ALL TERM TMPDIR TZ'.split(' ');
const keptOnWindows = 'SystemRoot ComSpec PATHEXT TEMP TMP USERPROFILE APPDATA LOCALAPPDATA Path'.split(' ');

/** What the program would have got. A token is never part of it. */
export type ProgramResponse =
  | { readonly kind: 'token'; readonly length: number }
  | { readonly kind: 'server'; readonly name: string }
  /** Words of the server or of ours, untrusted. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unreadable' };

/** The first message of the protocol that a program sends, to see who responds. */
const initializeLine = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'postern-check', version: '1' } },
})}\n`;

/** Every kubectl knows this one, those before 1.22 (Debian 12 has 1.20) no other. */
export const kubeVersion = 'client.authentication.k8s.io/v1beta1';

const invocations: Readonly<Record<OwnCommand, (url: string) => Invocation>> = {
  // A check is no reason to open a browser.
  bridge: () => ({ words: ['--non-interactive'], input: { text: initializeLine, upTo: 'first-line' } }),
  headers: () => ({}),
  git: (url) => {
    const { protocol, host, pathname } = new URL(url);
    const text = `capability[]=authtype\nprotocol=${protocol.slice(0, -1)}\nhost=${host}\npath=${pathname.slice(1)}\n\n`;
    return { words: ['get'], input: { text, upTo: 'its-end' } };
  },
  kubectl: (server) => {
    const spec = { interactive: false, cluster: { server } };
    const info = { kind: 'ExecCredential', apiVersion: kubeVersion, spec };
    return { variables: { KUBERNETES_EXEC_INFO: JSON.stringify(info) } };
  },
  bazel: (uri) => ({ words: ['get'], input: { text: JSON.stringify({ uri }), upTo: 'its-end' } }),
  goauth: (url) => ({ words: [url], input: { text: 'HTTP/1.1 404 Not Found\n\n', upTo: 'its-end' } }),
  curl: () => ({}),
};

/** How the program calls ours for that server: what it adds, and the environment that it leaves. */
export function invocationOf({ calls, isBare, serverVariable }: Program, { url, machine }: EntryRequest) {
  const own = serverVariable === undefined ? {} : ({ input: 'open', variables: { [serverVariable]: url } } as const);
  const { words = [], input = 'closed', variables } = { ...invocations[calls](url), ...own };
  const names = machine.platform === 'win32' ? [...kept, ...keptOnWindows] : kept;
  const passed = Object.entries(machine.env).filter(([variable]) => isBare !== true || names.includes(variable));
  return { words, input, env: { ...Object.fromEntries(passed), ...variables } };
}

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
