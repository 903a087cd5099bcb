import { join } from 'node:path';
import { repositoryRoot } from './repository.js';

const folder = join(repositoryRoot, '.ci', 'newer', 'bin');

/** Programs newer than the machine's own, where `.ci/newer-programs` has put them. */
export const newerPrograms = { folder, git: join(folder, 'git'), go: join(folder, 'go') };
