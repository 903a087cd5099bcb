import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { blocksOf } from '../../src/app/help/blocks.js';
import { readTopic } from '../../src/app/help/topics.js';
import type { Authority } from './certificates.js';
import { freePort } from './free-port.js';
import { temporaryFolder } from './temporary.js';

const run = promisify(execFile);

/** A name and password, as the file of credentials has them. */
export interface EngineUser {
  readonly name: string;
  readonly password: string;
}

/** Who may do what: the keeper and runners that refresh, and runners that only read. Root administers. */
export const users = {
  root: { name: 'root', password: 'the-password-of-root' },
  refresher: { name: 'refresher', password: 'the-password-of-refreshers' },
  runner: { name: 'runner', password: 'the-password-of-runners' },
} as const satisfies Record<string, EngineUser>;

/** An engine that was started for the test, on loopback. */
export interface RunningEngine extends AsyncDisposable {
  readonly port: number;
  /** As `--store` takes it; of another port, such as a forwarder's. */
  address(port?: number): string;
  /** The same data again, at the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** What its own tool prints, as root. */
  tool(...words: string[]): Promise<string>;
}

export interface EngineOptions {
  /** Serves TLS with a certificate for 127.0.0.1 of it. */
  readonly authority?: Authority;
  /** Has users and their rights; else whoever reaches it may do all. */
  readonly hasUsers?: boolean;
  /** More words of its command line. */
  readonly more?: readonly string[];
  /** Lines of access rules of its own; else those that the help has. */
  readonly rules?: readonly string[];
}

/** Lines of `postern help fleet` that begin so. */
function linesOfHelp(start: string): readonly string[] {
  const blocks = blocksOf(readTopic('fleet').text).flatMap((block) => (block.kind === 'code' ? block.lines : []));
  return blocks.filter((line) => line.startsWith(start));
}

/** The access rules that the help has, as they are typed into redis-cli. */
export const redisRules = linesOfHelp('ACL ').map((line) => {
  const name = line.split(' ')[2] as keyof typeof users;
  return line.replace('>PASSWORD', `>${users[name]?.password}`);
});

/** Debian's redis-server, which writes before it responds. */
export async function startRedis(options: EngineOptions = {}): Promise<RunningEngine> {
  const folder = await temporaryFolder();
  const port = await freePort();
  const { authority, hasUsers = false } = options;
  const certificate = await authority?.issue('IP:127.0.0.1');
  const acl = join(folder.path, 'users.acl');
  await writeFile(acl, '');
  const tls = certificate && ['--port', '0', '--tls-port', `${port}`, '--tls-auth-clients', 'no'];
  const words = [
    ...(tls ?? ['--port', `${port}`]),
    ...(certificate ? ['--tls-cert-file', certificate.certFile, '--tls-key-file', certificate.keyFile] : []),
    ...(authority ? ['--tls-ca-cert-file', authority.caFile] : []),
    ...['--bind', '127.0.0.1', '--dir', folder.path, '--save', '', '--daemonize', 'no'],
    ...(hasUsers ? ['--aclfile', acl] : []),
    ...(options.more ?? ['--appendonly', 'yes', '--appendfsync', 'always']),
  ];
  const scheme = certificate ? 'rediss' : 'redis';
  let hasAuth = false;
  const client = () => [
    ...['-h', '127.0.0.1', '-p', `${port}`, ...(authority ? ['--tls', '--cacert', authority.caFile] : [])],
    ...(hasAuth ? ['--user', 'root', '--pass', users.root.password, '--no-auth-warning'] : []),
  ];
  const tool = async (...more: string[]) => (await run('redis-cli', [...client(), ...more])).stdout;
  const engine = await started('redis-server', words, {
    port,
    address: (other = port) => `redis:${scheme}://127.0.0.1:${other}`,
    tool,
    isUp: async () => (await tool('ping')).includes('PONG'),
    dispose: () => folder[Symbol.asyncDispose](),
  });
  if (hasUsers) {
    const typing = run('redis-cli', client());
    typing.child.stdin?.end(`${(options.rules ?? redisRules).join('\n')}\n`);
    const { stdout } = await typing;
    if (/^(?!OK$).+/m.test(stdout)) {
      await engine[Symbol.asyncDispose]();
      throw new Error(`redis-cli: ${stdout}`);
    }
    hasAuth = true;
  }
  return engine;
}

