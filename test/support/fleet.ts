import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SharedEngine } from '../../src/fleet/engine/redis.js';
import { SharedStore } from '../../src/fleet/shared/shared-store.js';
import { createClock } from '../../src/stores/clock.js';
import { openAs } from '../fleet/engine/open.js';
import { nobody } from '../stores/sealed-files/file-store-session.js';
import { users } from './engines.js';
import { type Home, makeHome } from './home.js';
import { readIndexSync, Secret, type SecretStore, type SharedKind } from './product.js';
import { type Finished, programCommand, type Running, startCommand, startProgram } from './program.js';
import type { Sandbox } from './start-sandbox.js';
import { temporaryFolder } from './temporary.js';

/** A machine: a home, a host name, a number of its boot and of itself, and processes. */
export interface Machine {
  readonly home: Home;
  start(...args: string[]): Running;
  run(...args: string[]): Promise<Finished>;
}

export interface Fleet extends AsyncDisposable {
  readonly machines: readonly Machine[];
  /** The shared store as a machine opens it that is none of these. */
  readonly store: SecretStore;
  /** The engine itself, and the bytes of the key file that every machine has. */
  readonly engine: SharedEngine;
  readonly readersKey: Uint8Array;
  /** Key of a login, as the index of that machine has it; of the one that it has. */
  keyOf(machine: Machine, name?: string): string;
  /** Makes the stored token run out `inMs` from now; the item is otherwise as it was. */
  letExpire(key: string, inMs: number): Promise<ItemFields>;
  item(key: string): Promise<ItemFields>;
}

export interface ItemFields {
  readonly accessToken: string;
  readonly refreshToken: string;
}

export interface FleetOptions {
  /** As `--store` takes it. */
  readonly address: string;
  readonly count: number;
  /** Of each machine; and more for some, by its number. */
  readonly env?: Readonly<Record<string, string>>;
  readonly envOf?: (number: number) => Readonly<Record<string, string>>;
  /** Where the engine has users, and an authority of its own. */
  readonly caFile?: string;
  readonly hasUsers?: boolean;
  /** False: each has a home of its own, and the host name and numbers of this machine; `unshare` is not needed then. */
  readonly isApart?: boolean;
}

/** Other names and numbers for a process, as on another machine: its own namespaces of host name and mounts. */
const asMachine = [
  'hostname "$1"',
  'mount --bind "$2" /proc/sys/kernel/random/boot_id',
  'mount --bind "$3" /etc/machine-id',
  'shift 3',
  'exec "$@"',
].join(' && ');

/** Machines that share one store; to be called where there are `unshare` and `root`, but for `isApart: false`. */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { address, count, caFile, hasUsers = false, isApart = true } = options;
  const readersKey = randomBytes(32);
  const folder = await temporaryFolder();
  const file = async (name: string, text: string | Uint8Array): Promise<string> => {
    await writeFile(join(folder.path, name), text, { mode: 0o600 });
    return join(folder.path, name);
  };
  const user = users.refresher;
  const env = {
    POSTERN_STORE: address,
    POSTERN_STORE_KEY_FILE: await file('readers.key', readersKey),
    POSTERN_STORE_REFRESH_KEY_FILE: await file('refreshers.key', randomBytes(32)),
    ...(hasUsers ? { POSTERN_ENGINE_CREDENTIALS_FILE: await file('user', `${user.name}:${user.password}\n`) } : {}),
    ...(caFile === undefined ? {} : { POSTERN_CA_FILE: caFile }),
    ...options.env,
  };
  const machines: Machine[] = [];
  for (let number = 0; number < count; number += 1) {
    const home = await makeHome({ ...env, ...options.envOf?.(number) });
    const numbers = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')];
    const files = [await file(`boot-${number}`, numbers[0] ?? ''), await file(`machine-${number}`, numbers[1] ?? '')];
    const before = ['--uts', '--mount', 'sh', '-ec', asMachine, 'sh', `build-${number}`, ...files];
    const start = (...args: string[]) =>
      isApart ? startCommand('unshare', [...before, ...programCommand(args)], home) : startProgram(home, args);
    const run = async (...args: string[]) => {
      await using running = start(...args);
      running.stdin.end();
      return await running.finished;
    };
    machines.push({ home, start, run });
  }
  const engine = await openAs(address, { ...(hasUsers ? { user } : {}), ...(caFile === undefined ? {} : { caFile }) });
  const state = await temporaryFolder();
  const store = new SharedStore({
    kind: address as SharedKind,
    engine,
    env,
    clock: createClock(),
    stateFolder: state.path,
    leaseMs: 5_000,
    isReadOnly: false,
    terminal: nobody,
    signal: new AbortController().signal,
  });
  const item = async (key: string) => JSON.parse((await store.read(key))?.reveal() ?? '{}') as ItemFields;
  return {
    machines,
    store,
    engine,
    readersKey,
    keyOf: ({ home }, name) => {
      const read = readIndexSync(join(home.path, 'state', 'postern', 'logins.json'));
      const logins = read.ok ? read.document.logins : [];
      const key = logins.find((login) => name === undefined || login.name === name)?.key;
      if (key === undefined) throw new Error('that machine has no login');
      return key;
    },
    item,
    letExpire: async (key, inMs) => {
      const now = { ...(await item(key)), expiresAt: Date.now() + inMs };
      await store.write(key, new Secret(JSON.stringify(now)));
      return now;
    },
    [Symbol.asyncDispose]: async () => {
      for (const { home } of machines) await home[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
      await state[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Logs in on one machine, with a code, at a sandbox that approves of everybody. */
export async function logInOn(machine: Machine, { serverUrl }: Sandbox, name = 'work'): Promise<void> {
  const account = name === 'work' ? [] : ['--account', name];
  const { code, stderr } = await machine.run('login', serverUrl, '--device', '--name', name, ...account, '--force');
  if (code !== 0) throw new Error(stderr);
}
