import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import type { OwnPorts, World } from '../../src/app/context.js';
import { createSignals } from '../../src/app/process.js';
import { interrupted } from '../../src/core/failures.js';
import { createPrograms } from '../../src/credential/exec-program.js';
import { run } from '../../src/main.js';
import { takeToken } from '../../src/stores/environment-token.js';
import type { Home } from './home.js';
import type { Finished, Running } from './program.js';
import type { AtTerminal } from './pty.js';
import { repositoryRoot } from './repository.js';

const longestWaitMs = 60_000;

const exitOf = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export interface HereOptions {
  /** Ports that the test brings: a store that it can look into, a browser. */
  readonly own?: OwnPorts;
  /** Other parts of the world that are not the usual ones. */
  readonly world?: Partial<World>;
  /** stdin and stderr are a terminal of this width, and stdout is, too, unless it is a file. */
  readonly columns?: number;
  readonly stdout?: 'file' | 'terminal';
  /** Gets each piece of both outputs as it is written, in order. */
  readonly onPrint?: (text: string) => void;
}

/** Runs the whole command line in this process, to its end: no program is started, and nothing has to be built. */
export async function runHere(
  home: Home,
  args: readonly string[],
  input: string | Uint8Array = '',
  options: HereOptions = {},
): Promise<Finished> {
  await using running = startHere(home, args, options);
  running.stdin.end(input);
  return await running.finished;
}

/** The same at a terminal, like `startAtTerminal`; Ctrl-C is a key where the program reads keys, else SIGINT. */
export function terminalHere(
  home: Home,
  args: readonly string[],
  options: HereOptions & { readonly columns: number; readonly stdout: 'file' | 'terminal' },
): AtTerminal {
  const { running, isRaw, redirected } = begin(home, args, options);
  return {
    screen: running,
    result: async () => redirected(),
    type: (keys) => {
      if (keys === '\x03' && !isRaw()) running.kill('SIGINT');
      else running.stdin.write(keys);
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

/** Starts the whole command line in this process. At a terminal, `stdout` is all that the terminal showed. */
export function startHere(
  home: Pick<Home, 'env' | 'path'>,
  args: readonly string[],
  options: HereOptions = {},
): Running {
  return begin(home, args, options).running;
}

function begin(home: Pick<Home, 'env' | 'path'>, args: readonly string[], options: HereOptions) {
  const wrote = { stdout: '', stderr: '', file: '' };
  let raw = false;
  const news = new EventEmitter().setMaxListeners(0);
  const isTerminal = options.columns !== undefined;
  const stdin = new PassThrough();
  const sink = (name: keyof typeof wrote, shown = (text: string) => text) =>
    new Writable({
      write: (text, _coding, done) => {
        wrote[name] += shown(String(text));
        options.onPrint?.(String(text));
        news.emit('wrote');
        done();
      },
    });
  const screenOf = (name: 'stdout' | 'stderr') => {
    if (!isTerminal) return sink(name);
    if (name === 'stdout' && options.stdout === 'file') return sink('file');
    const screen = sink('stdout', (text) => text.replaceAll(/\r?\n/g, '\r\n'));
    return Object.assign(screen, terminalOf(options.columns ?? 80));
  };
  const [stdout, stderr] = [screenOf('stdout'), screenOf('stderr')];
  const setRawMode = (wanted: boolean) => {
    raw = wanted;
    return stdin;
  };
  if (isTerminal) Object.assign(stdin, { isTTY: true, setRawMode });
  const interruption = options.world?.interruption ?? new AbortController();
  const signals = createSignals();
  const env = { ...home.env };
  const started = performance.now();
  const world: World = {
    tokenGiven: takeToken(env),
    env,
    stdin: () => stdin,
    stdout,
    stderr,
    platform: process.platform,
    homedir: home.path,
    version: '9.9.9',
    clientMetadataUrl: '',
    interruption,
    signals,
    programs: createPrograms(env, signals),
    launch: {
      script: join(repositoryRoot, 'bin', 'postern.js'),
      input: undefined,
      elapsed: () => performance.now() - started,
    },
    own: options.own ?? {},
    ...options.world,
  };
  let ending: number | undefined;
  let hasEnded = false;
  const finished = run(args, world).then((code): Finished => {
    hasEnded = true;
    news.emit('wrote');
    return { code: ending ?? code, signal: null, stdout: wrote.stdout, stderr: wrote.stderr };
  });
  const waitFor = async (name: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> => {
    const limit = AbortSignal.timeout(longestWaitMs);
    for (;;) {
      const found = pattern.exec(wrote[name]);
      if (found !== null) return found;
      if (hasEnded || limit.aborted) {
        throw new Error(`nothing like ${pattern} was written\nstdout: ${wrote.stdout}\nstderr: ${wrote.stderr}`);
      }
      await once(news, 'wrote', { signal: limit }).catch(() => undefined);
    }
  };
  const deliver = (signal: NodeJS.Signals) => {
    if (hasEnded || signals.offer(signal)) return;
    ending ??= exitOf[signal as keyof typeof exitOf];
    interruption.abort(interrupted());
  };
  const running: Running = {
    pid: process.pid,
    stdin,
    get stdout() {
      return wrote.stdout;
    },
    get stderr() {
      return wrote.stderr;
    },
    waitForStdout: (pattern) => waitFor('stdout', pattern),
    waitForStderr: (pattern) => waitFor(isTerminal ? 'stdout' : 'stderr', pattern),
    // A signal of the system comes a moment later, too.
    kill: (signal) => void setTimeout(deliver, 5, signal),
    closeStdout: () => void stdout.destroy(),
    finished,
    [Symbol.asyncDispose]: async () => {
      stdin.end();
      interruption.abort(interrupted());
      await finished;
    },
  };
  return { running, isRaw: () => raw, redirected: () => wrote.file };
}

/** What a terminal can do that a spinner wants. */
function terminalOf(columns: number) {
  const nothing = () => true;
  return { isTTY: true, columns, rows: 24, clearLine: nothing, cursorTo: nothing, moveCursor: nothing };
}
