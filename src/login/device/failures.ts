import { exitCode, Failure } from '../../core/failure.js';
import { type LoginAsked, loginCommand } from '../../core/login-command.js';
import { quoted } from '../../core/text/printable.js';

/** `--device` where the metadata has no `device_authorization_endpoint` (RFC 8628 section 4). */
export function deviceFlowMissing(issuer: string, login: LoginAsked): Failure {
  const message = `The authorization server ${quoted(issuer)} does not offer logins with a code (RFC 8628).`;
  const remedy = `Run: ${loginCommand(login, '--no-browser')}`;
  return new Failure({ code: 'device_flow_missing', exit: exitCode.usage, message, remedy });
}

/**
 * The code is to be typed on a page of another site: one that was begun elsewhere can be passed on so, and whoever types
 * it logs a stranger in there. `asked`: the person was asked, and said no.
 */
export function deviceSiteRefused(
  issuer: string,
  site: string,
  about: { readonly login: LoginAsked; readonly asked: boolean },
): Failure {
  const { login, asked } = about;
  const why = asked ? 'and you said no' : 'and nobody is here to say yes to that';
  return new Failure({
    code: 'device_site_refused',
    exit: asked ? exitCode.refused : exitCode.loginNeeded,
    message: `The authorization server ${quoted(issuer)} wants its code typed on another site, ${quoted(site)}, ${why}.`,
    remedy: asked
      ? `To log in without a code, run: ${loginCommand(login, '--no-browser')}`
      : `Run in a terminal: ${loginCommand(login, '--device')}`,
  });
}

export function deviceGrantRefused(refusal: Failure, login: LoginAsked): Failure {
  const other = loginCommand(login, '--no-browser');
  return refusal.withRemedy(`This client may not log in with a code there. Without one, run: ${other}`);
}

const again = 'Log in again and type the new code; for more time add --timeout.';

export function deviceLoginTimedOut(timeoutMs: number): Failure {
  const message = `Timed out after ${Math.round(timeoutMs / 1000)} s: nobody typed the code. It no longer works.`;
  return new Failure({ code: 'login_timed_out', exit: exitCode.network, message, remedy: again });
}

export function deviceCodeExpired(issuer: string): Failure {
  const message = `The code of ${quoted(issuer)} expired before anybody typed it.`;
  return new Failure({ code: 'device_code_expired', exit: exitCode.network, message, remedy: again });
}
