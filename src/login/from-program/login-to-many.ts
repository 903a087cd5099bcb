import type { ArgumentsOf, CommandExit, CommandOutput } from '../../core/command.js';
import { exitCode } from '../../core/failure.js';
import { usageWrong, wordMissing } from '../../core/failures.js';
import type { GivenOption } from '../../core/login-command.js';
import type { CorePorts, FindServers, OfferedServer, OfferedServers } from '../../core/ports.js';
import { defaultAccount, type LoginRecord } from '../../core/records.js';
import { closest } from '../../core/text/closest.js';
import { inColumnsOrStacked, readerLook } from '../../core/text/layout.js';
import { toned } from '../../core/text/look.js';
import { counted, printable, shellWord } from '../../core/text/printable.js';
import type { StorePorts } from '../../stores/ports.js';
import { noServersThere, serverNotThere } from '../failures.js';
import { situationOf } from '../given/given-options.js';
import type { loginTable } from '../login.options.js';
import type { LoginWorld } from '../logins.js';
import { confirmMany, doEach, type Outcomes } from '../many.js';
import { fullName, loginJson, loginStatus, needsPerson } from '../status/login-status.js';
import { failureJson } from '../status/render.js';

export interface ImportWorld extends CommandOutput, Pick<StorePorts, 'index'>, Pick<CorePorts, 'terminal'> {
  readonly findServers: FindServers;
}

type World = ImportWorld & Pick<CorePorts, 'clock' | 'progress'> & Pick<LoginWorld, 'env'>;

type Arguments = ArgumentsOf<typeof loginTable>;

/** Arguments of `login` with a server, and what its login could be called. */
export type ChosenArguments = Arguments & { readonly server: string; readonly baseName?: string | undefined };

type LogIn = (args: ChosenArguments) => Promise<LoginRecord>;

/**
 * The arguments of `login` with a server in them: the one that was named, or one out of another program's
 * configuration, by its name there or by the person's choice. Undefined when they were listed instead.
 * @throws Failure `usage_wrong`, `no_servers_there`, `server_not_there`, `program_unknown`, `program_file_unusable`
 */
export async function withServer(world: ImportWorld, args: Arguments): Promise<ChosenArguments | undefined> {
  const { server, from } = args;
  if (from === undefined) {
    if (server === undefined) {
      throw wordMissing('postern login needs a server: its URL, or the name of a login.', 'login');
    }
    return { ...args, server };
  }
  const found = await serversOf(world, from);
  const chosen = await choose(world, found, server);
  if (chosen === undefined) return undefined;
  return { ...args, server: chosen.url, baseName: chosen.loginName };
}

/** The servers that another program is set up for, at least one. @throws Failure as `withServer` */
async function serversOf(world: ImportWorld, from: string): Promise<OfferedServers> {
  const { logins } = await world.index.read();
  const found = await world.findServers(from, logins);
  if (found.servers.length === 0) throw noServersThere(found.title, found.files);
  return found;
}

async function choose(
  { terminal, out, json, signal }: ImportWorld,
  { servers, title }: OfferedServers,
  server: string | undefined,
): Promise<OfferedServer | undefined> {
  if (server !== undefined) {
    const named = servers.find(({ name, url }) => name === server || url === server);
    const names = servers.map(({ name }) => name);
    if (named === undefined) throw serverNotThere(server, title, closest(server, names), names);
    return named;
  }
  if (terminal.interactive && !json) {
    const choices = servers.map(({ name, url, hasLogin }) => {
      return `${printable(name, 60)}  ${printable(url, 200)}${hasLogin ? '  (there is a login)' : ''}`;
    });
    const index = await terminal.choose('Log in to which of them?', choices, signal);
    return servers[index];
  }
  if (json) {
    await out.json({ servers: servers.map(({ name, url, hasLogin }) => ({ name, url, hasLogin })) });
  } else {
    await out.line(servers.map(commandLine).join('\n'));
  }
  return undefined;
}

/** What a person can run; those with a login are behind a `#`. */
function commandLine({ name, url, loginName, hasLogin }: OfferedServer): string {
  const named = loginName === undefined ? '' : ` --name ${loginName}`;
  const command = `postern login ${shellWord(printable(url, 2000))}${named}`;
  return hasLogin ? `# ${printable(name, 60)}: there is a login for ${printable(url, 2000)}` : command;
}

/** So many at once are a slip of the finger, perhaps: each opens a tab. */
const maxUnasked = 5;

interface Task {
  /** What it is called until it has a name. */
  readonly label: string;
  readonly name: string | null;
  /** What is said before it is made, behind “1 of 3”. */
  readonly heading: string;
  /** Does one that is valid stay? */
  readonly mayStay: boolean;
  readonly args: ChosenArguments;
}

/** A login that serves; `made`: just now. */
interface Served {
  readonly task: Task;
  readonly login: LoginRecord;
  readonly made: boolean;
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

async function makeEach(world: World, tasks: readonly Task[], logIn: LogIn): Promise<CommandExit> {
  const outcomes = await doEach(tasks, world, async (task, at): Promise<Served> => {
    const kept = await validLogin(world, task); // which an earlier one may have made
    if (kept !== undefined) return { task, login: kept, made: false };
    world.tell(printable(`${at + 1} of ${tasks.length}${task.heading}`, 300));
    return { task, login: await logIn(task.args), made: true };
  });
  await print(world, outcomes);
  return outcomes.failures[0]?.failure.exit ?? 0;
}

async function validLogin({ index, clock }: World, { args, mayStay }: Task): Promise<LoginRecord | undefined> {
  if (!mayStay) return undefined;
  const { logins } = await index.read();
  return logins.find((one) => one.server === args.server && loginStatus(one, clock.now()).problem === undefined);
}

async function print(world: World, { done, failures }: Outcomes<Task, Served>): Promise<void> {
  const { out, json, look, tell, clock, env } = world;
  const lost = failures.map(({ item: task, failure }) => {
    const remedy = failure.remedyIn(situationOf({ ...task.args }, env));
    return { task, failure: { ...failureJson(failure), remedy } };
  });
  for (const { task, failure } of lost) tell(`${printable(task.label, 80)}: ${failure.message} ${failure.remedy}`);
  if (json) {
    await out.json({
      logins: done.map(({ made, login }) => ({ made, ...loginJson(loginStatus(login, clock.now())) })),
      failures: lost.map(({ task: { name, args }, failure }) => ({
        ...{ name, server: args.server, account: args.account },
        ...failure,
      })),
    });
    return;
  }
  const all = done.length + lost.length;
  if (all === 0) return await out.line('No login has to be made again.');
  const rowOf = (name: string, state: string, { args }: Task) => [
    printable(name, 80),
    state,
    printable(args.server, 300),
  ];
  const rows = [
    ...done.map(({ task, login, made }) =>
      rowOf(fullName(login), toned(look, 'good', made ? 'logged in' : 'was logged in'), task),
    ),
    ...lost.map(({ task }) => rowOf(task.label, toned(look, 'bad', 'failed'), task)),
  ];
  const sum = `Logged in to ${counted(done.filter(({ made }) => made).length, 'server')} of ${all}`;
  const more = lost.length === 0 ? '' : `; ${lost.length} failed: run the command again to try them once more`;
  await out.line([...inColumnsOrStacked(readerLook({ out, look }), rows), `${sum}${more}.`].join('\n'));
}
