import { tooManyLogins } from '../../errors/state.js';
import type { LoginRecord } from '../../primitives/records.js';

/** Half of what the index may hold, so that what is noted of these has room, too; reading it takes 30 ms. */
export const mostLogins = 1000;

/**
 * The login of this server and account, which a new one replaces. Where there is none, one more must have its place,
 * which is checked before anything is sent.
 * @throws Failure `too_many_logins`
 */
export function loginToReplace(
  logins: readonly LoginRecord[],
  wanted: { readonly server: string; readonly account: string },
): LoginRecord | undefined {
  const held = logins.find(({ server, account }) => server === wanted.server && account === wanted.account);
  if (held === undefined && logins.length >= mostLogins) throw tooManyLogins(mostLogins);
  return held;
}
