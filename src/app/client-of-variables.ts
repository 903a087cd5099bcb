import type { CommandTable, LooseArguments } from '../core/command.js';
import { isFailure } from '../core/failure.js';

/**
 * A remedy for a job that has a client of its own in its variables, and has not said that it logs in as that: it can, at
 * once, where a person would have to come. Only for a server that was named by its address, as such a login is not kept.
 */
export function withClientOfVariables(
  error: unknown,
  { options }: CommandTable,
  { server, url, clientCredentials }: LooseArguments,
  env: Readonly<Record<string, string | undefined>>,
): unknown {
  const [, toLogIn] = (isFailure(error, 'login_needed') && /^Run: (postern login .+)$/s.exec(error.remedy)) || [];
  const isAble = options.some(({ name }) => name === 'client-credentials') && clientCredentials !== true;
  const isAddress = [server, url].some((word) => typeof word === 'string' && /^https?:\/\//i.test(word));
  if (!isFailure(error) || toLogIn === undefined || !isAble || !isAddress || !env['POSTERN_CLIENT_ID']) return error;
  const issuer = env['POSTERN_AUTHORIZATION_SERVER'] ? '' : ' --authorization-server ISSUER';
  return error.withRemedy(
    `To log in as the client of POSTERN_CLIENT_ID, add --client-credentials${issuer} --store memory. As a person: ${toLogIn}`,
  );
}
