import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Machine, Neighbours } from '../../ports/neighbours.js';
import { ownProgram } from '../own-program.js';
import { statePaths } from '../state/paths.js';
import { createProgramFiles } from './program-files.js';
import { runProgram } from './run-program.js';
import { createSetupRecords } from './setup-records.js';
import { startWords } from './start-words.js';

export interface NeighboursOptions {
  readonly env: Machine['env'];
  readonly platform: NodeJS.Platform;
  readonly homedir: string;
  /** The launcher's absolute path. */
  readonly script: string;
}

/** Other programs of this machine's user. */
export function createNeighbours(options: NeighboursOptions): Neighbours {
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
    files: createProgramFiles(),
    records: createSetupRecords(join(stateFolder, 'setup')),
    find: (command) => findOnPath(command, env),
    run: runProgram,
  };
}

function findOnPath(command: string, env: Machine['env']): string | undefined {
  const ends = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter(isAbsolute) // never from the working folder
    .flatMap((folder) => ends.map((end) => join(folder, `${command}${end}`)))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
