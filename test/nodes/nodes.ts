import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../support/repository.js';

/** Each line of Node.js that the program runs on, installed by `npm test` from this folder's lock file. */
export const nodes: readonly (readonly [line: string, program: string])[] = ['20', '22', '24', '26'].map((line) => [
  line,
  join(repositoryRoot, 'test', 'nodes', 'node_modules', `node-${line}`, 'bin', 'node'),
]);

/** Why they cannot be tried here, or false. */
export function nodesMissing(): string | false {
  if (nodes.every(([, program]) => existsSync(program))) return false;
  const why = process.env['POSTERN_NO_NODES'] ?? 'install them: npm test';
  const { platform, arch } = process;
  if (process.env['POSTERN_REQUIRE_ALL'] === '1' && platform === 'linux' && arch === 'x64') throw new Error(why);
  return why;
}
