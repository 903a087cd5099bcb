import { EventEmitter, once } from 'node:events';
import type { OwnPorts } from '../../src/app/context.js';
import { type Home, makeHome, type Variables } from './home.js';
import { runHere, startHere, terminalHere } from './in-process.js';
import { movableClock } from './movable-clock.js';
import { plantLogin, type StoredLogin } from './planted-login.js';
import { createMemoryStore, type LoginRecord, type SandboxOptions, Secret, type SecretStore } from './product.js';
import type { Finished, Running } from './program.js';
import type { AtTerminal } from './pty.js';
import { type Sandbox, startSandbox } from './start-sandbox.js';

/** What stands where the person's browser would: it opens nothing, and says what it was given. */
export interface NotedBrowser {
  /** Every address, in order. */
  readonly all: readonly string[];
  /** The address of the last opening, as soon as there is one (at most 60 s). */
  opened(): Promise<string>;
  /** Makes the next `opened` wait for the next opening. */
  forget(): void;
}

/** Members of a stored credential that tests look at or change. */
export interface StoredItem {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: number;
  readonly obtainedAt: number;
}

/** A person's machine in this process: a home, a store that can be looked into, a browser. */
export interface Machine extends AsyncDisposable {
  readonly home: Home;
  readonly browser: NotedBrowser;
  readonly store: SecretStore;
  readonly own: OwnPorts;
  /** What is stored, by its account. */
  items(): Promise<readonly { readonly account: string; readonly secret: string }[]>;
  /** Moves the clock of this machine ahead, in milliseconds. */
  advance(ms: number): void;
  /** An item as it is stored; undefined where there is none. */
  item(account: string): Promise<StoredItem | undefined>;
  /** Makes a stored item another one. */
  changeItem(account: string, change: Partial<StoredItem>): Promise<StoredItem>;
  /** Stores a login as `postern login` does. */
  storeLogin(login: StoredLogin): Promise<LoginRecord>;
  /** Everything that every command printed, by its command line. */
  readonly printed: Readonly<Record<string, string>>;
  /** `postern` at a terminal, 100 columns wide: all three of its streams are that terminal. */
  atTerminal(...args: string[]): Promise<AtTerminal>;
  /** `postern` without a terminal. */
  start(...args: string[]): Running;
  run(...args: string[]): Promise<Finished>;
  /** The same with this as its whole stdin. */
  runWith(input: string, ...args: string[]): Promise<Finished>;
  /** The access token that `postern token` prints. What it wrote is not noted in `printed`. */
  token(server: string): Promise<string>;
}

export interface Stage extends Machine {
  readonly sandbox: Sandbox;
}

/** A machine without any servers. A browser can be opened there. */
export async function openMachine(variables: Variables = {}): Promise<Machine> {
  const home = await makeHome({ DISPLAY: ':9', ...variables });
  const browser = notedBrowser();
  const { store, items } = openStore();
  const clock = movableClock();
  const own = { browser: browser.port, clock, store };
  const printed: Record<string, string> = {};
  const noted = (args: readonly string[], running: Running): Running => {
    const name = `${Object.keys(printed).length}: ${args.join(' ')}`;
    printed[name] = '';
    void running.finished.then(({ stdout, stderr }) => {
      printed[name] = `${stdout}\n${stderr}`;
    });
    return running;
  };
  const start = (...args: string[]): Running => noted(args, startHere(home, args, { own }));
  const runWith = async (input: string, ...args: string[]): Promise<Finished> => {
    await using running = start(...args);
    running.stdin.end(input);
    return await running.finished;
  };
  const item = async (account: string): Promise<StoredItem | undefined> => {
    const stored = await store.read(account);
    return stored === undefined ? undefined : JSON.parse(stored.reveal());
  };
  return {
    item,
    changeItem: async (account, change) => {
      const stored = await item(account);
      if (stored === undefined) throw new Error('there is no such item');
      const changed = { ...stored, ...change };
      await store.write(account, new Secret(JSON.stringify(changed)));
      return changed;
    },
    storeLogin: (login) => plantLogin(home, login, (key, secret) => store.write(key, secret)),
    advance: clock.advance,
    ...{ home, browser: browser.noted, store, own, items, printed, start, runWith },
    run: (...args) => runWith('', ...args),
    atTerminal: async (...args) => {
      const terminal = terminalHere(home, args, { own, columns: 100, stdout: 'terminal' });
      noted(args, terminal.screen);
      return terminal;
    },
    token: async (server) => {
      const { code, stdout, stderr } = await runHere(home, ['token', server], '', { own });
      if (code !== 0) throw new Error(`token: exit ${code}: ${stderr}`);
      return stdout.trim();
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

/** The same with a sandbox, for a login. */
export async function openStage(options: SandboxOptions = {}): Promise<Stage> {
  const machine = await openMachine();
  const sandbox = await startSandbox(options);
  return {
    ...machine,
    sandbox,
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
      await machine[Symbol.asyncDispose]();
    },
  };
}

/** As far as this machine knows, the tokens of these items have ended. */
export async function endTokens(machine: Machine, accounts: readonly string[]): Promise<void> {
  for (const account of accounts) await machine.changeItem(account, { expiresAt: 0 });
}

function openStore() {
  const memory = createMemoryStore();
  const accounts = new Set<string>();
  const store: SecretStore = {
    ...memory,
    kind: 'keychain', // for all that is printed of it
    write: async (key, value) => {
      accounts.add(key);
      await memory.write(key, value);
    },
  };
  const items = async () => {
    const all = await Promise.all(
      [...accounts].map(async (account) => ({ account, item: await memory.read(account) })),
    );
    return all.flatMap(({ account, item }) => (item === undefined ? [] : [{ account, secret: item.reveal() }]));
  };
  return { store, items };
}

function notedBrowser() {
  const all: string[] = [];
  const news = new EventEmitter();
  let forgotten = 0;
  const port: NonNullable<OwnPorts['browser']> = {
    open: async (url) => {
      all.push(url);
      news.emit('opened');
      return 'opened';
    },
  };
  const noted: NotedBrowser = {
    all,
    opened: async () => {
      const signal = AbortSignal.timeout(60_000);
      while (all.length <= forgotten) await once(news, 'opened', { signal });
      return all.at(-1) ?? '';
    },
    forget: () => {
      forgotten = all.length;
    },
  };
  return { port, noted };
}
