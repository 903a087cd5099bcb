import type { ArgumentsOf, CommandExit, CommandOutput } from '../../core/command.js';
import { exitCode, Failure } from '../../core/failure.js';
import type { GivenOption } from '../../core/login-command.js';
import type { CorePorts, OfferedServer } from '../../core/ports.js';
import { defaultAccount, type LoginRecord } from '../../core/records.js';
import { inColumnsOrStacked, readerLook } from '../../core/text/layout.js';
import { toned } from '../../core/text/look.js';
import { counted, printable, shellWord } from '../../core/text/printable.js';
import { usageWrong } from '../../core/usage-failures.js';
import { confirmMany } from '../confirm-many.js';
import { situationOf } from '../given/given-options.js';
import type { loginTable } from '../login.options.js';
import type { LoginWorld } from '../logins.js';
import { fullName, loginJson, loginStatus, needsPerson } from '../status/login-status.js';
import { failureJson } from '../status/render.js';
import { type ChosenServer, type ImportWorld, serversOf } from './import-servers.js';

type World = ImportWorld & CommandOutput & Pick<CorePorts, 'clock'> & Pick<LoginWorld, 'env'>;

type Arguments = ArgumentsOf<typeof loginTable>;

/** Logs in as these arguments say. */
type LogIn = (args: Arguments & ChosenServer) => Promise<LoginRecord>;

/** So many at once are a slip of the finger, perhaps: each opens a tab. */
const maxUnasked = 5;

/** What became of one login. */
type Outcome<Item> = { readonly item: Item } & (Login | { readonly kind: 'failed'; readonly failure: Failure });

interface Login {
  readonly kind: 'made' | 'kept';
  readonly login: LoginRecord;
}

/** One after the other; one that fails does not keep the others from it. */
async function eachOf<Item>(
  { tell, signal, env }: World,
  items: readonly Item[],
  argsOf: (item: Item) => Arguments & ChosenServer,
  logIn: (item: Item, which: string) => Promise<Login>,
): Promise<readonly Outcome<Item>[]> {
  const outcomes: Outcome<Item>[] = [];
  for (const [at, item] of items.entries()) {
    try {
      outcomes.push({ item, ...(await logIn(item, `${at + 1} of ${items.length}`)) });
    } catch (error) {
      if (!(error instanceof Failure) || signal.aborted) throw error;
      const failure = error.withRemedy(error.remedyIn(situationOf({ ...argsOf(item) }, env)));
      outcomes.push({ item, kind: 'failed', failure });
      tell(`${failure.message} ${failure.remedy}`);
    }
  }
  return outcomes;
}

function failed<Item>(outcomes: readonly Outcome<Item>[]) {
  return outcomes.filter((one) => one.kind === 'failed');
}

/**
 * `login --from PROGRAM --all`: logs in to each server that the program is set up for and that has no valid login, and
 * says how each went.
 * @returns The exit code of the first that failed.
 * @throws Failure `usage_wrong`, `not_confirmed`, as `serversOf`, or the signal's reason
 */
export async function loginToAll(
  world: World,
  args: Arguments & { readonly from: string; readonly given: readonly GivenOption[] },
  logIn: LogIn,
): Promise<CommandExit> {
  const { from, server, force } = args;
  if (server !== undefined) throw usageWrong('--all takes no server: it means all of them.', 'postern help login');
  const { servers, title } = await serversOf(world, from);
  if (!(await mayLogInToAll(world, args, servers))) return exitCode.refused;
  const argsOf = (one: OfferedServer) => ({ ...args, server: one.url, baseName: one.loginName });
  const outcomes = await eachOf(world, servers, argsOf, async (one, which) => {
    const kept = force ? undefined : await validLogin(world, one);
    if (kept !== undefined) return { kind: 'kept', login: kept };
    world.tell(printable(`${which} that ${title} has: ${one.name}`, 300));
    return { kind: 'made', login: await logIn(argsOf(one)) };
  });
  await print(world, outcomes);
  return failed(outcomes)[0]?.failure.exit ?? 0;
}

