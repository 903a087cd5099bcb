import type { World } from '../../src/app/context.js';
import { scriptedTerminal } from './flow-ports.js';
import { type Home, makeHome, type Variables } from './home.js';
import { runHere } from './in-process.js';
import { movableClock } from './movable-clock.js';
import { plantLogin, type StoredLogin } from './planted-login.js';
import { createMemoryStore, type SecretStore, type Walk, walkLogin } from './product.js';
import type { Finished } from './program.js';

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
  run(words: readonly string[], input?: string | Uint8Array, more?: Variables): Promise<Finished>;
}

export interface MachineOptions {
  readonly env?: Variables;
  /** How the person walks through the login pages. */
  readonly walk?: Walk;
  /** What the person types at a terminal, one after the other. Undefined: there is no terminal. */
  readonly typed?: readonly string[];
  /** Takes the place of the walk. */
  readonly browse?: (url: string) => Promise<unknown>;
  /** Every line is run at a terminal of that width; 0: of 80, and without a spinner. */
  readonly columns?: number;
  /** Parts of the world that are not the usual ones. */
  readonly world?: Partial<World>;
}

export async function openMachine(options: MachineOptions = {}): Promise<Machine> {
  const { env = {}, walk = {}, typed, browse, columns, world = {} } = options;
  const terminal = typed && scriptedTerminal({ interactive: true, typed });
  const look = columns === undefined ? {} : { columns, stdout: 'terminal' as const };
  const home = await makeHome({ DISPLAY: ':0', ...env });
  const store: SecretStore = { ...createMemoryStore(), kind: 'keychain' };
  const clock = movableClock();
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
      const own = { store, browser, clock, ...(terminal && { terminal }) };
      return await runHere({ ...home, env: { ...home.env, ...more } }, words, input, { own, world, ...look });
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}
