import type { Keyboard } from './quiet-keys.js';

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
