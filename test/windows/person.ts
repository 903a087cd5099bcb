import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import type { Finished } from '../support/program.js';
import { installProgram, node, startWindows, type Windows } from './windows.js';
import type { WindowsProgram } from './windows-program.js';

/** A path with a drive and backslashes, in which a slash separates, too. */
const mixedPath = /\b[A-Z]:\\[^\n"':;,()]*?[^\s"':;,()/]\//;

/** A person at a Windows computer, with the program installed by npm. */
export interface Person extends AsyncDisposable {
  readonly windows: Windows;
  /** `C:\users\…` */
  readonly home: string;
  /** The launcher. */
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  /** The person again, with other variables. */
  with(variables: Readonly<Record<string, string>>): Person;
  /** Any command, in the home folder. */
  start(...command: readonly string[]): WindowsProgram;
  postern(...args: readonly string[]): WindowsProgram;
  /** To its end, with `input` as its whole stdin. */
  run(args: readonly string[], input?: string | Uint8Array): Promise<Finished>;
}

/** @param name A profile's folder is named for its person, with blanks and letters as they come. */
export async function startPerson(name = 'Zoë O’Neil'): Promise<Person> {
  const windows = await startWindows();
  const home = `C:\\users\\${name}`;
  const roaming = `${home}\\AppData\\Roaming`;
  const npm = `${roaming}\\npm`;
  const script = await installProgram(windows, npm);
  for (const below of ['AppData\\Local\\Temp', 'Documents']) {
    await mkdir(windows.here(`${home}\\${below}`), { recursive: true });
  }
  const env = {
    ...windows.env,
    Path: ['C:\\windows\\system32', 'C:\\windows', 'C:\\Program Files\\nodejs\\', npm].join(';'),
    USERNAME: name,
    USERPROFILE: home,
    HOMEDRIVE: 'C:',
    HOMEPATH: home.slice(2),
    APPDATA: roaming,
    LOCALAPPDATA: `${home}\\AppData\\Local`,
    TEMP: `${home}\\AppData\\Local\\Temp`,
    TMP: `${home}\\AppData\\Local\\Temp`,
  };
  return personOf(windows, { home, script }, env);
}

function personOf(
  windows: Windows,
  at: Pick<Person, 'home' | 'script'>,
  env: Readonly<Record<string, string>>,
): Person {
  const start = (...command: readonly string[]) => windows.start(command, env, at.home);
  const postern = (...args: readonly string[]) => start(node, at.script, ...args);
  return {
    windows,
    ...at,
    env,
    start,
    postern,
    with: (variables) => personOf(windows, at, { ...env, ...variables }),
    run: async (args, input = '') => {
      await using program = postern(...args);
      program.end(input);
      const finished = await program.finished;
      assert.doesNotMatch(finished.stdout, mixedPath, 'paths have one kind of separator');
      assert.doesNotMatch(finished.stderr, mixedPath, 'paths have one kind of separator');
      return finished;
    },
    [Symbol.asyncDispose]: () => windows[Symbol.asyncDispose](),
  };
}