async function started(
  command: string,
  words: readonly string[],
  engine: Pick<RunningEngine, 'port' | 'address' | 'tool'> & {
    readonly isUp: () => Promise<boolean>;
    readonly dispose: () => PromiseLike<void>;
  },
): Promise<RunningEngine> {
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(command, [...words], { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] ?? '' } });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk));
    for (let tries = 0; ; tries += 1) {
      if (await engine.isUp().catch(() => false)) return;
      if (tries > 300 || child.exitCode !== null) throw new Error(`${command} does not start: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const stop = async (name: NodeJS.Signals = 'SIGKILL') => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill(name);
    await gone;
  };
  await start();
  return {
    ...engine,
    start,
    stop,
    restart: async () => {
      await stop();
      await start();
    },
    signal: (name) => child?.kill(name),
    [Symbol.asyncDispose]: async () => {
      await stop();
      await engine.dispose();
    },
  };
}

/** What stands between a program and an engine, to be cut at a moment of the test's choice. */
export interface Forwarder extends AsyncDisposable {
  readonly port: number;
  /** Lets what comes pass to the engine, and cuts the connection at the first byte of a response that comes after. */
  cutNextResponse(): void;
  /** Swallows what the engine says from now on, and says something else for it where that is given. */
  swallow(isOn: boolean, instead?: string): void;
  cutAll(): void;
  /** Swallows each response for whose number, counted from now, this is true. */
  swallowWhere(isSwallowed: (number: number) => boolean): void;
  /** Holds the next request that has this in it, and what follows it on its connection, until that is called. */
  holdNext(what: string): { readonly held: Promise<void>; readonly letGo: () => void };
  /** How many connections there were. */
  readonly count: number;
}

export async function startForwarder(to: number): Promise<Forwarder> {
  const open = new Set<Socket>();
  let [cuts, swallows, count, other, responses] = [false, false, 0, '', 0];
  let isSwallowed = (_number: number) => false;
  let hold: { what: string; hasMet: boolean; met: () => void; release: Promise<void> } | undefined;
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    count += 1;
    const end = () => {
      near.destroy();
      far.destroy();
      open.delete(near);
    };
    open.add(near);
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    near.on('data', (chunk) => {
      if (hold?.hasMet === false && chunk.includes(hold.what)) {
        const waiting = hold;
        waiting.hasMet = true;
        near.pause();
        void waiting.release.then(() => {
          far.write(chunk);
          near.resume();
        });
        waiting.met();
      } else far.write(chunk);
    });
    near.on('end', () => far.end());
    far.on('end', () => near.end());
    far.on('data', (chunk) => {
      responses += 1;
      if (cuts) {
        cuts = false;
        end();
      } else if (isSwallowed(responses)) return;
      else if (!swallows) near.write(chunk);
      else if (other !== '') near.write(other);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const cutAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cutNextResponse: () => {
      cuts = true;
    },
    swallow: (isOn, instead = '') => {
      swallows = isOn;
      other = instead;
    },
    cutAll,
    swallowWhere: (where) => {
      responses = 0;
      isSwallowed = where;
    },
    holdNext: (what) => {
      let [met, letGo] = [() => {}, () => {}];
      const held = new Promise<void>((resolve) => (met = resolve));
      const release = new Promise<void>((resolve) => (letGo = resolve));
      hold = { what, hasMet: false, met, release };
      return { held, letGo };
    },
    get count() {
      return count;
    },
    [Symbol.asyncDispose]: async () => {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
