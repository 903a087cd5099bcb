import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The PATH's absolute folders, the working folder left out: nothing that was put there is run by accident. */
export function safePath(path: string | undefined, workingFolder: string): readonly string[] {
  const here = realPath(workingFolder);
  return (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && realPath(folder) !== here);
}

/** The first executable file of that name in those folders. */
export function findProgram(name: string, folders: readonly string[]): string | undefined {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  return folders.map((folder) => join(folder, file)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
