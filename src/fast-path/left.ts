import type { ReadInput } from '../cli/credential/read-input.js';

/** What the short way leaves to whoever comes after it. */
export interface Left {
  /** What was read of stdin, which nobody can read again. */
  input: ReadInput | undefined;
  /**
   * Sockets. When all is done the process ends at once, and they with it: to close one by itself takes two
   * milliseconds, since node:net then asks whether it is `process.stderr`, which is made for that.
   */
  readonly open: Disposable[];
  /** To be done once all is written. */
  afterwards: (() => void) | undefined;
}
