import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Machine, Neighbours } from '../../ports/neighbours.js';
import { statePaths } from '../state/paths.js';
import { createProgramFiles } from './program-files.js';
import { runProgram } from './run-program.js';
import { createSetupRecords } from './setup-records.js';
import { startWords } from './start-words.js';

/** Other programs of this machine's user. */
export function createNeighbours(
  options: Omit<Machine, 'workingFolder' | 'start' | 'variables' | 'stateFolder'>,
): Neighbours {
  const { env, platform, homedir } = options;
  const here = statePaths(env, platform, homedir);
  const usual = statePaths({}, platform, homedir);
  const stateFolder = here.state;
  return {
    machine: {
      ...options,
      stateFolder,
      variables: {
        ...(here.config === usual.config ? {} : { POSTERN_CONFIG_DIR: here.config }),
        ...(here.state === usual.state ? {} : { POSTERN_STATE_DIR: here.state }),
      },
      workingFolder: process.cwd(),
      start: startWords(process.execPath, process.argv[1] ?? ''),
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
