import { exitCode, Failure } from '../../core/failure.js';
import { type LoginAsked, loginCommand } from '../../core/login-command.js';
import { quoted } from '../../core/text/printable.js';
import { notShared } from '../failures.js';

export function companyClientMissing(login: LoginAsked, issuer: string): Failure {
  return new Failure({
    code: 'client_identifier_needed',
    exit: exitCode.usage,
    message: `A company’s provider vouches for one client that is known at ${quoted(issuer)}, and none was named.`,
    remedy: `Ask your company’s administrator for its identifier, and run, with --client-secret-stdin if it has a secret: ${loginCommand(login, '--client-id ID')}`,
  });
}

export function providerUnknown(issuer: string, known: readonly string[]): Failure {
  const others = known.length === 0 ? '' : ` You have: ${known.map((one) => quoted(one, 200)).join(', ')}.`;
  return new Failure({
    code: 'login_needed',
    exit: exitCode.loginNeeded,
    message: `There is no login at the company’s provider ${quoted(issuer, 200)}.${others}`,
    remedy: 'To see which logins there are: postern status -l',
  });
}

export function companyNotMoved(store: string): Failure {
  return new Failure({
    ...notShared,
    message: `A login by a company’s provider is one person’s, and stays on this machine: machines share the store ${quoted(store, 200)}.`,
    remedy: 'It works as before. Which logins are for many machines: postern help fleet',
  });
}
