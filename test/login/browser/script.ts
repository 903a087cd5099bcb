import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a shell script and returns its path. */
export async function script(folder: string, name: string, text: string, mode = 0o755): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${text}\n`, { mode });
  return path;
}
