import type { ArgumentsOf, Command, CommandExit, CommandOutput } from '../../core/command.js';
import { exitCode, isFailure } from '../../core/failure.js';
import { isSharedKind, type LoginRecord, storeInWords } from '../../core/records.js';
import { plainLook, toned } from '../../core/text/look.js';
import { counted, printable } from '../../core/text/printable.js';
import { usageWrong, wordMissing } from '../../core/usage-failures.js';
import { providerResource } from '../../stores/kept-provider.js';
import { removeOrphans } from '../../stores/orphans.js';
import { findLogin, loginsCalled } from '../../tokens/find-login.js';
import { revokePending } from '../../tokens/revocation/revoke.js';
import { providerUnknown } from '../company/failures.js';
import { confirmMany } from '../confirm-many.js';
import type { LoginPorts } from '../ports.js';
import { fullName } from '../status/login-status.js';
import { logoutTable } from '../status/logins.options.js';
import { byFailure, dateOrNull, failureJson, inWords, orphanLines } from '../status/render.js';
import { hangingOn, type LogoutOfAll, type LogoutResult, logout, logoutOfAll, logoutOfProvider } from './logout.js';

type World = CommandOutput & Omit<LoginPorts, 'handedOut' | 'attempts' | 'browser' | 'listeners' | 'renewal'>;

type Arguments = ArgumentsOf<typeof logoutTable>;

export const command: Command<typeof logoutTable, World> = {
  table: logoutTable,
  async run(world, args) {
    const meant = [args.all, args.server !== undefined, args.idp !== undefined].filter(Boolean).length;
    if (meant === 0) throw wordMissing('Name the login to end, or pass --all, or --idp ISSUER.', 'logout');
    if (meant > 1) throw usageWrong('Name one login, or pass --all, or --idp ISSUER.', 'postern logout --help');
    await revokePending(world, undefined, world.signal);
    if (args.idp !== undefined) return await endProvider(world, args.idp, args);
    if (args.server !== undefined) return await endOne(world, args.server, args);
    return (await mayEndAll(world, args)) ? await endAll(world, args.force) : exitCode.refused;
  },
};

async function endOne(world: World, server: string, { account, force, local }: Arguments): Promise<CommandExit> {
  const { out, signal } = world;
  const login = await loginToEnd(world, server, account);
  if (local && !isSharedKind(login.store)) {
    throw usageWrong(
      '--local is for a login that machines share; this one is on this machine alone.',
      'postern help logout',
    );
  }
  world.progress.begin(`Logging out of ${login.server}`);
  const result = await logout(world, { login, force, isLocal: local, signal });
  world.progress.end();
  const left = await removeOrphans(world, ({ store }) => store === login.store, signal);
  if (world.json) await out.json({ logouts: [resultJson(result)] });
  else await out.line(resultLine(result, world.clock.now(), world.look));
  for (const line of orphanLines(left)) world.tell(line);
  return 0;
}

/** @throws Failure as `findLogin`; who names what is not there is not told to log in. */
async function loginToEnd(world: World, server: string, account: string | undefined): Promise<LoginRecord> {
  const { logins } = await world.index.read();
  const isName = !server.includes('://');
  try {
    if (isName) loginsCalled(logins, server);
    return await findLogin(world, { server, account, exact: true });
  } catch (error) {
    if (!isFailure(error, 'login_needed') || error.detail.typo !== undefined) throw error;
    if (logins.length === 0) throw error.withRemedy('There is nothing to log out of: no logins are left.');
    if (isName) throw error; // its remedy lists the names
    throw error.withRemedy('There is nothing to log out of. All logins: postern status');
  }
}

async function endProvider(world: World, issuer: string, { force }: Arguments): Promise<CommandExit> {
  const { out, signal } = world;
  const hanging = await hangingOn(world, issuer);
  if (hanging.length === 0) {
    const { logins, providers = [] } = await world.index.read();
    const known = [...providers.map((one) => one.issuer), ...logins.flatMap(({ provider }) => provider?.issuer ?? [])];
    throw providerUnknown(issuer, [...new Set(known)]);
  }
  const ended = await logoutOfProvider(world, { issuer, force, signal });
  if (world.json) await out.json(providerEndedJson(ended));
  else await printEnded(world, ended);
  for (const line of orphanLines(ended.left)) world.tell(line);
  return ended.failures[0]?.failure.exit ?? (ended.left.length === 0 ? 0 : exitCode.store);
}

async function printEnded(
  { out, tell, clock, look }: World,
  { logouts, failures }: Pick<LogoutOfAll, 'logouts' | 'failures'>,
): Promise<void> {
  for (const result of logouts) await out.line(resultLine(result, clock.now(), look));
  for (const alike of byFailure(failures)) {
    const [{ failure }] = alike;
    const names = alike.map(({ login }) => printable(fullName(login), 600)).join(', ');
    tell(`Not logged out of ${names}: ${failure.message} ${failure.remedy}`);
  }
}

