import { type ExitCode, exitCode, Failure, isFailure } from '../core/failure.js';
import { loginArgument } from '../core/login-command.js';
import type { CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { quotedServer } from '../core/resource.js';
import { asObject, parseObject, stringField } from '../core/text/json.js';
import { printable } from '../core/text/printable.js';
import type { StoredCredential } from '../stores/credential-item.js';
import type { StorePorts } from '../stores/ports.js';
import { runProgram } from '../stores/run-program.js';
import { loginNow } from '../tokens/find-login.js';
import { livesFor, minLifeOf, readCredential, usable, type ValidTokenRequest } from '../tokens/read-credential.js';
import { storedOrRefreshed } from '../tokens/valid-token.js';

type GrantPorts = Pick<StorePorts, 'recovery' | 'store' | 'index' | 'locks'> & Pick<CorePorts, 'clock'> & RefreshPorts;

/** As long as any caller may ask to wait: the signal comes sooner. */
const turnWaitMs = 60_000;

/**
 * A token of this login for another program, with enough life left: the stored one, else one that a process of its own
 * has refreshed, and written, before it is handed out. Where refreshing fails for now, the stored one while it lives.
 * @throws Failure `login_expired`, the store's, those of a refresh, or the signal's reason
 */
export function grantToken(ports: GrantPorts, request: ValidTokenRequest): Promise<StoredCredential> {
  return storedOrRefreshed(ports, request, async (held, of) => {
    try {
      return await refreshOnce(ports, of, held);
    } catch (error) {
      if (isPassing(error) && livesFor(held, 0, ports.clock.now())) return held;
      throw error;
    }
  });
}

/** Of many callers at once one refreshes; the others wait, and take the token that it got. */
async function refreshOnce(
  ports: GrantPorts,
  wanted: ValidTokenRequest,
  held: StoredCredential,
): Promise<StoredCredential> {
  const { login, signal } = wanted;
  await using _turn = await ports.locks.acquire(`${login.key}-renewal`, { waitMs: turnWaitMs, signal });
  const now = await storedNow(ports, login);
  const isNew = now.obtainedAt !== held.obtainedAt && usable(now, wanted, ports.clock.now());
  if (isNew) return now;
  await ports.detachedRefresh(login, { minLifeMs: minLifeOf(held, wanted.minLifeMs, wanted.kept), signal });
  return await storedNow(ports, login);
}

/** The item says for which server it is, whatever named it. */
async function storedNow(ports: GrantPorts, login: LoginRecord): Promise<StoredCredential> {
  return await readCredential(ports, (await loginNow(ports, login)) ?? login);
}

function isPassing(error: unknown): boolean {
  return isFailure(error) && (error.exit === exitCode.network || error.code === 'busy');
}

export interface RefreshPorts {
  /** Resolves once the new token is stored. @throws Failure of the other process; the signal's reason, after which that one goes on */
  readonly detachedRefresh: (
    login: LoginRecord,
    options: { readonly minLifeMs: number; readonly signal: AbortSignal },
  ) => Promise<void>;
}

/**
 * Refreshes by `postern token` in a process and session of its own. Callers kill their helper, with its whole process
 * group, after some seconds: the response of a slower authorization server, which has revoked the old refresh token,
 * must still be stored. The token is read from the store, not from what that process prints.
 * @param program Node.js and the launcher, or the single executable, as absolute paths.
 * @param report Takes each line that the process prints with `--verbose`, once it has ended.
 */
export function createDetachedRefresh(
  program: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  report?: (line: string) => void,
): RefreshPorts['detachedRefresh'] {
  return async (login, { minLifeMs, signal }) => {
    const command = [...program, ...argumentsFor(login, minLifeMs), ...(report === undefined ? [] : ['--verbose'])];
    const run = { command, env, folder: '/', input: 'closed', output: ['stderr'], outlives: true, signal } as const;
    const end = await runProgram(run);
    if (end.kind === 'not_started') {
      throw refreshProcessFailed(login, `could not be started (${end.error.code ?? end.error.name})`);
    }
    if (end.kind !== 'ended') throw refreshProcessFailed(login, 'said far too much');
    if (report !== undefined) for (const line of end.stderr.split('\n')) report(line);
    if (end.code === 0) return;
    throw failureIn(end.stderr) ?? refreshProcessFailed(login, `ended with ${end.code ?? end.killedBy}`);
  };
}

function argumentsFor({ server, account }: LoginRecord, minLifeMs: number): readonly string[] {
  const minTtl = String(Math.min(86_400, Math.ceil(minLifeMs / 1000)));
  return ['token', server, '--account', account, '--min-ttl', minTtl, '--json', '--non-interactive'];
}

/** The failure that the other process reports in its last line. */
function failureIn(stderr: string): Failure | undefined {
  const error = asObject(parseObject(stderr.trimEnd().split('\n').at(-1) ?? '')?.['error']);
  const [code, message, remedy] = ['code', 'message', 'remedy'].map((name) => error && stringField(error, name));
  const exit = Object.values(exitCode).find((known) => known === error?.['exit']) as ExitCode | undefined;
  return code === undefined || message === undefined || remedy === undefined || exit === undefined
    ? undefined
    : new Failure({ code, exit, message, remedy });
}

/** The process that refreshes ended without saying how. */
function refreshProcessFailed(login: LoginRecord, how: string): Failure {
  return new Failure({
    code: 'renewal_failed',
    exit: exitCode.fault,
    message: `The token for ${quotedServer(login.server, 200)} could not be refreshed: the process that does it ${printable(how, 100)}.`,
    remedy: `See what it says: postern token ${loginArgument(login)} --verbose`,
  });
}
