import type { CommandExit, CommandOutput } from '../../core/command.js';
import { exitCode, Failure } from '../../core/failure.js';
import type { GivenOption } from '../../core/login-command.js';
import type { CorePorts, OfferedServer } from '../../core/ports.js';
import { defaultAccount, type LoginRecord } from '../../core/records.js';
import { inColumnsOrStacked, readerLook } from '../../core/text/layout.js';
import { toned } from '../../core/text/look.js';
import { counted, printable, shellWord } from '../../core/text/printable.js';
import { usageWrong } from '../../core/usage-failures.js';
import { confirmMany } from '../confirm-many.js';
import { failureJson } from '../render.js';
import { fullName, loginJson, loginStatus } from '../status/login-status.js';
import { type ImportWorld, serversOf } from './import-servers.js';

type World = ImportWorld & CommandOutput & Pick<CorePorts, 'clock'>;

interface Wanted {
  readonly server: string | undefined;
  readonly from: string;
  readonly force: boolean;
  readonly yes: boolean;
  readonly account: string;
  /** As they were typed. */
  readonly given: readonly GivenOption[];
}

/** So many at once are a slip of the finger, perhaps: each opens a tab. */
const maxUnasked = 5;

/** What became of one server. */
type Outcome = { readonly server: OfferedServer } & (
  | { readonly kind: 'made' | 'kept'; readonly login: LoginRecord }
  | { readonly kind: 'failed'; readonly failure: Failure }
);

/**
 * `login --from PROGRAM --all`: logs in to each server that the program is set up for and that has no valid login, one
 * after the other, and says how each went. One that fails does not keep the others from it.
 * @returns The exit code of the first that failed.
 * @throws Failure `usage_wrong`, `not_confirmed`, as `serversOf`, or the signal's reason
 */
export async function loginToAll<Arguments extends Wanted>(
  world: World,
  args: Arguments,
  logIn: (args: Arguments & { readonly server: string; readonly baseName: string | undefined }) => Promise<LoginRecord>,
): Promise<CommandExit> {
  const { from, server, force } = args;
  if (server !== undefined) throw usageWrong('--all takes no server: it means all of them.', 'postern help login');
  const { servers, title } = await serversOf(world, from);
  if (!(await mayLogInToAll(world, args, servers))) return exitCode.refused;
  const outcomes: Outcome[] = [];
  for (const [at, one] of servers.entries()) {
    const kept = force ? undefined : await validLogin(world, one);
    if (kept !== undefined) {
      outcomes.push({ server: one, kind: 'kept', login: kept });
      continue;
    }
    world.tell(printable(`${at + 1} of ${servers.length} that ${title} has: ${one.name}`, 300));
    try {
      const login = await logIn({ ...args, server: one.url, baseName: one.loginName });
      outcomes.push({ server: one, kind: 'made', login });
    } catch (failure) {
      if (!(failure instanceof Failure) || world.signal.aborted) throw failure;
      outcomes.push({ server: one, kind: 'failed', failure });
      world.tell(`${failure.message} ${failure.remedy}`);
    }
  }
  await print(world, outcomes);
  return outcomes.flatMap((one) => (one.kind === 'failed' ? one.failure.exit : []))[0] ?? 0;
}

/** @throws Failure `not_confirmed` where there are many and nobody can be asked */
async function mayLogInToAll(
  world: World,
  args: Wanted & { readonly from: string },
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

async function print({ out, json, look, clock }: World, outcomes: readonly Outcome[]): Promise<void> {
  const of = <Kind extends Outcome['kind']>(kind: Kind) =>
    outcomes.filter((one): one is Extract<Outcome, { readonly kind: Kind }> => one.kind === kind);
  const [made, failed] = [outcomes.filter(({ kind }) => kind === 'made'), of('failed')];
  if (json) {
    const logins = outcomes.flatMap((one) =>
      one.kind === 'failed' ? [] : { made: one.kind === 'made', ...jsonOf(one.login, clock.now()) },
    );
    const failures = failed.map(({ server: { name, url }, failure }) => ({
      name,
      server: url,
      ...failureJson(failure),
    }));
    await out.json({ logins, failures });
    return;
  }
  const rows = outcomes.map((one) => {
    const name = one.kind === 'failed' ? one.server.name : fullName(one.login);
    const [tone, state] = words[one.kind];
    return [printable(name, 80), toned(look, tone, state), printable(one.server.url, 300)];
  });
  const sum = `Logged in to ${counted(made.length, 'server')} of ${outcomes.length}`;
  const more = failed.length === 0 ? '' : `; ${failed.length} failed: run the command again to try them once more`;
  await out.line([...inColumnsOrStacked(readerLook({ out, look }), rows), `${sum}${more}.`].join('\n'));
}

const words = { made: ['good', 'logged in'], kept: ['good', 'was logged in'], failed: ['bad', 'failed'] } as const;

const jsonOf = (login: LoginRecord, now: number) => loginJson(loginStatus(login, now));
