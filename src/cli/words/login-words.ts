import type { LoginStatus } from '../../flows/status.js';
import { printable } from '../../primitives/printable.js';
import { defaultAccount, type LoginRecord, type StoreKind } from '../../primitives/records.js';
import { inWords } from './duration.js';

/** How a login is called in commands: its name, else its server. */
export function callName(login: Pick<LoginRecord, 'name' | 'server'>): string {
  return login.name ?? login.server;
}

/** One login for a person, a few lines, nothing secret. `now` in milliseconds since 1970. */
export function loginLines(status: LoginStatus, now: number): readonly string[] {
  const { login } = status;
  const account = login.account === defaultAccount ? '' : ` (account ${login.account})`;
  const heading = login.name === undefined ? login.server : `${login.name}  ${login.server}`;
  const rows: readonly (readonly [string, string])[] = [
    ['state', stateInWords(status, now)],
    ...(login.identity === undefined ? [] : ([['signed in', `as ${login.identity}`]] as const)),
    ['scopes', login.scopes.length === 0 ? 'those given by default' : login.scopes.join(' ')],
    ['issuer', login.issuer],
    ['client', `${login.clientId} (${wayInWords[login.registration]})`],
    ['stored in', storeInWords(login.store)],
    ...(login.leftIn === undefined
      ? []
      : ([
          ['copy in', `${storeInWords(login.leftIn)}; to end the move: postern move ${login.store}`],
        ] as const)),
    ...(login.resource === login.server ? [] : ([['resource', login.resource]] as const)),
    ...(login.warnings ?? []).map((warning) => ['note', warning] as const),
    ...(status.problem === undefined ? [] : ([['problem', status.problem]] as const)),
    ...(status.remedy === undefined ? [] : ([['to mend it', status.remedy]] as const)),
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(11)} ${printable(value, 600)}`);
  return [printable(`${heading}${account}`, 600), ...lines];
}

/** A store, as a person is told of it. */
export function storeInWords(kind: StoreKind): string {
  switch (kind) {
    case 'keychain':
      return 'the keychain';
    case 'file':
      return 'a sealed file (--store file)';
    case 'memory':
      return 'memory, for this process only';
    default:
      return `docker-credential-${kind.slice('helper:'.length)} (--store ${kind})`;
  }
}

const wayInWords = {
  preregistered: 'registered by hand',
  metadata: 'metadata document',
  dynamic: 'registered by itself',
  ask: 'registered by hand',
} as const;

function stateInWords(status: LoginStatus, now: number): string {
  const { expiresAt, refreshable } = status.login;
  const renewal = refreshable ? ', refreshed by itself' : '';
  switch (status.state) {
    case 'valid':
      return expiresAt === null ? `valid${renewal}` : `valid for ${inWords(expiresAt - now)}${renewal}`;
    case 'refreshable':
      return 'valid, refreshed at the next use';
    case 'expired':
      return `expired ${inWords(now - (expiresAt ?? now))} ago`;
    case 'dead':
      return 'no longer valid';
  }
}

/** One login as JSON; the same names whatever command prints it, and nothing secret. */
export function loginJson(status: LoginStatus): Readonly<Record<string, unknown>> {
  const { login } = status;
  return {
    name: login.name ?? null,
    server: login.server,
    account: login.account,
    identity: login.identity ?? null,
    state: status.state,
    resource: login.resource,
    issuer: login.issuer,
    clientId: login.clientId,
    registration: login.registration,
    scopes: login.scopes,
    expiresAt: login.expiresAt === null ? null : new Date(login.expiresAt).toISOString(),
    refreshable: login.refreshable,
    store: login.store,
    warnings: login.warnings ?? [],
    problem: status.problem ?? null,
    remedy: status.remedy ?? null,
  };
}
