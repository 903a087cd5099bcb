import { writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { checkArguments } from './cli/check-arguments.js';
import { tokenTable } from './cli/commands/token.table.js';
import { parsePlain } from './cli/parse-plain.js';
import type { ArgumentsOf } from './cli/table.js';
import { tokenOutput } from './cli/words/token-words.js';
import { usable } from './flows/token/token-request.js';
import { pickLogin } from './primitives/pick-login.js';
import type { LoginRecord } from './primitives/records.js';
import { decodeCredential } from './protocol/credential-item.js';
import { readSecretFast } from './system/keychain/fast-read.js';
import { statePaths } from './system/state/paths.js';
import { indexPath, readIndexSync } from './system/state/read-index.js';

/** Options of which the short way knows nothing. */
const unusual = ['help', 'version', 'verbose'] as const;

type Arguments = ArgumentsOf<typeof tokenTable>;

/**
 * `postern token <server>` with a valid token in an open keychain: one file read, one item read, one line written.
 * False when anything is unusual, and then nothing has happened: the whole program takes over and finds out, in its
 * own words, what it is.
 * @param argv The command line from `token` on.
 */
export async function fastPath(argv: readonly string[]): Promise<boolean> {
  const output = await outputFor(argv.slice(1)).catch(() => undefined);
  return output !== undefined && writeAll(output);
}

interface Asked {
  readonly args: Arguments & { readonly json: boolean };
  readonly login: LoginRecord;
}

async function outputFor(argv: readonly string[]): Promise<string | undefined> {
  let asked: Asked | undefined;
  const item = await readSecretFast(() => {
    asked = whatIsAsked(argv);
    return asked?.login.key;
  }, process.env);
  if (asked === undefined || !item.ok) {
    return undefined;
  }
  const { args, login } = asked;
  const decoded = decodeCredential(item.value, login);
  const wanted = { minLifeMs: args.minTtl * 1000, rejected: undefined };
  return decoded.ok && usable(decoded.credential, wanted, Date.now())
    ? tokenOutput(decoded.credential, args)
    : undefined;
}

/** @throws Failure for a command line that is wrong, or an error of the file system */
function whatIsAsked(argv: readonly string[]): Asked | undefined {
  const { env, platform } = process;
  const raw = parsePlain(tokenTable, argv);
  const isUnusual = (env['NODE_DEBUG'] ?? '') !== '' || unusual.some((option) => raw?.options.has(option));
  if (raw === undefined || isUnusual) {
    return undefined;
  }
  const args = checkArguments(tokenTable, raw, env) as Asked['args'];
  const index = readIndexSync(indexPath(statePaths(env, platform, homedir()).state));
  const picked = index.ok ? pickLogin(index.document.logins, args) : undefined;
  return picked?.kind === 'one' && picked.login.store === 'keychain'
    ? { args, login: picked.login }
    : undefined;
}

/** Straight to the descriptor: `process.stdout` takes a millisecond to be made. */
function writeAll(text: string): boolean {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (at === 0) {
        return false;
      }
      if (code !== 'EAGAIN') {
        return fail();
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); // until the reader of the pipe has read
    }
  }
  return true;
}

/** A part of the line is out, and the rest has no reader. */
function fail(): true {
  process.exitCode = 1;
  return true;
}
