import { delimiter, isAbsolute, join } from 'node:path';
import { statePaths } from '../../stores/paths.js';
import { findProgram, realPath, runProgram } from '../../stores/run-program.js';
import { ownProgram } from './own-program.js';
import type { ExternalPrograms, Machine, StartWords } from './ports.js';
import { programFiles } from './program-files.js';
import { createSetupRecords } from './setup-records.js';

export interface ExternalProgramsOptions {
  readonly env: Machine['env'];
  readonly platform: NodeJS.Platform;
  readonly homedir: string;
  /** The launcher's absolute path. */
  readonly script: string;
}

/** Other programs of this machine's user. */
export function createExternalPrograms(options: ExternalProgramsOptions): ExternalPrograms {
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
