import { writeSync } from 'node:fs';
import { credentialOutput, type Left } from './app/hot-path/credential.js';
import { stateFolder, usableCredential, usualArguments } from './app/hot-path/parts.js';
import { systemCode } from './core/failure.js';
import { tokenTable } from './credential/credential.options.js';
import type { ReadInput } from './credential/read-call.js';
import { tokenOutput } from './credential/token.command.js';
import { indexPath, readIndexSync } from './stores/index/credential-index.js';
import { proveNamed } from './tokens/credential-target.js';
import { pickLogin } from './tokens/find-login.js';

/** Whether all was done; if not, what has been read of stdin, which the whole program cannot read again. */
interface HotEnd {
  readonly done: boolean;
  readonly input: ReadInput | undefined;
}

/**
 * `postern token` and `postern credential` with a valid token in an open keychain: one file read, one item read, one
 * answer written. Not done when anything is unusual, and then nothing has happened: the whole program takes over and
 * finds out, in its own words, what it is.
 * @param argv The command line from `token` or `credential` on.
 */
export async function hotPath(argv: readonly string[]): Promise<HotEnd> {
  const [command, ...words] = argv;
  const left: Left = { input: undefined };
  const finding = command === 'token' ? tokenFor(words) : credentialOutput(words, left);
  const output = await finding.catch(() => undefined);
  return { done: output !== undefined && writeAll(output), input: left.input };
}

/** What `postern token` prints; undefined when anything is unusual. */
async function tokenFor(words: readonly string[]): Promise<string | undefined> {
  const args = usualArguments(tokenTable, words);
  if (args === undefined || args.refresh) return undefined;
  const index = readIndexSync(indexPath(stateFolder()));
  const picked = index.ok ? pickLogin(index.document.logins, args) : undefined;
  if (picked?.kind !== 'one') return undefined;
  const credential = await usableCredential(picked.login, { minLifeMs: args.minTtl * 1000 });
  if (credential === undefined) return undefined;
  proveNamed(credential.binding, args.server);
  return tokenOutput(credential, args);
}

/**
 * Straight to stdout's descriptor: `process.stdout` takes a millisecond to be made. False when nothing could be
 * written; when only a part could, the exit code says so.
 */
function writeAll(text: string): boolean {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (at === 0) return false;
      if (systemCode(error) !== 'EAGAIN') {
        process.exitCode = 1; // a part of it is out, and the rest has no reader
        return true;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); // until the reader of the pipe has read
    }
  }
  return true;
}
