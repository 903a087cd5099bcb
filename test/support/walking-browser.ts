import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Home } from './home.js';
import { repositoryRoot } from './repository.js';

/**
 * Writes a program that stands where the person's browser would: it walks the sandbox's pages, and says yes to them.
 * @returns its absolute path, the value for `BROWSER`
 */
export async function walkingBrowser(home: Pick<Home, 'path'>): Promise<string> {
  const path = join(home.path, 'walking-browser');
  const walk = pathToFileURL(join(repositoryRoot, 'build', 'src', 'sandbox', 'walk.js'));
  const text = `#!${process.execPath}\nimport('${walk}').then(({ walkLogin }) => walkLogin(process.argv[2]));\n`;
  await writeFile(path, text, { mode: 0o755 });
  return path;
}
