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
  const left: Left = { input: undefined, open: [] };
  const finding = command === 'token' ? tokenOutputFor(words, left) : credentialOutput(words, left);
  const output = await finding.catch(() => undefined);
  const done = output !== undefined && writeAll(output);
  // When all is done the process ends at once: to close a socket takes two milliseconds.
  if (!done) for (const one of left.open) one[Symbol.dispose]();
  return { done, input: left.input };
}
