import { mkdir } from 'node:fs/promises';
import { stateUnsafe, stateUnwritable } from '../../errors/state.js';
import { folderProblem } from './private-file.js';

/**
 * Makes the folder and what is missing above it, each 0700, then verifies what is really there: `mkdir` says
 * nothing about a folder that somebody else has made before.
 * @throws Failure `state_unsafe`, `state_unwritable`
 */
export async function ensurePrivateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw stateUnwritable(path, cause);
  }
  const problem = folderProblem(path);
  if (problem !== undefined) {
    throw stateUnsafe(path, problem);
  }
}
