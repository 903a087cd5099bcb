import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { ServerOptions } from 'node:https';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { type Seen, usual } from '../bridge/host.js';
import { plainHome } from '../setup/plain-home.js';
import { runWithUserBus } from '../setup/user-bus.js';
import type { Home } from '../support/home.js';
import { startHttp, type TestServer } from '../support/http-server.js';
import { type Keyring, startKeyring } from '../support/keyring.js';
import { needs, needsPackages } from '../support/needs.js';
import { type Finished, runProgram, startCommand, startProgram } from '../support/program.js';
import { repositoryRoot } from '../support/repository.js';
import { storeLogin } from '../support/stored-login.js';

const packages = join(repositoryRoot, 'test', 'programs', 'node_modules');
const { platform, arch } = process;

/** Where the real programs are, installed by `npm test` from this folder's lock file. */
export const installed = {
  amp: join(packages, '@ampcode', `cli-${platform}-${arch}`, 'amp'),
  claude: join(packages, '@anthropic-ai', `claude-code-${platform}-${arch}`, 'claude'),
  cline: join(packages, '@cline', `cli-${platform}-${arch}`, 'bin', 'cline'),
  codex: join(packages, '@openai', `codex-${platform}-${arch}`, 'vendor', codexTarget(), 'bin', 'codex'),
  copilot: join(packages, '@github', `copilot-${platform}-${arch}`, 'copilot'),
  droid: join(packages, '@factory', `cli-${platform}-${arch}`, 'bin', 'droid'),
  gemini: join(packages, '@google', 'gemini-cli', 'bundle', 'gemini.js'),
  grok: join(packages, '@xai-official', `grok-${platform}-${arch}`, 'bin', 'grok.br'),
  kilo: join(packages, '@kilocode', `cli-${platform}-${arch}`, 'bin', 'kilo'),
  kimi: join(packages, '@moonshot-ai', 'kimi-code', 'dist', 'main.mjs'),
  opencode: join(packages, `opencode-${platform}-${arch}`, 'bin', 'opencode'),
  qwen: join(packages, '@qwen-code', 'qwen-code', 'cli-entry.js'),
  node18: join(packages, `node-18-${platform}-${arch}`, 'bin', 'node'),
  node24: join(packages, `node-24-${platform}-${arch}`, 'bin', 'node'),
};

/** The command line of an installed program: scripts run with a Node.js that is new enough, and Grok comes packed. */
function commandOf(name: keyof typeof installed): readonly [string, ...string[]] {
  const path = installed[name];
  if (/\.m?js$/.test(path)) return [installed.node24, path];
  if (!path.endsWith('.br')) return [path];
  const unpacked = path.replace(/\.br$/, '');
  if (!existsSync(unpacked)) {
    const partly = `${unpacked}.${process.pid}`;
    writeFileSync(partly, brotliDecompressSync(readFileSync(path)), { mode: 0o700 });
    renameSync(partly, unpacked);
  }
  return [unpacked];
}

function codexTarget(): string {
  const cpu = arch === 'arm64' ? 'aarch64' : 'x86_64';
  return platform === 'darwin' ? `${cpu}-apple-darwin` : `${cpu}-unknown-linux-musl`;
}

/** Why a program cannot be tried here, or false. */
export function isMissing(name: keyof typeof installed): string | false {
  const missing = needsPackages('programs') || needs('gnome-keyring');
  if (missing !== false || existsSync(installed[name])) return missing;
  return `${name} has no package for ${platform} on ${arch}`;
}

/** What it was asked, too. */
export interface ProtectedServer extends TestServer {
  readonly url: string;
  readonly seen: readonly Seen[];
}

