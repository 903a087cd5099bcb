import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { needsPackages } from '../support/needs.js';
import { repositoryRoot } from '../support/repository.js';

/** Each line of Node.js that the program runs on, installed by `npm test` from this folder's lock file. */
export const nodes: readonly (readonly [line: string, program: string])[] = ['20', '22', '24', '26'].map((line) => [
  line,
  join(repositoryRoot, 'test', 'nodes', 'node_modules', `node-${line}`, 'bin', 'node'),
]);

/** Why they cannot be tried here, or false. */
export function nodesMissing(): string | false {
  const missing = needsPackages('nodes');
  if (missing !== false || nodes.every(([, program]) => existsSync(program))) return missing;
  return `no packages for ${process.platform} on ${process.arch}`;
}
