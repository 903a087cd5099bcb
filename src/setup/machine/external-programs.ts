import { delimiter, isAbsolute, join } from 'node:path';
import { statePaths } from '../../stores/paths.js';
import { findProgram, type ProgramCommand, type ProgramEnd, realPath, runProgram } from '../../stores/run-program.js';
import { ownProgram, type ProgramStart } from './own-program.js';
import { type ProgramFiles, programFiles } from './program-files.js';
import { createSetupRecords, type SetupRecords } from './setup-records.js';

/** This machine, as far as place and form of another program's configuration depend on it. */
export interface Machine {
  /** As `process.platform` says it. */
  readonly platform: string;
  readonly homedir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  /** Where this program keeps what is not secret. */
  readonly stateFolder: string;
  readonly start: StartWords;
  /** What has to be set for the program to find this person's logins, where that is not by the platform's habit. */
  readonly variables: Readonly<Record<string, string>>;
}

/** How another program starts this one: absolute paths, since programs with a window have no PATH of a shell. */
export interface StartWords {
  readonly node: string;
  /** Undefined where `node` is this program itself, a single executable. */
  readonly script: string | undefined;
  /** For how long these paths hold. */
  readonly lasts: 'upgrades' | 'this-version-of-node' | 'checkout' | 'cache';
}

/** Other programs on this machine. */
export interface ExternalPrograms {
  readonly machine: Machine;
  readonly files: ProgramFiles;
  readonly records: SetupRecords;
  /** Where that command is on the PATH. */
  find(command: string): string | undefined;
  run(command: ProgramCommand): Promise<ProgramEnd>;
}

/** What is read to know of an entry. */
export type MachineFiles = Pick<ExternalPrograms, 'machine' | 'files'>;

/** Other programs of this machine's user. */
export function createExternalPrograms(options: ProgramStart): ExternalPrograms {
  const { env, platform, homedir, script } = options;
  const stateFolder = statePaths(env, platform, homedir).state;
  return {
    machine: {
      env,
      platform,
      homedir,
      stateFolder,
      workingFolder: process.cwd(),
      start: startWords(process.execPath, script),
      variables: ownProgram(options).variables,
    },
    files: programFiles,
    records: createSetupRecords(join(stateFolder, 'setup')),
    find: (command) => {
      const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute); // never from the working folder
      return findProgram(command, folders, ['.exe', '.cmd', '.bat']);
    },
    run: runProgram,
  };
}

/**
 * The paths by which another program can start this one again and again. Real ones, since links of shells' own
 * (fnm, nvm's `current`) come and go; but where real paths hold a version (Homebrew, pnpm), the link to them.
 * @param execPath `process.execPath` @param script The launcher as it was started, perhaps by a link to it; a
 * single executable itself, whose path scoop and Homebrew keep in a link.
 */
export function startWords(execPath: string, script: string): StartWords {
  if (script === execPath) return { node: nodePath(execPath), script: undefined, lasts: 'upgrades' };
  const real = realPath(script) ?? script;
  const isVersioned = /[\\/](?:\.pnpm|Cellar)[\\/]/.test(real);
  const chosen = isVersioned && real !== script ? script : real;
  return { node: nodePath(execPath), script: chosen, lasts: lastsOf(execPath, real) };
}

/** Homebrew replaces `Cellar/node/<version>` at each upgrade, and keeps `opt/node` pointing at it. */
function nodePath(execPath: string): string {
  const current = execPath.replace(/([\\/]scoop[\\/]apps[\\/]postern[\\/])[^\\/]+/i, '$1current');
  if (current !== execPath && realPath(current) !== undefined) return current;
  const cellar = /^(.*)\/Cellar\/([^/]+)\/[^/]+\/(.*)$/.exec(execPath);
  if (cellar === null) return execPath;
  const [, prefix, formula, rest] = cellar;
  const link = `${prefix}/opt/${formula}/${rest}`;
  return realPath(link) === realPath(execPath) ? link : execPath;
}

function lastsOf(node: string, script: string): StartWords['lasts'] {
  if (/[\\/](?:_npx|dlx[^\\/]*|\.bun[\\/]install[\\/]cache)[\\/]/.test(script)) return 'cache';
  if (!/[\\/]node_modules[\\/]/.test(script)) return 'checkout';
  return /[\\/](?:\.?nvm|\.?fnm|fnm|\.volta|\.asdf|mise|\.?nodenv|n[\\/]versions)[\\/]/.test(node)
    ? 'this-version-of-node'
    : 'upgrades';
}
