import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ArgumentsOf, CommandTable } from '../../core/command.js';
import { systemCode } from '../../core/failure.js';
import type { LoginRecord } from '../../core/records.js';
import type { ReadInput } from '../../credential/read-input.js';
import { assertionOptionsOf } from '../../stores/assertions/options.js';
import { mentionsToken } from '../../stores/environment-token.js';
import { indexPath, type ReadIndex, readIndexSync } from '../../stores/index/credential-index.js';
import { withSessionBus } from '../../stores/keychain/bus-address.js';
import { type Keyring, openKeyring } from '../../stores/keychain/open-item.js';
import type { OwnLoginArguments } from '../../stores/own-login.js';
import { homeFolder, recoveryPath, statePaths } from '../../stores/paths.js';
import type { GlobalOptions } from '../global-options.js';
import { plainArguments } from './plain-arguments.js';

/** Whether all was done; if not, what has been read of stdin, which the whole program cannot read again. */
export interface HotEnd {
  readonly done: boolean;
  readonly input: ReadInput | undefined;
}

/** What is left where the whole program takes over. */
export interface Left {
  /** What was read of stdin, which nobody can read again. */
  input: ReadInput | undefined;
  /** What is closed before. */
  readonly open: Disposable[];
}

type UsualArguments<Table extends CommandTable> = ArgumentsOf<Table> & GlobalOptions;

/** The arguments, when nothing about the command line or the environment is unusual. */
export function usualArguments<Table extends CommandTable>(
  table: Table,
  argv: readonly string[],
): UsualArguments<Table> | undefined {
  const { env } = process;
  const args = plainArguments(table, argv, env) as UsualArguments<Table> | undefined;
  const isUnusual =
    (env['NODE_DEBUG'] ?? '') !== '' ||
    mentionsToken(env) ||
    args?.field !== undefined ||
    args?.help ||
    args?.version ||
    args?.verbose;
  return isUnusual ? undefined : args;
}

/** Is anything said of a login for this run alone? The whole program makes it, or says what is wrong. */
export function isOwnLogin(args: OwnLoginArguments): boolean {
  const { clientCredentials, store, clientId, clientSecretFile, clientKeyFile, authorizationServer, scope } = args;
  return (
    clientCredentials ||
    !![store, clientId, clientSecretFile, clientKeyFile, authorizationServer, scope[0]].join('') ||
    !!assertionOptionsOf(args).join('')
  );
}

/** Undefined where no keyring can be asked. */
export async function keyringFor(left: Left): Promise<Keyring | undefined> {
  const keyring = await openKeyring({ ...process.env, ...withSessionBus(process.env, process.geteuid?.()) });
  if (keyring !== undefined) left.open.push(keyring);
  return keyring;
}

/** The index of logins. @throws as `stateFolder`, or an error of the file system */
export function readIndex(): ReadIndex {
  return readIndexSync(indexPath(stateFolder()));
}

/** Where the index of logins is. @throws Failure `path_refused` */
export function stateFolder(): string {
  return statePaths(process.env, process.platform, homeFolder()).state;
}

/** Has a refresh that was killed left a newer token, which the whole program moves into the store? */
export function isRefreshWaiting({ key }: Pick<LoginRecord, 'key'>): boolean {
  return existsSync(recoveryPath(join(stateFolder(), 'recovery'), key));
}

/**
 * Straight to stdout's descriptor: `process.stdout` takes a millisecond to be made. False when nothing could be
 * written; when only a part could, the exit code says so.
 */
export function writeAll(text: string): boolean {
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
