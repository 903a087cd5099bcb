import type { CommandExit, CommandOutput } from '../../core/command.js';
import { Failure } from '../../core/failure.js';
import type { CorePorts } from '../../core/ports.js';
import type { LoginRecord } from '../../core/records.js';
import { counted, printable } from '../../core/text/printable.js';
import { usageWrong } from '../../core/usage-failures.js';
import type { StorePorts } from '../../stores/ports.js';
import { failureJson } from '../render.js';
import { fullName, loginJson, loginStatus, needsPerson } from './login-status.js';

type World = CommandOutput & Pick<StorePorts, 'index'> & Pick<CorePorts, 'clock'>;

/** What of the arguments of `login` says which login is meant, and how it was made. */
interface Wanted {
  readonly server: string | undefined;
  readonly from: string | undefined;
  readonly name: string | undefined;
  readonly account: string;
  readonly scope: readonly string[];
  readonly clientCredentials: boolean;
}

/**
 * `login --expired`: logs in again to each login that only a person can renew, one after the other, as it was made. One
 * that fails does not keep the others from it.
 * @returns The exit code of the first that failed.
 * @throws Failure `usage_wrong`, or the signal's reason
 */
export async function loginToExpired<Arguments extends Wanted>(
  world: World,
  args: Arguments,
  logIn: (args: Arguments & { readonly server: string; readonly baseName: undefined }) => Promise<LoginRecord>,
): Promise<CommandExit> {
  const { server, from, name } = args;
  if (server !== undefined || from !== undefined || name !== undefined) {
    throw usageWrong(
      '--expired takes no server and no name: it means every login that has ended.',
      'postern help login',
    );
  }
  const { logins, providers } = await world.index.read();
  const ended = logins.filter((login) => needsPerson(loginStatus(login, world.clock.now(), providers)));
  const made: LoginRecord[] = [];
  const failed: { readonly login: LoginRecord; readonly failure: Failure }[] = [];
  for (const [at, login] of ended.entries()) {
    world.tell(printable(`${at + 1} of ${ended.length}: ${fullName(login)}`, 300));
    const { account, askedScopes: scope = args.scope, grant } = login;
    const clientCredentials = grant === 'client_credentials';
    const again = { ...args, server: login.server, baseName: undefined, account, scope, clientCredentials };
    try {
      made.push(await logIn(again));
    } catch (failure) {
      if (!(failure instanceof Failure) || world.signal.aborted) throw failure;
      failed.push({ login, failure });
      world.tell(`${failure.message} ${failure.remedy}`);
    }
  }
  await print(world, made, failed);
  return failed[0]?.failure.exit ?? 0;
}

async function print(
  { out, json, clock }: World,
  made: readonly LoginRecord[],
  failed: readonly { readonly login: LoginRecord; readonly failure: Failure }[],
): Promise<void> {
  if (json) {
    const logins = made.map((login) => loginJson(loginStatus(login, clock.now())));
    const failures = failed.map(({ login: { name = null, server, account }, failure }) => ({
      ...{ name, server, account },
      ...failureJson(failure),
    }));
    await out.json({ logins, failures });
    return;
  }
  const names = made.map((login) => `Logged in to ${fullName(login)}.`);
  const failures = failed.map(({ login }) => `Not logged in to ${fullName(login)}.`);
  const sum = made.length + failed.length === 0 ? ['No login has to be made again.'] : [];
  const more =
    failed.length === 0 ? [] : [`${counted(failed.length, 'login')} failed: run the command again to try once more.`];
  await out.line([...sum, ...names, ...failures, ...more].map((line) => printable(line, 600)).join('\n'));
}
