import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryFolder, temporaryFolder } from './temporary.js';

/** Writes the person's configuration file. */
export async function configure(home: Home, configuration: object): Promise<void> {
  const folder = join(home.path, 'config', 'postern');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'config.json'), JSON.stringify(configuration), { mode: 0o600 });
}

/** A person's home on an otherwise empty machine: nothing of the real environment reaches the program. */
export interface Home extends AsyncDisposable {
  readonly path: string;
  /** The whole environment of a program started there. */
  readonly env: Readonly<Record<string, string>>;
}

/** What may be given by the test: `DBUS_SESSION_BUS_ADDRESS` of its keyring, `BROWSER`, `POSTERN_*` … */
export type Variables = Readonly<Record<string, string>>;

/** Makes a home: every folder that a program may write to (XDG, temp) lies inside `path`. */
export async function makeHome(variables: Variables = {}): Promise<Home> {
  const folder: TemporaryFolder = await temporaryFolder();
  const inside = (name: string): string => join(folder.path, name);
  const env = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: folder.path,
    XDG_CONFIG_HOME: inside('config'),
    XDG_DATA_HOME: inside('data'),
    XDG_STATE_HOME: inside('state'),
    XDG_CACHE_HOME: inside('cache'),
    XDG_RUNTIME_DIR: inside('runtime'),
    TMPDIR: inside('tmp'),
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    ...variables,
  };
  for (const name of ['config', 'data', 'state', 'cache', 'runtime', 'tmp']) {
    await mkdir(inside(name), { mode: 0o700 });
  }
  return { path: folder.path, env, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

/** A home without any keychain, with a key file for sealed files named in its environment. */
export async function makeHomeWithKey(variables: Variables = {}): Promise<Home> {
  const bare = await makeHome(variables);
  const keyFile = join(bare.path, 'key');
  await writeFile(keyFile, randomBytes(32), { mode: 0o600 });
  return { ...bare, env: { ...bare.env, POSTERN_STORE_KEY_FILE: keyFile } };
}
