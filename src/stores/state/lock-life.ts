import { closeSync, constants, fstatSync, openSync, unlinkSync, writeSync } from 'node:fs';

/** What shows that the process behind a claim lives: a file that it alone has open. */
export interface Life {
  /** Does nothing the second time. @param isGone Is the claim removed? Else others may take it for a dead one's. */
  end(isGone: boolean): void;
}

/** Files that show which claims are of living processes, where the number of a process does not. */
export interface Lives {
  /** @param path Of a file that is this claim's alone. */
  begin(path: string): Life;
  /**
   * Has the process died that began it, its claim not removed? Never true where that cannot be seen.
   */
  isOver(path: string): boolean;
  /** Removes the file of a life that is over, and no other. */
  clear(path: string): void;
}

/** What the files need of the system. Each throws as `node:fs` does. */
export interface LifeFiles {
  /** Makes it, and opens it so that nobody else can open, rename or remove it until this process closes it, or dies. */
  make(path: string): number;
  /** Opens what is there, and shares it. */
  open(path: string): number;
  /** Writes that the claim is gone. */
  mark(file: number): void;
  isMarked(file: number): boolean;
  close(file: number): void;
  remove(path: string): void;
}

const { O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = constants;

/** libuv's `UV_FS_O_EXLOCK`, which `node:fs` takes but does not name: the file is shared with nobody. Windows has it alone. */
const exclusive = 0x1000_0000;

const windowsFiles: LifeFiles = {
  make: (path) => openSync(path, O_RDWR | O_CREAT | O_EXCL | exclusive, 0o600),
  open: (path) => openSync(path, O_RDONLY),
  mark: (file) => void writeSync(file, '-'),
  isMarked: (file) => fstatSync(file).size > 0,
  close: closeSync,
  remove: unlinkSync,
};

/**
 * Windows uses the numbers of processes again soon, and nothing says cheaply when a process began: a dead one's claim would
 * seem to be that of whoever has its number now. There the system closes the file when the process ends, however it does.
 * Elsewhere no file is made, opened or removed. On a network share a file counts as closed, too, when the connection is lost.
 */
export function livesOn(platform: string, files: LifeFiles = windowsFiles): Lives {
  return platform === 'win32'
    ? livesIn(files)
    : { begin: () => ({ end: () => {} }), isOver: () => false, clear: () => {} };
}

function livesIn(files: LifeFiles): Lives {
  // What goes wrong: it lives, or a virus scanner has it open just now. A later holder of the lock removes it.
  const clear = (path: string) => quietly(() => files.remove(path));
  return {
    begin: (path) => {
      const file = files.make(path);
      let isOver = false;
      return {
        end: (isGone) => {
          if (isOver) return;
          isOver = true;
          // A claim that was removed may still be read while others have it open: it is nobody's to break.
          if (isGone) quietly(() => files.mark(file));
          files.close(file);
          clear(path);
        },
      };
    },
    // Whatever is in the way (a virus scanner, for a moment) shows nothing: only a file that opens has nobody behind it.
    isOver: (path) => quietly(() => hasDied(path, files)) ?? false,
    clear,
  };
}

function hasDied(path: string, files: LifeFiles): boolean {
  const file = files.open(path);
  try {
    return !files.isMarked(file);
  } finally {
    files.close(file);
  }
}

function quietly<Value>(immediate: () => Value): Value | undefined {
  try {
    return immediate();
  } catch {
    return undefined;
  }
}
