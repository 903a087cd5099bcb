import { credentialOutput } from './app/hot-path/credential.js';
import { type HotEnd, type Left, writeAll } from './app/hot-path/parts.js';
import { tokenOutputFor } from './app/hot-path/token.js';

/**
 * `postern token` and `postern credential` with a valid token in an open keychain: one file read, one item read, one
 * answer written. Not done when anything is unusual, and then nothing has happened: the whole program takes over and
 * finds out, in its own words, what it is. When done, the process has to be ended: a socket is still open.
 * @param argv The command line from `token` or `credential` on.
 */
export async function hotPath(argv: readonly string[]): Promise<HotEnd> {
  const [command, ...words] = argv;
  const left: Left = { input: undefined, open: [], keychain: undefined, index: undefined, afterwards: undefined };
  const finding = command === 'token' ? tokenOutputFor(words, left) : credentialOutput(words, left);
  const output = await finding.catch(() => undefined);
  const done = output !== undefined && writeAll(output);
  if (done) left.afterwards?.();
  else {
    for (const one of left.open) one[Symbol.dispose]();
    left.keychain?.bus.rest(); // whoever comes may never ask the keychain
  }
  return { done, input: left.input, keychain: left.keychain, index: left.index };
}
