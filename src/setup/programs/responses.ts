import { asObject, parseObject, stringField } from '../../core/text/json.js';
import type { ProgramInput } from '../../stores/run-program.js';
import type { Machine } from '../machine/external-programs.js';
import type { OwnCommand, Program } from './program.js';

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
export function invocationOf({ calls, isBare, serverVariable }: Program, url: string, machine: Machine) {
  const own = serverVariable === undefined ? {} : ({ input: 'open', variables: { [serverVariable]: url } } as const);
  const { words = [], input = 'closed', variables } = { ...invocations[calls](url), ...own };
  const names = machine.platform === 'win32' ? [...kept, ...keptOnWindows] : kept;
  const passed = Object.entries(machine.env).filter(([variable]) => isBare !== true || names.includes(variable));
  return { words, input, env: { ...Object.fromEntries(passed), ...variables } };
}

/** Reads the output of our command as the program that called it does. */
export function readResponse(command: OwnCommand, stdout: string): ProgramResponse {
  const empty = { kind: stdout.trim() === '' ? 'nothing' : 'unreadable' } as const;
  if (command !== 'bridge') {
    const token = (tokens[command] ?? header).exec(stdout)?.[1];
    return token === undefined ? empty : { kind: 'token', length: token.length };
  }
  const response = parseObject(stdout.split('\n', 1).join());
  const refusal = asObject(response?.['error']);
  if (refusal !== undefined) return { kind: 'refused', why: stringField(refusal, 'message') ?? '' };
  const info = asObject(asObject(response?.['result'])?.['serverInfo']);
  return info === undefined ? empty : { kind: 'server', name: stringField(info, 'name') ?? '' };
}

const header = /Authorization\W+Bearer ([^\s"]+)/;

/** Where the token is in what is no header. */
const tokens: Partial<Record<OwnCommand, RegExp>> = {
  git: /^(?:credential|password)=(.+)$/m,
  kubectl: /"token":\s*"([^"]+)"/,
};
