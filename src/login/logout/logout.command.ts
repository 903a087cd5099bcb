import type { ArgumentsOf, Command, CommandExit, CommandOutput } from '../../core/command.js';
import { exitCode, isFailure } from '../../core/failure.js';
import { usageWrong, wordMissing } from '../../core/failures.js';
import { isSharedKind, type LoginRecord, storeInWords } from '../../core/records.js';
import { plainLook, toned } from '../../core/text/look.js';
import { counted, printable } from '../../core/text/printable.js';
import { providerResource } from '../../stores/credential-item.js';
import { removeOrphans } from '../../stores/orphans.js';
import { findLogin } from '../../tokens/find-login.js';
import { revokePending } from '../../tokens/revoke.js';
import { nothingToEnd, providerUnknown } from '../failures.js';
import { confirmMany, failureLines } from '../many.js';
import type { LoginPorts } from '../ports.js';
import { fullName } from '../status/login-status.js';
import { logoutTable } from '../status/logins.options.js';
import { dateOrNull, failureJson, inWords, orphanLines } from '../status/render.js';
import { type EndedLogins, type LogoutOfAll, type LogoutResult, logout, logoutOfAll, logoutOfEach } from './logout.js';

type World = CommandOutput & LoginPorts;

type Arguments = ArgumentsOf<typeof logoutTable>;

export const command: Command<typeof logoutTable, World> = {
  table: logoutTable,
  async run(world, args) {
    const meant = [args.all, args.server !== undefined, args.idp !== undefined].filter(Boolean).length;
    if (meant === 0) throw wordMissing('Name the login to end, or pass --all, or --idp ISSUER.', 'logout');
    if (meant > 1) throw usageWrong('Name one login, or pass --all, or --idp ISSUER.', 'postern logout --help');
    await revokePending(world, undefined, world.signal);
    if (args.server !== undefined) return await endOne(world, args.server, args);
    if (args.idp !== undefined) return await endProvider(world, args.idp, args);
    return await endAll(world, args);
  },
};

async function endOne(world: World, server: string, { account, force, local }: Arguments): Promise<CommandExit> {
  const { signal } = world;
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
  const ended = { done: [result], failures: [], left };
  await print(world, ended, { logouts: [resultJson(result)] });
  return 0;
}

/** @throws Failure as `findLogin`; what is not there is not to be logged in to. */
async function loginToEnd(world: World, server: string, account: string | undefined): Promise<LoginRecord> {
  try {
    return await findLogin(world, { server, account, exact: true });
  } catch (error) {
    if (!isFailure(error, 'login_needed') || error.detail.typo !== undefined) throw error;
    const { logins } = await world.index.read();
    // For a name, the remedy lists those that there are.
    throw logins.length > 0 && !server.includes('://') ? error : nothingToEnd(error.message, logins.length);
  }
}

/** Ends what hangs on a company's provider; the login there last: while one of the others is being ended, it may be asked. */
async function endProvider(world: World, issuer: string, { force }: Arguments): Promise<CommandExit> {
  const { logins, providers = [] } = await world.index.read();
  const hanging = [
    ...logins.filter(({ provider }) => provider?.issuer === issuer),
    ...providers.filter((one) => one.issuer === issuer),
  ];
  if (hanging.length === 0) {
    const known = [...providers.map((one) => one.issuer), ...logins.flatMap(({ provider }) => provider?.issuer ?? [])];
    throw providerUnknown(issuer, [...new Set(known)]);
  }
  const ended = await logoutOfEach(world, hanging, { force, signal: world.signal });
  return await print(world, ended, endedJson(ended));
}

async function print(world: World, { done, failures, left }: EndedLogins, json: object): Promise<CommandExit> {
  const { out, tell, clock, look } = world;
  if (world.json) await out.json(json);
  else {
    for (const result of done) await out.line(resultLine(result, clock.now(), look));
    failureLines('Not logged out of', failures, fullName).forEach(tell);
  }
  for (const line of orphanLines(left)) tell(line);
  return failures[0]?.failure.exit ?? (left.length === 0 ? 0 : exitCode.store);
}

async function endAll(world: World, { yes, force }: Arguments): Promise<CommandExit> {
  const { out, tell, json, index } = world;
  const { logins } = await index.read();
  const may = await confirmMany(world, {
    would: 'end',
    noun: 'login',
    names: logins.map(fullName),
    // With its address, where its name does not tell that.
    rows: logins.map((login) => [fullName(login), ...(login.name === undefined ? [] : [login.server])]),
    maxRows: Number.POSITIVE_INFINITY,
    question: logins.length === 1 ? 'Log out of it?' : `Log out of all ${logins.length}?`,
    yes,
    command: `postern logout --all --yes${force ? ' --force' : ''}`,
  });
  if (!may) return exitCode.refused;
  const all = await logoutOfAll(world, { force, signal: world.signal });
  const { done, failures, registrations, clientKeys } = all;
  if (!json && done.length + failures.length === 0) tell('There is no login to end.');
  const exit = await print(world, all, { ...endedJson(all), forgotten: { registrations, clientKeys } });
  const forgotten = keysInWords(all).join(' and ');
  if (!json && forgotten !== '') await out.line(`Forgotten, too: ${forgotten}.`);
  if (all.keptKeys > 0) {
    tell(
      'Keys of client metadata documents are kept: their documents still name them. To remove one, make its document anew, without a key: postern client-metadata init --url ADDRESS --out FOLDER',
    );
  }
  return exit;
}

export function keysInWords({ registrations, clientKeys }: Pick<LogoutOfAll, 'registrations' | 'clientKeys'>) {
  return [
    ...(registrations === 0 ? [] : [counted(registrations, 'client registration')]),
    ...(clientKeys === 0 ? [] : [counted(clientKeys, 'client key')]),
  ];
}

export function endedJson({ done, failures, left }: EndedLogins) {
  return {
    logouts: done.map(resultJson),
    failures: failures.map(({ item: { server, account }, failure }) => ({ server, account, ...failureJson(failure) })),
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

function resultJson({ login: { server, account, expiresAt }, revocation }: LogoutResult) {
  const reason = revocation.done ? null : revocation.why;
  return { server, account, revoked: revocation.done, reason, accessTokenExpiresAt: dateOrNull(expiresAt) };
}
