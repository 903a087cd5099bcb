import type { Ports } from '../ports.js';
import type { LoginRecord } from '../primitives/records.js';

/** How long a token is handed out without a look whether its login is still the same: a logout ends it, too. */
export const believedMs = 5_000;

/** What the index tells now of the login for this server and account; undefined when it was ended. */
export async function loginNow(
  ports: Pick<Ports, 'index'>,
  { server, account }: LoginRecord,
): Promise<LoginRecord | undefined> {
  const { logins } = await ports.index.read();
  return logins.find((record) => record.server === server && record.account === account);
}

/** Without another login between them: generations begin anew after a logout, and then somebody else may have logged in. */
export function isOneLogin(one: LoginRecord, other: LoginRecord): boolean {
  return one.key === other.key && one.generation === other.generation && one.obtainedAt === other.obtainedAt;
}
