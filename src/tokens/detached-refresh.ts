import { type ExitCode, exitCode, Failure } from '../core/failure.js';
import type { LoginRecord } from '../core/records.js';
import { asObject, parseObject, stringField } from '../core/text/json.js';
import { runProgram } from '../stores/run-program.js';
import { refreshProcessFailed } from './failures.js';

/** Resolves once the new token is stored. @throws Failure of the other process, or the signal's reason, after which the other one goes on */
export type DetachedRefresh = (
  login: LoginRecord,
  options: { readonly minLifeMs: number; readonly signal: AbortSignal },
) => Promise<void>;

export interface RefreshPorts {
  readonly detachedRefresh: DetachedRefresh;
}

/**
 * Refreshes by `postern token` in a process and session of its own. Callers kill their helper, with all of its process
 * group, after some seconds: the response of a slower authorization server, which has revoked the old refresh token,
 * must still be stored. What is printed is not used: the token is read from the store.
 * @param program Node.js and the launcher, or the single executable, as absolute paths.
 * @param report Takes each line that the other process says with `--verbose`, once it has ended; undefined: it is not asked to.
 */
export function createDetachedRefresh(
  program: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  report?: (line: string) => void,
): DetachedRefresh {
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
