import type { ArgumentsOf, CommandExit, CommandOutput } from '../../core/command.js';
import { exitCode, Failure } from '../../core/failure.js';
import { usageWrong } from '../../core/failures.js';
import type { GivenOption } from '../../core/login-command.js';
import type { CorePorts } from '../../core/ports.js';
import { defaultAccount, type LoginRecord } from '../../core/records.js';
import { inColumnsOrStacked, readerLook } from '../../core/text/layout.js';
import { toned } from '../../core/text/look.js';
import { counted, printable, shellWord } from '../../core/text/printable.js';
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

/** A login to make, and what is said of it. */
interface Task {
  /** What it is called until it has a name. */
  readonly label: string;
  readonly name: string | null;
  /** What is said before it is made, behind “1 of 3”. */
  readonly heading: string;
  /** Does one that is valid stay? */
  readonly mayStay: boolean;
  readonly args: Arguments & ChosenServer;
}

type Outcome = { readonly task: Task } & (
  | { readonly kind: 'made' | 'kept'; readonly login: LoginRecord }
  | { readonly kind: 'failed'; readonly failure: Failure }
);

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
  const { from, server, account, force, given } = args;
  if (server !== undefined) throw usageWrong('--all takes no server: it means all of them.', 'postern help login');
  const { servers, title } = await serversOf(world, from);
  const tasks = servers.map(({ name, url, loginName }): Task => {
    const own = { ...args, server: url, baseName: loginName };
    return { label: name, name, heading: ` that ${title} has: ${name}`, mayStay: !force, args: own };
  });
  const valid = await Promise.all(tasks.map((task) => validLogin(world, task)));
  const wanted = tasks.filter((_, at) => valid[at] === undefined);
  const which = account === defaultAccount ? [] : [`--account ${shellWord(account)}`];
  const words = [...which, ...given.map(({ text }) => text)];
  const may = await confirmMany(world, {
    would: 'log in to',
    noun: 'server',
    names: wanted.map(({ label }) => label),
    rows: wanted.map((one) => [one.label, one.args.server]),
    maxRows: 12,
    question: `Log in to all ${wanted.length}?`,
    yes: args.yes || wanted.length <= maxUnasked,
    command: ['postern login --from', shellWord(from), '--all --yes', ...words].join(' '),
  });
  return may ? await makeEach(world, tasks, logIn) : exitCode.refused;
}

/**
 * `login --expired`: logs in again to each login that only a person can renew, as it was made.
 * @returns The exit code of the first that failed.
 * @throws Failure `usage_wrong`, or the signal's reason
 */
export async function loginToExpired(world: World, args: Arguments, logIn: LogIn): Promise<CommandExit> {
  if ((args.server ?? args.from ?? args.name) !== undefined) {
    throw usageWrong(
      '--expired takes no server and no name: it means every login that has ended.',
      'postern help login',
    );
  }
  const { logins, providers } = await world.index.read();
  const ended = logins.filter((login) => needsPerson(loginStatus(login, world.clock.now(), providers)));
  const tasks = ended.map((login): Task => {
    const { name = null, server, account, askedScopes: scope = args.scope, grant } = login;
    const own = { ...args, server, baseName: undefined, account, scope };
    const label = fullName(login);
    return {
      label,
      name,
      heading: `: ${label}`,
      mayStay: false,
      args: { ...own, clientCredentials: grant === 'client_credentials' },
    };
  });
  return await makeEach(world, tasks, logIn);
}

/** One after the other; one that fails does not keep the others from it. */
async function makeEach(world: World, tasks: readonly Task[], logIn: LogIn): Promise<CommandExit> {
  const { tell, signal, env } = world;
  const outcomes: Outcome[] = [];
  for (const [at, task] of tasks.entries()) {
    const kept = await validLogin(world, task); // which an earlier one may have made
    if (kept !== undefined) {
      outcomes.push({ task, kind: 'kept', login: kept });
      continue;
    }
    tell(printable(`${at + 1} of ${tasks.length}${task.heading}`, 300));
    try {
      outcomes.push({ task, kind: 'made', login: await logIn(task.args) });
    } catch (error) {
      if (!(error instanceof Failure) || signal.aborted) throw error;
      const failure = error.withRemedy(error.remedyIn(situationOf({ ...task.args }, env)));
      outcomes.push({ task, kind: 'failed', failure });
      tell(`${failure.message} ${failure.remedy}`);
    }
  }
  await print(world, outcomes);
  return outcomes.find((one) => one.kind === 'failed')?.failure.exit ?? 0;
}

async function validLogin({ index, clock }: World, { args, mayStay }: Task): Promise<LoginRecord | undefined> {
  if (!mayStay) return undefined;
  const { logins } = await index.read();
  return logins.find((one) => one.server === args.server && loginStatus(one, clock.now()).problem === undefined);
}

const words = { made: ['good', 'logged in'], kept: ['good', 'was logged in'], failed: ['bad', 'failed'] } as const;

async function print({ out, json, look, clock }: World, outcomes: readonly Outcome[]): Promise<void> {
  const lost = outcomes.filter((one) => one.kind === 'failed');
  if (json) {
    const logins = outcomes.flatMap((one) =>
      one.kind === 'failed' ? [] : { made: one.kind === 'made', ...loginJson(loginStatus(one.login, clock.now())) },
    );
    const failures = lost.map(({ task: { name, args }, failure }) => ({
      ...{ name, server: args.server, account: args.account },
      ...failureJson(failure),
    }));
    await out.json({ logins, failures });
    return;
  }
  if (outcomes.length === 0) return await out.line('No login has to be made again.');
  const rows = outcomes.map((one) => {
    const name = one.kind === 'failed' ? one.task.label : fullName(one.login);
    const [tone, state] = words[one.kind];
    return [printable(name, 80), toned(look, tone, state), printable(one.task.args.server, 300)];
  });
  const made = outcomes.filter(({ kind }) => kind === 'made').length;
  const sum = `Logged in to ${counted(made, 'server')} of ${outcomes.length}`;
  const more = lost.length === 0 ? '' : `; ${lost.length} failed: run the command again to try them once more`;
  await out.line([...inColumnsOrStacked(readerLook({ out, look }), rows), `${sum}${more}.`].join('\n'));
}
