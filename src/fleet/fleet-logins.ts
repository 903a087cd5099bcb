import type { LoginRecord, StoreKind } from '../core/records.js';
import { printable } from '../core/text/printable.js';
import { splitUrl } from '../core/url.js';
import type { StorePorts } from '../stores/ports.js';
import type { TokenPorts } from '../tokens/token-request.js';
import { validToken } from '../tokens/valid-token.js';
import type { FleetLogins, KeptLogin } from './ports.js';

/**
 * The logins of the index, and how they are refreshed: as every command of ours does it.
 * @param store Only those that are kept there. @param isMeant Only those that are named.
 */
export function createFleetLogins(
  ports: TokenPorts & Pick<StorePorts, 'index'>,
  store: StoreKind | undefined,
  isMeant: (login: LoginRecord) => boolean,
): FleetLogins {
  const recordsOf = async () => {
    const { logins } = await ports.index.read();
    return logins.filter((login) => (store === undefined || login.store === store) && isMeant(login));
  };
  return {
    list: async () => {
      if (store !== undefined) await ports.index.adopt?.(store);
      return labelled(await recordsOf());
    },
    refresh: async ({ key }, minLifeMs, signal) => {
      const login = (await recordsOf()).find((record) => record.key === key);
      if (login === undefined) return { expiresAt: null, obtainedAt: 0 }; // gone meanwhile: the next list is without it
      const { expiresAt, obtainedAt } = await validToken(ports, { login, minLifeMs, signal });
      return { expiresAt, obtainedAt };
    },
  };
}

function labelled(records: readonly LoginRecord[]): readonly KeptLogin[] {
  const taken = new Set<string>();
  return records.map((record) => {
    const base = record.name ?? addressOf(record.server);
    let label = base;
    for (let count = 2; taken.has(label); count += 1) label = `${base} (${count})`;
    taken.add(label);
    const { key, expiresAt, obtainedAt } = record;
    return { key, label, expiresAt, obtainedAt, state: stateOf(record) };
  });
}

function stateOf({ dead, gone, refreshable, grant }: LoginRecord): KeptLogin['state'] {
  if (dead === true || gone === true) return 'ended';
  return refreshable || grant === 'client_credentials' ? 'kept' : 'unrefreshable';
}

/** A query may hold a key of the server's. */
function addressOf(server: string): string {
  const { scheme = '', host = '', port = '', path = '' } = splitUrl(server) ?? {};
  return printable(`${scheme}://${host}${port === '' ? '' : `:${port}`}${path}`, 200);
}
