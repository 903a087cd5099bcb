import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** stdin, which may be a terminal. */
export type Keyboard = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };

const interrupt = 0x03;

const suspend = 0x1a;

const enters: readonly number[] = [0x0d, 0x0a];

/**
 * The keyboard while no question is open: keys are not echoed, as they would garble the spinner; Enter calls a listener, and
 * Ctrl-C and Ctrl-Z work as usual. A question takes the keyboard over.
 */
export class QuietKeys {
  readonly #stdin: () => Keyboard;
  readonly #interrupt: () => void;
  readonly #takers: (() => void)[] = [];
  #questions = 0;
  #on = false;
  /** In the background the terminal is the shell's: reading or setting it stops the process. */
  #away = false;

  constructor(stdin: () => Keyboard, interrupted: () => void) {
    this.#stdin = stdin;
    this.#interrupt = interrupted;
  }

  /** Until disposed of, `enter` is called for Enter. */
  listen(enter: () => void): Disposable {
    this.#takers.push(enter);
    this.#update();
    return {
      [Symbol.dispose]: () => {
        this.#takers.splice(this.#takers.indexOf(enter), 1);
        this.#update();
      },
    };
  }

  /** Leaves the keyboard to a question until disposed of. */
  leave(): Disposable {
    this.#questions += 1;
    this.#update();
    return {
      [Symbol.dispose]: () => {
        this.#questions -= 1;
        this.#update();
      },
    };
  }

  #update(): void {
    const wanted = this.#takers.length > 0 && this.#questions === 0;
    if (wanted === this.#on) return;
    this.#on = wanted;
    const stdin = this.#stdin();
    if (wanted) {
      process.on('SIGCONT', this.#continued); // first, since the process may be stopped below
      this.#away = !isInForeground();
      if (!this.#away) this.#hush(stdin);
    } else {
      process.off('SIGCONT', this.#continued);
      stdin.off('data', this.#take).pause();
      // SIGCONT of the background may not have been delivered yet.
      if (!this.#away && isInForeground()) stdin.setRawMode?.(false);
    }
  }

  readonly #take = (bytes: Uint8Array): void => {
    for (const byte of bytes) {
      if (!this.#on) return;
      if (byte === interrupt) this.#interrupt();
      else if (byte === suspend) this.#stop();
      else if (enters.includes(byte)) this.#takers.at(-1)?.();
    }
  };

  #stop(): void {
    this.#stdin().setRawMode?.(false);
    process.kill(0, 'SIGTSTP'); // as the terminal does: all that runs in the foreground with us
  }

  /** A shell that had the terminal meanwhile leaves it echoing. */
  readonly #continued = (): void => {
    const stdin = this.#stdin();
    stdin.off('data', this.#take).pause();
    this.#away = !isInForeground();
    if (this.#away) return;
    stdin.setRawMode?.(false);
    this.#hush(stdin);
  };

  #hush(stdin: Keyboard): void {
    stdin.setRawMode?.(true);
    stdin.on('data', this.#take).resume();
  }
}

/** Are we the terminal's foreground process group? Known on Linux only (proc(5): pgrp, tpgid), assumed elsewhere. */
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
 * stdin, made at the first use. A terminal is closed as the process ends: where it was ever set, libuv sets it back at the
 * end of `process.exit`, which stops a process in the background. What Node.js sets back itself after that does not.
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
