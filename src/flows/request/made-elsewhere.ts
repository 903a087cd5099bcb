import type { Ports } from '../../ports.js';
import type { LoginRecord } from '../../primitives/records.js';

/** A person's login for the same server and account that another process has made since this one was read. */
export async function madeElsewhere(
  ports: Pick<Ports, 'index'>,
  { server, account, key, generation }: LoginRecord,
): Promise<LoginRecord | undefined> {
  const { logins } = await ports.index.read();
  return logins.find(
    (one) =>
      one.server === server &&
      one.account === account &&
      one.dead !== true &&
      one.grant === undefined &&
      (one.key !== key || one.generation !== generation),
  );
}