/** @throws Failure `not_confirmed` where there are many and nobody can be asked */
async function mayLogInToAll(
  world: World,
  args: Arguments & { readonly from: string; readonly given: readonly GivenOption[] },
  servers: readonly OfferedServer[],
): Promise<boolean> {
  const valid = await Promise.all(servers.map((one) => (args.force ? undefined : validLogin(world, one))));
  const wanted = servers.filter((_, at) => valid[at] === undefined);
  const { from, account, given } = args;
  const which = account === defaultAccount ? [] : [`--account ${shellWord(account)}`];
  const words = [...which, ...given.map(({ text }) => text)];
  return await confirmMany(world, {
    would: 'log in to',
    noun: 'server',
    names: wanted.map(({ name }) => name),
    rows: wanted.map(({ name, url }) => [name, url]),
    maxRows: 12,
    question: `Log in to all ${wanted.length}?`,
    yes: args.yes || wanted.length <= maxUnasked,
    command: ['postern login --from', shellWord(from), '--all --yes', ...words].join(' '),
  });
}

async function validLogin({ index, clock }: World, { url }: OfferedServer): Promise<LoginRecord | undefined> {
  const { logins } = await index.read();
  return logins.find((login) => login.server === url && loginStatus(login, clock.now()).problem === undefined);
}

async function print({ out, json, look, clock }: World, outcomes: readonly Outcome<OfferedServer>[]): Promise<void> {
  const [made, lost] = [outcomes.filter(({ kind }) => kind === 'made'), failed(outcomes)];
  if (json) {
    const logins = outcomes.flatMap((one) =>
      one.kind === 'failed' ? [] : { made: one.kind === 'made', ...jsonOf(one.login, clock.now()) },
    );
    const failures = lost.map(({ item: { name, url }, failure }) => ({ name, server: url, ...failureJson(failure) }));
    await out.json({ logins, failures });
    return;
  }
  const rows = outcomes.map((one) => {
    const name = one.kind === 'failed' ? one.item.name : fullName(one.login);
    const [tone, state] = words[one.kind];
    return [printable(name, 80), toned(look, tone, state), printable(one.item.url, 300)];
  });
  const sum = `Logged in to ${counted(made.length, 'server')} of ${outcomes.length}`;
  const more = lost.length === 0 ? '' : `; ${lost.length} failed: run the command again to try them once more`;
  await out.line([...inColumnsOrStacked(readerLook({ out, look }), rows), `${sum}${more}.`].join('\n'));
}

const words = { made: ['good', 'logged in'], kept: ['good', 'was logged in'], failed: ['bad', 'failed'] } as const;

const jsonOf = (login: LoginRecord, now: number) => loginJson(loginStatus(login, now));

/**
 * `login --expired`: logs in again to each login that only a person can renew, as it was made.
 * @returns The exit code of the first that failed.
 * @throws Failure `usage_wrong`, or the signal's reason
 */
export async function loginToExpired(world: World, args: Arguments, logIn: LogIn): Promise<CommandExit> {
  const { server, from, name } = args;
  if (server !== undefined || from !== undefined || name !== undefined) {
    throw usageWrong(
      '--expired takes no server and no name: it means every login that has ended.',
      'postern help login',
    );
  }
  const { logins, providers } = await world.index.read();
  const ended = logins.filter((login) => needsPerson(loginStatus(login, world.clock.now(), providers)));
  const argsOf = ({ server: url, account, askedScopes: scope = args.scope, grant }: LoginRecord) => {
    const clientCredentials = grant === 'client_credentials';
    return { ...args, server: url, baseName: undefined, account, scope, clientCredentials };
  };
  const outcomes = await eachOf(world, ended, argsOf, async (login, which) => {
    world.tell(printable(`${which}: ${fullName(login)}`, 300));
    return { kind: 'made', login: await logIn(argsOf(login)) };
  });
  await printAgain(world, outcomes);
  return failed(outcomes)[0]?.failure.exit ?? 0;
}

async function printAgain({ out, json, clock }: World, outcomes: readonly Outcome<LoginRecord>[]): Promise<void> {
  const made = outcomes.flatMap((one) => (one.kind === 'failed' ? [] : one.login));
  const lost = failed(outcomes);
  if (json) {
    const logins = made.map((login) => jsonOf(login, clock.now()));
    const failures = lost.map(({ item: { name = null, server, account }, failure }) => ({
      ...{ name, server, account },
      ...failureJson(failure),
    }));
    await out.json({ logins, failures });
    return;
  }
  const names = made.map((login) => `Logged in to ${fullName(login)}.`);
  const failures = lost.map(({ item }) => `Not logged in to ${fullName(item)}.`);
  const sum = outcomes.length === 0 ? ['No login has to be made again.'] : [];
  const more =
    lost.length === 0 ? [] : [`${counted(lost.length, 'login')} failed: run the command again to try once more.`];
  await out.line([...sum, ...names, ...failures, ...more].map((line) => printable(line, 600)).join('\n'));
}
