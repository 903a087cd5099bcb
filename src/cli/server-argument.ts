import { serverUnusable } from '../errors/usage.js';
import type { Ports } from '../ports.js';
import { closest } from '../primitives/closest.js';
import { defaultAccount } from '../primitives/records.js';
import { canonicalResource } from '../primitives/resource.js';

/** The server that `login` is for, and whose login. */
export interface LoginTarget {
  readonly server: string;
  readonly account: string;
}

/**
 * Reads the server argument of `login`: the name of a login made before, or a server's URL, made canonical.
 * @throws Failure `server_unusable` with a "did you mean" where a name is close, or the index's
 */
export async function readLoginTarget(
  ports: Pick<Ports, 'index'>,
  argument: string,
  account: string,
): Promise<LoginTarget> {
  const { logins } = await ports.index.read();
  const named = logins.find(({ name }) => name === argument);
  if (named !== undefined) {
    return { server: named.server, account: account === defaultAccount ? named.account : account };
  }
  const canonical = canonicalResource(argument);
  if (canonical.ok) {
    return { server: canonical.value, account };
  }
  const names = logins.flatMap(({ name }) => name ?? []);
  throw serverUnusable(argument, canonical.problem, closest(argument, names));
}
