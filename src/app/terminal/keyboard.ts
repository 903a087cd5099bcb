import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** stdin, which may be a terminal. */
export type Keyboard = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };

/**
 * Enter, beside whatever else goes on. The terminal stays as it is: Ctrl-C and Ctrl-Z are its own, and nothing has to be
 * set back.
 */
export function createEnterKey(stdin: () => Keyboard) {
  const listeners: (() => void)[] = [];
  let questions = 0;
  let isReading = false;
  const pressed = () => listeners.at(-1)?.();
  const update = () => {
    process.off('SIGCONT', update);
    if (listeners.length > 0) process.on('SIGCONT', update);
    const isWanted = listeners.length > 0 && questions === 0 && isInForeground();
    if (isWanted === isReading) return;
    isReading = isWanted;
    if (isWanted) stdin().on('data', pressed).resume();
    else stdin().off('data', pressed).pause();
  };
  const until = (end: () => void): Disposable => {
    update();
    return {
      [Symbol.dispose]: () => {
        end();
        update();
      },
    };
  };
  return {
    /** Until disposed of, `enter` is called for Enter. */
    listen: (enter: () => void) => {
      listeners.push(enter);
      return until(() => void listeners.splice(listeners.indexOf(enter), 1));
    },
    /** Leaves the keyboard to a question until disposed of. */
    leave: () => {
      questions += 1;
      return until(() => {
        questions -= 1;
      });
    },
  };
}

/**
 * Are we the terminal's foreground process group? In the background, reading the terminal stops the process. Known on Linux
 * only (proc(5): pgrp, tpgid), assumed elsewhere.
 */
function isInForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return group === foreground;
  } catch {
    return true;
  }
}

/**
 * stdin, made at first use. A terminal is closed as the process ends: else libuv resets it at the end of `process.exit`,
 * which stops a process in the background.
 */
export function createKeyboard(make: () => Keyboard): () => Keyboard {
  let made: Keyboard | undefined;
  return () => {
    if (made === undefined) {
      const stdin = make();
      if (stdin.isTTY === true) process.once('exit', () => void stdin.destroy());
      made = stdin;
    }
    return made;
  };
}
