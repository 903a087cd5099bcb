import { spawn } from 'node:child_process';
import { type ExitCode, exitCode, Failure } from '../core/failure.js';
import type { LoginRecord } from '../core/records.js';
import { asObject, type JsonObject, parseJson, stringField } from '../core/text/json.js';
import { renewalFailed } from './failures.js';

const mostBytes = 262_144;

/**
 * Renews by `postern token` in a process and session of its own. Callers kill their helper, with all of its process
 * group, after some seconds: an authorization server that answers later has taken the old refresh token back, and
 * its answer must find somebody who writes it down. What it prints is not used: the token is read where it is stored.
 * @param program Node.js and the launcher, as absolute paths.
 */
export function createRenewal(
  program: readonly [node: string, script: string],
  env: Readonly<Record<string, string | undefined>>,
): Renewal {
  return {
    renew: (login, { minLifeMs, signal }) =>
      new Promise((resolve, reject) => {
        const [node, script] = program;
        const child = spawn(node, [script, ...argumentsFor(login, minLifeMs)], {
          cwd: '/',
          env,
          detached: true,
          stdio: ['ignore', 'ignore', 'pipe'],
          windowsHide: true,
        });
        let said = '';
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          said = (said + text).slice(-mostBytes);
        });
        const leave = () => {
          child.stderr.destroy();
          child.unref(); // it goes on, nobody waits for it
          reject(signal.reason);
        };
        signal.addEventListener('abort', leave, { once: true });
        child.once('error', (error: NodeJS.ErrnoException) =>
          reject(renewalFailed(login, `could not be started (${error.code ?? error.name})`)),
        );
        child.once('close', (code, killedBy) => {
          signal.removeEventListener('abort', leave);
          if (code === 0) resolve();
          else reject(failureIn(said) ?? renewalFailed(login, `ended with ${code ?? killedBy}`));
        });
        if (signal.aborted) leave();
      }),
  };
}

function argumentsFor({ server, account }: LoginRecord, minLifeMs: number): readonly string[] {
  const minTtl = String(Math.min(86_400, Math.ceil(minLifeMs / 1000)));
  return ['token', server, '--account', account, '--min-ttl', minTtl, '--json', '--non-interactive'];
}

/** The failure that the other process reports in its last line. */
function failureIn(stderr: string): Failure | undefined {
  const error = asObject(objectIn(stderr.trimEnd().split('\n').at(-1) ?? '')?.['error']);
  const [code, message, remedy] = ['code', 'message', 'remedy'].map((name) => error && stringField(error, name));
  const exit = Object.values(exitCode).find((known) => known === error?.['exit']) as ExitCode | undefined;
  return code === undefined || message === undefined || remedy === undefined || exit === undefined
    ? undefined
    : new Failure({ code, exit, message, remedy });
}

function objectIn(text: string): JsonObject | undefined {
  const parsed = parseJson(new TextEncoder().encode(text));
  return parsed.ok ? asObject(parsed.value) : undefined;
}

/** Renewal in a process of its own, which ends what it began though this one is killed meanwhile. */
export interface Renewal {
  /** Resolves once the new token is stored. @throws Failure of the other process, or the signal's reason, after which the other one goes on */
  renew(login: LoginRecord, options: { readonly minLifeMs: number; readonly signal: AbortSignal }): Promise<void>;
}

export interface RefreshPorts {
  readonly renewal: Renewal;
}