/** Whether the person wants all of them ended. @throws Failure `not_confirmed` where nobody can be asked */
async function mayEndAll(world: World, { yes, force }: Arguments): Promise<boolean> {
  const { logins } = await world.index.read();
  return await confirmMany(world, {
    would: 'end',
    noun: 'login',
    names: logins.map(fullName),
    rows: logins.map(namedInFull),
    maxRows: Number.POSITIVE_INFINITY,
    question: logins.length === 1 ? 'Log out of it?' : `Log out of all ${logins.length}?`,
    yes,
    command: `postern logout --all --yes${force ? ' --force' : ''}`,
  });
}

/** With its address, where its name does not tell that. */
function namedInFull(login: LoginRecord): readonly string[] {
  return login.name === undefined ? [fullName(login)] : [fullName(login), login.server];
}

async function endAll(world: World, force: boolean): Promise<CommandExit> {
  const { out, tell } = world;
  const all = await logoutOfAll(world, { force, signal: world.signal });
  const { logouts, failures, left } = all;
  if (world.json) {
    await out.json(allJson(all));
  } else {
    if (logouts.length + failures.length === 0) tell('There is no login to end.');
    await printEnded(world, all);
    const forgotten = forgottenLine(all);
    if (forgotten !== undefined) await out.line(forgotten);
  }
  for (const line of orphanLines(left)) tell(line);
  if (all.keptKeys > 0) {
    tell(
      'Keys of client metadata documents are kept: their documents still name them. To remove one, make its document anew, without a key: postern client-metadata init --url ADDRESS --out FOLDER',
    );
  }
  const [first] = failures;
  return first?.failure.exit ?? (left.length === 0 ? 0 : exitCode.store);
}

function forgottenLine({ registrations, clientKeys }: LogoutOfAll): string | undefined {
  const parts = [
    ...(registrations === 0 ? [] : [counted(registrations, 'client registration')]),
    ...(clientKeys === 0 ? [] : [counted(clientKeys, 'client key')]),
  ];
  return parts.length === 0 ? undefined : `Forgotten, too: ${parts.join(' and ')}.`;
}

function allJson({ logouts, failures, registrations, clientKeys, left }: LogoutOfAll) {
  return { ...providerEndedJson({ logouts, failures, left }), forgotten: { registrations, clientKeys } };
}

function providerEndedJson({ logouts, failures, left }: Pick<LogoutOfAll, 'logouts' | 'failures' | 'left'>) {
  return {
    logouts: logouts.map(resultJson),
    failures: failures.map(({ login: { server, account }, failure }) => ({ server, account, ...failureJson(failure) })),
    left: left.map(({ item, failure }) => ({ store: item.store, ...failureJson(failure) })),
  };
}

/** A revoked refresh token gets nothing any more; access tokens that were handed out may go on until they expire. */
export function resultLine({ login, revocation, isLocal }: LogoutResult, now: number, look = plainLook): string {
  if (login.resource === providerResource) return providerLine(login, revocation);
  const name = printable(fullName(login), 600);
  if (isLocal === true) {
    return `Forgot ${name} on this machine. It goes on in ${storeInWords(login.store)}; where that store is set, its next use finds it there.`;
  }
  const head = isSharedKind(login.store)
    ? `Logged out of ${name}, for every machine that shares it.`
    : `Logged out of ${name}.`;
  const end = accessEnd(login, now);
  if (revocation.done) {
    const done = toned(look, 'good', head);
    return end === undefined
      ? `${done} Its token is revoked.`
      : `${done} It cannot be refreshed any more; an access token that a program still has may work ${end}.`;
  }
  const why = printable(revocation.why, 400).replace(/\.$/, '');
  const isKept = login.refreshable && login.grant === undefined && login.provider === undefined;
  const refresh = isKept ? ' Its refresh token stays valid there.' : '';
  const access = end === undefined ? '' : ` Its access token stays valid ${end}.`;
  return `${head} Its token was not revoked: ${why}.${refresh}${access}`;
}

/** Nobody was given its token: what matters is that it vouches for nothing any more. */
function providerLine({ issuer }: LoginRecord, revocation: LogoutResult['revocation']): string {
  const head = `Logged out at the company’s provider ${printable(issuer, 600)}`;
  if (revocation.done) return `${head}: its refresh token is revoked.`;
  return `${head}. Its refresh token was not revoked: ${printable(revocation.why, 400).replace(/\.$/, '')}.`;
}

/** How long an access token handed out may go on working; undefined where it has ended. */
function accessEnd({ expiresAt }: LoginRecord, now: number): string | undefined {
  if (expiresAt === null) return 'until the server refuses it';
  return expiresAt > now ? `for ${inWords(expiresAt - now)}` : undefined;
}

/** What became of one login, as JSON. */
export function resultJson({ login: { server, account, expiresAt }, revocation }: LogoutResult) {
  const reason = revocation.done ? null : revocation.why;
  return { server, account, revoked: revocation.done, reason, accessTokenExpiresAt: dateOrNull(expiresAt) };
}