export interface RunOptions {
  readonly userBus?: boolean;
  /** Variables beside those of the home. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A home with a login for a protected server, whose token is in the keychain. */
export interface Stage extends AsyncDisposable {
  readonly home: Home;
  readonly server: ProtectedServer;
  /** Values of Authorization that the server got, `none` where there was none, each once. */
  authorizations(): readonly string[];
  setup(...args: readonly string[]): Promise<Finished>;
  /** Starts a proxy for the login; `entry` is what setup prints for a program that is to use it. */
  startProxy(): Promise<AsyncDisposable & { entry(program: string): Promise<string> }>;
  /** Runs a command of the PATH to its end. */
  start(command: string, args: readonly string[]): Promise<Finished>;
  /** Runs one of the installed programs to its end. */
  run(name: keyof typeof installed, args: readonly string[], options?: RunOptions): Promise<Finished>;
}

export const token = 'to.k-e~n+/of=the=keychain';

/** @param tls Of a certificate: the server speaks https then. */
export async function stage(tls?: ServerOptions): Promise<Stage> {
  const keyring = await startKeyring();
  const server = await protectedServer(tls);
  const plain = await plainHome();
  const home = { ...plain, env: { ...plain.env, ...keyring.env } };
  const start = async (command: string, args: readonly string[], env: RunOptions['env'] = {}) => {
    await using program = startCommand(command, args, { ...home, env: { ...home.env, ...env } });
    program.stdin.end();
    return await program.finished;
  };
  const expiresAt = Date.now() + 3_600_000;
  await storeLogin(home, { server: server.url, name: 'work', accessToken: token, expiresAt });
  return {
    home,
    server,
    authorizations: () => [...new Set(server.seen.map(({ headers }) => headers.authorization ?? 'none'))],
    setup: (...args) => runProgram(home, ['setup', ...args]),
    startProxy: async () => {
      const key = ['--key-file', join(home.path, 'proxy.key')];
      const proxy = startProgram(home, ['proxy', 'work', ...key]);
      const [address] = await proxy.waitForStdout(/^http:\S+(?=\n)/m);
      const { port } = new URL(address);
      return {
        entry: async (program) => (await runProgram(home, ['setup', program, 'work', '--proxy', port, ...key])).stdout,
        [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
      };
    },
    start,
    run: async (name, args, options) => {
      const [command, ...words] = [...commandOf(name), ...args];
      if (options?.userBus === true) return await runWithUserBus(home, [command, ...words]);
      return await start(command, words, options?.env);
    },
    [Symbol.asyncDispose]: async () => {
      endLeftRunning(home.path);
      await end(home, server, keyring);
    },
  };
}

/** What a program has left behind in this home (Cline a daemon); nobody else lives there. */
function endLeftRunning(home: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (variables.includes(`HOME=${home}`)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended, or is another user's.
    }
  }
}

async function end(...parts: readonly (Home | ProtectedServer | Keyring)[]): Promise<void> {
  for (const part of parts) await part[Symbol.asyncDispose]();
}

/** A server of the protocol that answers those with the token; of repositories, for which it names Basic as git hosts do. */
async function protectedServer(tls?: ServerOptions): Promise<ProtectedServer> {
  const seen: Seen[] = [];
  const server = await startHttp(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const one = { method, url, headers, body, message: messageIn(body) };
    seen.push(one);
    if (headers.authorization === `Bearer ${token}`) answer(one, response);
    else {
      const challenge = url.includes('.git') ? 'Basic realm="git"' : 'Bearer';
      response.writeHead(401, { 'www-authenticate': challenge }).end();
    }
  }, tls);
  return Object.assign(server, { url: `${server.origin}/mcp`, seen });
}

/** What there is below the server's path for git and go. */
const files: readonly (readonly [RegExp, string, string])[] = [
  [
    /\.git\/info\/refs\?service=git-upload-pack$/,
    'application/x-git-upload-pack-advertisement',
    `001e# service=git-upload-pack\n0000003d${'1'.repeat(40)} refs/heads/main\n0000`,
  ],
  [/\/a\.example\/mod\/@v\/list$/, 'text/plain', 'v1.0.0\n'],
  [/\/a\.example\/mod\/@v\/v1\.0\.0\.info$/, 'application/json', '{"Version":"v1.0.0"}'],
  [/\/a\.example\/mod\/@v\/v1\.0\.0\.mod$/, 'text/plain', 'module a.example/mod\n'],
];

const serverInfo = { name: 'scripted', version: '1' };

const echo = {
  name: 'echo',
  description: 'Says what it is told.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
};

function answer(one: Seen, response: ServerResponse): void {
  const [, type, text] = files.find(([form]) => form.test(one.url)) ?? [];
  if (type !== undefined) {
    response.writeHead(200, { 'content-type': type }).end(text);
    return;
  }
  const { id, method, params } = one.message;
  const answers: Readonly<Record<string, object>> = {
    initialize: { result: { protocolVersion: params?.['protocolVersion'], capabilities: { tools: {} }, serverInfo } },
    'server/discover': { error: { code: -32601, message: 'Method not found' } },
    'tools/list': { result: { tools: [echo] } },
    'tools/call': { result: { content: [{ type: 'text', text: `echoed ${JSON.stringify(params?.['arguments'])}` }] } },
  };
  const known = answers[method ?? ''];
  if (known === undefined) {
    usual(one, response);
  } else {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...known }));
  }
}

function messageIn(body: Buffer): Seen['message'] {
  try {
    return JSON.parse(body.toString());
  } catch {
    return {};
  }
}
