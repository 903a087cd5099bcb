import type { CommandOutput } from '../core/command.js';
import { Failure, isFailure } from '../core/failure.js';
import { usageWrong, wordMissing } from '../core/failures.js';
import type { BrowserOptions, CorePorts, Logins } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { shellWord } from '../core/text/printable.js';
import { saysYes } from '../core/text/says-yes.js';
import type { ServerProgram } from '../mcp/stdio/stdio-client.js';
import { type OwnLoginArguments, withOwnLogin } from '../stores/own-login.js';
import type { StorePorts } from '../stores/ports.js';
import { findLoginOrServer, type OpenServer } from '../tokens/find-login.js';
import type { HeaderArguments } from '../tokens/server-headers.js';
import { Caller, type CallerOptions, type CallerPorts } from './caller.js';
import type { LocalServer } from './create-conversation.js';
import type { ElicitationPolicy } from './elicitation/questions.js';

/** What a command line says of the server: a name or an address, or behind “--” a program. */
interface ServerArguments extends BrowserOptions, OwnLoginArguments, HeaderArguments {
  readonly server: string | undefined;
  readonly account: string | undefined;
  readonly login: boolean;
  readonly command: readonly string[];
}

export interface ServerWorld
  extends Pick<StorePorts, 'index'>,
    Pick<CommandOutput, 'signal' | 'tell'>,
    Pick<CorePorts, 'givenHeaders'> {
  readonly logins: () => Promise<Logins>;
  /**
   * Starts a program as a server.
   * @param said Takes each line that it writes to stderr, harmless for any terminal.
   * @throws Failure `command_not_started`
   */
  readonly startServer: (command: readonly string[], said: (line: string) => void) => Promise<ServerProgram>;
}

/**
 * The login, the open server, or the program, which has been started then and is to be disposed of.
 * @param name The command's, for failures.
 * @throws Failure `usage_wrong`, `command_not_started`, of `findLogin` and of the login
 */
export async function findServer(
  world: ServerWorld,
  given: ServerArguments,
  name: 'call' | 'shell',
): Promise<LoginRecord | OpenServer | LocalServer> {
  const { server, command } = given;
  const help = `postern ${name} --help`;
  if (command.length > 0) {
    if (given.headerFile !== undefined || given.headerEnv !== undefined) {
      throw usageWrong('A program behind “--” gets no headers.', help);
    }
    if (given.account !== undefined || given.login || given.clientCredentials || given.store !== undefined) {
      throw usageWrong('A program behind “--” has no login here.', help);
    }
    const said = (line: string) => world.tell(`stderr: ${line}`);
    return { server: command.map(shellWord).join(' '), program: await world.startServer(command, said) };
  }
  if (server === undefined) {
    throw wordMissing(
      `postern ${name} needs a server: its URL or the name of a login, or a program behind “--”.`,
      name,
    );
  }
  await world.givenHeaders(); // what is wrong with them is said before anything is sent
  const logins = await world.logins();
  const args = withOwnLogin(given);
  const target = { server, account: args.account };
  if (given.clientCredentials) return logins.asClient({ ...given, server });
  if (!args.login) return findLoginOrServer(world, target);
  return logins.findOrMake({ ...args, ...target }).catch((error: unknown) => {
    // A tool may want one all the same: then it is made, by what the server says to that call.
    if (!isFailure(error, 'login_not_offered')) throw error;
    return findLoginOrServer(world, target);
  });
}

export interface CallerWorld extends CallerPorts, CommandOutput, ServerWorld {}

export interface CallerArguments extends ServerArguments {
  readonly elicitation: ElicitationPolicy | undefined;
  readonly protocol: string | undefined;
  readonly timeout: number;
}

/** How the person wants a conversation to go. */
export function asTyped({ terminal }: Pick<CallerWorld, 'terminal'>, args: Omit<CallerArguments, 'timeout'>) {
  const policy = args.elicitation ?? (terminal.interactive ? 'ask' : 'decline');
  return { policy, opensPages: !args.noBrowser, protocol: args.protocol };
}

/** A caller as the command line wants it. @param name The command's, for failures. */
export function callerFor(
  world: CallerWorld,
  args: CallerArguments,
  name: 'call' | 'shell',
  more: Pick<CallerOptions, 'commandFor' | 'during' | 'follows' | 'notify' | 'tell' | 'warn'>,
): Caller {
  return new Caller(world, {
    find: () => findServer(world, args, name),
    relogin: async (cancelled) => (await world.logins()).relogin({ ...withOwnLogin(args), cancelled }),
    ...asTyped(world, args),
    timeout: args.timeout,
    named: args.server,
    signal: world.signal,
    ...more,
  });
}

/** Which login a command is for, and how its page may be opened. */
type OfferedLogin = BrowserOptions & Pick<ServerArguments, 'server' | 'account' | 'login'>;

interface OfferWorld extends Pick<CommandOutput, 'json' | 'out' | 'signal'>, Pick<CorePorts, 'terminal'> {
  readonly index: StorePorts['index'];
  readonly logins: () => Promise<Logins>;
}

/**
 * Does the work. Where it fails for want of a login and a person reads both streams, it offers the login, and after a
 * yes does the work once more: nothing of it was carried out without a token.
 * @throws what the work throws; after a no the first failure, told in short; the login's
 */
export async function withLoginOffered<Result>(
  world: OfferWorld,
  wanted: OfferedLogin,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isFailure(error, 'login_needed', 'login_expired') || !(await logsInNow(world, wanted, error))) throw error;
  }
  return await work();
}

/** Whether the person wants the login that is missing, and made it. With `--login` one that is there was made again already. @throws Failure of the login */
async function logsInNow(world: OfferWorld, wanted: OfferedLogin, failure: Failure): Promise<boolean> {
  const { terminal, json, out, signal } = world;
  const { server, account } = wanted;
  const mayAsk = !json && out.isTerminal && terminal.interactive;
  if ((!wanted.login && !mayAsk) || server === undefined) return false;
  const login = await findLoginOrServer(world, { server, account }).catch(() => undefined);
  if (login === undefined || (login.key !== undefined && (wanted.login || login.grant !== undefined))) return false;
  if (!wanted.login) {
    terminal.tell(`postern: ${failure.message}`);
    if (!(await saysYes(terminal, 'Log in now?', signal, 'yes'))) throw declined(failure);
  }
  const logins = await world.logins();
  const browserOptions = { browser: wanted.browser, noBrowser: wanted.noBrowser };
  if (login.key === undefined) {
    await logins.findOrMake({ ...browserOptions, server, account });
    return true;
  }
  const relogin = logins.relogin({ ...browserOptions, login: true });
  return (await relogin?.(login, [], async () => undefined)) !== undefined;
}

/** Why a login is needed has been said above the question. */
function declined({ detail }: Failure): Failure {
  return new Failure({ ...detail, message: 'Not logged in.' });
}
