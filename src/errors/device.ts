import { type LoginMeant, loginCommand } from '../primitives/login-command.js';
import { quoted } from '../primitives/printable.js';
import type { Step } from '../primitives/step.js';
import { exitCode, Failure } from './failure.js';

/** `--device` where the metadata has no `device_authorization_endpoint` (RFC 8628 section 4). */
export function deviceFlowMissing(issuer: string, login: LoginMeant, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'device_flow_missing',
    exit: exitCode.usage,
    message: `The authorization server ${quoted(issuer)} does not offer logins by a code (device authorization).`,
    remedy: `Run: ${loginCommand(login, '--no-browser')}`,
    trail,
  });
}

/** Nobody typed the code while this login waited; the code itself would have lasted longer. */
export function deviceLoginTimedOut(timeoutMs: number, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'login_timed_out',
    exit: exitCode.network,
    message: `The login was not allowed within ${Math.round(timeoutMs / 1000)} seconds; nothing was stored, and the code is of no use any more.`,
    remedy: 'Run the login again and type the new code, with --timeout for more time.',
    trail,
  });
}

/** Nobody typed the code in time. */
export function deviceCodeExpired(issuer: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'device_code_expired',
    exit: exitCode.network,
    message: `The code of ${quoted(issuer)} ran out before the login was allowed; nothing was stored.`,
    remedy: 'Run the login again and type the new code, with --timeout for more time.',
    trail,
  });
}
