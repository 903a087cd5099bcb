import { nameTaken, nameUnusable } from '../../errors/usage.js';
import type { LoginRecord } from '../../primitives/records.js';

/** What `--name` takes: it stands in command lines, so nothing that a shell or a path could read as something else. */
const namePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/**
 * Checks `--name` before anything is sent.
 * @throws Failure `name_unusable`, `name_taken`
 */
export function checkName(
  wanted: { readonly name: string | undefined; readonly server: string; readonly account: string },
  logins: readonly LoginRecord[],
): void {
  const { name, server, account } = wanted;
  if (name === undefined) {
    return;
  }
  if (!namePattern.test(name)) {
    throw nameUnusable(name);
  }
  const other = logins.find(
    (login) => login.name === name && (login.server !== server || login.account !== account),
  );
  if (other !== undefined) {
    throw nameTaken(name, other.server, other.account);
  }
}
