import type { Command, CommandOutput } from '../core/command.js';
import { exitCode, ignoreFailure, isFailure } from '../core/failure.js';
import { usageContradictory } from '../core/failures.js';
import type { Files, Logins } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import { Deadline, unlessAborted } from '../core/time.js';
import type { StorePorts } from '../stores/ports.js';
import { forgetFailures, proveBare, reaches, targetUrl } from '../tokens/credential-target.js';
import { checkPin, noLogin } from '../tokens/find-login.js';
import { readCredential, type TokenPorts, withLogin } from '../tokens/read-credential.js';
import { validToken } from '../tokens/valid-token.js';
import { type CredentialFormat, credentialTable } from './credential.options.js';
import { deadlinePassed, secretOnTerminal, serverNotNamed, targetElsewhere } from './failures.js';
import {
  findCredential,
  isGone,
  loginsFor,
  namedLogin,
  originOfWanted,
  proveWanted,
  type WantedCredential,
} from './find-credential.js';
import type { CredentialArguments, CredentialCall, GetCall } from './formats/call.js';
import { grantToken, type RefreshPorts } from './grant-token.js';
import { endOfInput, inputBytes, type ReadInput, readCall, readInput } from './read-call.js';
import { type ShimWorld, writeShim } from './shim.js';

/** Of the time that the whole process may take: for the end, when the output is printed. */
const endMs = 800;

/** What is known of the call so far, for what is remembered at the end. */
interface Progress {
  call: Exclude<CredentialCall, { readonly kind: 'fixed' }> | undefined;
  login: LoginRecord | undefined;
}

interface World extends TokenPorts, ShimWorld, CommandOutput, RefreshPorts, Pick<StorePorts, 'failures'> {
  readonly files: Files;
  readonly logins: () => Promise<Logins>;
  /** What the hot path has read of stdin already. */
  readonly input: ReadInput | undefined;
  /** What is left of `ms`, counted from the start of the process. */
  readonly timeLeft: (ms: number) => number;
}

export const command: Command<typeof credentialTable, World> = {
  table: credentialTable,
  async run(world, args) {
    const { format } = args;
    const isOwn = args.clientCredentials;
    if (isOwn && args.shim !== undefined) {
      throw usageContradictory('--shim', '--client-credentials', 'postern help credential');
    }
    if (args.shim !== undefined) {
      await writeShim(world, args, args.shim);
      return 0;
    }
    const progress: Progress = { call: undefined, login: undefined };
    const limitMs = args.timeout * 1000;
    using deadline = new Deadline(world.timeLeft(limitMs - endMs), () => deadlinePassed(progress.login, args.timeout));
    const signal = AbortSignal.any([world.signal, deadline.signal]);
    try {
      await world.out.write(await unlessAborted(outputFor(world, args, progress, signal), signal));
      if (!isOwn) await noteSuccess(world, format, progress);
      return 0;
    } catch (error) {
      if (isFailure(error) && error.exit !== exitCode.interrupted) {
        const { call, login } = progress;
        const origin = originOfWanted(call?.wanted ?? { named: args.words[0], target: undefined }, login);
        // Whoever has typed it at a terminal has read why: a program that asks has its answer in a pipe.
        const isSeen = isOwn || world.out.isTerminal;
        const failure = { format, origin, at: world.clock.now(), code: error.code };
        if (!isSeen) await world.failures.keep(failure).catch(ignoreFailure);
        // git would ask the person for a user name and a password, which no server of ours takes.
        if (format === 'git' && call?.kind === 'get' && covers(login, call.wanted)) await world.out.write('quit=1\n\n');
      }
      throw error;
    }
  },
};

async function noteSuccess(world: World, format: CredentialFormat, progress: Progress): Promise<void> {
  const { call, login } = progress;
  if (login === undefined || call?.kind !== 'get') return;
  await forgetFailures(world, login.server, format);
  await forgetFailures(world, '', format); // those that named no server
}

