import { PassThrough, Writable } from 'node:stream';
import { createSignals } from '../../src/app/process.js';
import { createPrograms } from '../../src/credential/exec-program.js';
import { run, type World } from '../../src/main.js';
import { takeToken } from '../../src/stores/environment-token.js';
import { scriptedTerminal, shiftedClock } from './flow-ports.js';
import { type Home, makeHome, type Variables } from './home.js';
import { plantLogin, type StoredLogin } from './planted-login.js';
import { createMemoryStore, type SecretStore, type Walk, walkLogin } from './product.js';

/** How a command line ended, and all that it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A person's machine on which whole command lines run, in this process: only browser, clock and keychain are stand-ins. */
export interface Machine extends AsyncDisposable {
  readonly home: Home;
  readonly store: SecretStore;
  /** Puts a login there that nobody has made. */
  keep(login: StoredLogin): Promise<void>;
  /** Moves the clock, in milliseconds. */
  advance(ms: number): void;
  /** Every address that the browser was given, in order. */
  readonly opened: readonly string[];
  /** `postern` with these words, without a terminal, `input` its whole stdin, `more` further variables. */
  run(words: readonly string[], input?: string | Uint8Array, more?: Variables): Promise<Ended>;
}

export interface MachineOptions {
  readonly env?: Variables;
  /** How the person walks through the login pages. */
  readonly walk?: Walk;
  /** What the person types at a terminal, one after the other. Undefined: there is no terminal. */
  readonly typed?: readonly string[];
  /** Takes the place of the walk. */
  readonly browse?: (url: string) => Promise<unknown>;
  /** Parts of the world that are not the usual ones. */
  readonly world?: Partial<World>;
}

export async function openMachine(options: MachineOptions = {}): Promise<Machine> {
  const { env = {}, walk = {}, typed, browse, world = {} } = options;
  const terminal = typed && scriptedTerminal({ interactive: true, typed });
  const home = await makeHome({ DISPLAY: ':0', ...env });
  const store: SecretStore = { ...createMemoryStore(), kind: 'keychain' };
  const clock = shiftedClock();
  const opened: string[] = [];
  const browser = {
    open: async (url: string) => {
      opened.push(url);
      // A browser goes its own way; a walk that ends badly shows in what the command prints.
      (browse?.(url) ?? walkLogin(url, walk)).catch(() => undefined);
      return 'opened' as const;
    },
  };
  return {
    home,
    store,
    advance: clock.advance,
    opened,
    keep: async (login) => void (await plantLogin(home, login, (key, item) => store.write(key, item))),
    run: async (words, input = '', more = {}) => {
      const all: Record<string, string | undefined> = { ...home.env, ...more };
      const tokenGiven = takeToken(all);
      const wrote = { stdout: '', stderr: '' };
      const sink = (name: 'stdout' | 'stderr') =>
        new Writable({
          decodeStrings: false,
          write: (chunk, _encoding, done) => {
            wrote[name] += String(chunk);
            done();
          },
        });
      const stdin = new PassThrough();
      stdin.end(input);
      const signals = createSignals();
      const code = await run(words, {
        env: all,
        stdin: () => stdin,
        stdout: sink('stdout'),
        stderr: sink('stderr'),
        platform: process.platform,
        homedir: home.path,
        version: '9.9.9',
        clientMetadataUrl: '',
        interruption: new AbortController(),
        launch: { script: '/nowhere/postern.js', before: undefined, elapsed: () => 0 },
        tokenGiven,
        programs: createPrograms(all, signals),
        signals,
        own: { store, browser, clock, ...(terminal && { terminal }) },
        ...world,
      });
      return { code, ...wrote };
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}