/** The bytes for stdout. Fills in `progress` as it goes. */
async function outputFor(
  world: World,
  args: CredentialArguments,
  progress: Progress,
  signal: AbortSignal,
): Promise<string> {
  const { format } = args;
  const isWhole = endOfInput(args);
  const read = isWhole && (world.input ?? (await readInput(world.files.stdin(), isWhole)));
  const input = read === undefined ? new Uint8Array() : inputBytes(format, read);
  const call = readCall(args, { env: world.env, input });
  if (call.kind === 'fixed') return call.output;
  progress.call = call;
  if (call.kind === 'get' && world.out.isTerminal && !args.showSecret) throw secretOnTerminal();
  if (args.clientCredentials) await logInAsClient(world, args, call.wanted, signal);
  const { logins } = await loginsFor(world, call.wanted);
  progress.login = namedLogin(logins, call.wanted);
  if (call.kind === 'too_old') {
    if (findCredential(logins, call.wanted).login !== undefined) {
      world.tell('postern: this server takes Bearer tokens alone, which git sends from version 2.46 on.');
    }
    return '';
  }
  const login = call.kind === 'get' ? loginFor(world, call, logins) : findCredential(logins, call.wanted).login;
  progress.login = login;
  if (login !== undefined) await checkPin(login, call.wanted);
  if (call.kind === 'refused') {
    if (login !== undefined) await reportRefused(world, login, call.credential);
    return '';
  }
  if (login === undefined) return call.unmapped ?? '';
  const asked = `postern credential ${format}`;
  proveBare(login, asked);
  const noted = call.refused ? await reportRefused(world, login, undefined) : login;
  // What is in memory no other process can refresh.
  const grant = args.clientCredentials ? validToken : grantToken;
  const token = await grant(world, { login: noted, minLifeMs: call.minLifeMs, kept: format === 'env', signal });
  proveWanted(token.binding, call.wanted);
  proveBare(login, asked, token);
  return call.output({ ...token, server: token.binding.server }, world.clock.now());
}

/** The login of this run alone, which is then found like others. @throws Failure `usage_wrong`, or the login's */
async function logInAsClient(
  world: World,
  args: CredentialArguments,
  { named, account }: WantedCredential,
  signal: AbortSignal,
): Promise<void> {
  if (named === undefined) throw serverNotNamed(args.format);
  const logins = await unlessAborted(world.logins(), signal);
  await logins.asClient({ ...args, server: named, account });
}

/**
 * Undefined where the caller gets what is printed for `unmapped`.
 * @throws Failure `login_ambiguous`, `login_needed`, `target_elsewhere`
 */
function loginFor(
  { tell }: World,
  { wanted, unmapped, hint }: GetCall,
  logins: readonly LoginRecord[],
): LoginRecord | undefined {
  const { login, onOrigin } = findCredential(logins, wanted);
  if (login !== undefined) return login;
  const { named, target = '', account } = wanted;
  const other = unmapped === undefined && named !== undefined ? namedLogin(logins, wanted) : undefined;
  if (other !== undefined) throw targetElsewhere(other.server, target);
  if (unmapped === undefined || isGone(logins, wanted)) throw noLogin(logins, { server: named ?? target, account });
  if (hint === 'use_http_path' && onOrigin !== undefined) {
    const origin = originOfWanted({ named: undefined, target: onOrigin.server }, undefined);
    const configure = `git config --global credential.${origin}.useHttpPath true`;
    tell(`postern: git does not say which path it asks for; let it: ${configure}`);
  }
  return undefined;
}

/** Is this login, or the one that is gone, for the address that is asked for? For others there are other helpers. */
function covers(login: LoginRecord | undefined, { named, target, wholeHost }: WantedCredential): boolean {
  const server = login?.server ?? (named?.includes('://') ? named : undefined);
  const address = targetUrl(target ?? '');
  return server !== undefined && address !== undefined && reaches({ server }, address, wholeHost);
}

/** A token younger than this is not refreshed for a report: a new one would be refused, too. */
const youngMs = 60_000;

/** Notes that a token was refused, so that its next use refreshes it. @param credential Undefined: the stored token. */
async function reportRefused(ports: World, login: LoginRecord, credential: Secret | undefined): Promise<LoginRecord> {
  const { accessToken, obtainedAt } = await readCredential(ports, login);
  const isThis = credential === undefined || credential.reveal() === accessToken.reveal();
  if (!isThis || Math.abs(ports.clock.now() - obtainedAt) < youngMs) return login;
  const note = (old: LoginRecord) => ({ ...old, refusedToken: obtainedAt });
  await ports.index.update((document) => withLogin(document, login.key, note));
  return note(login);
}
