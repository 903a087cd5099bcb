import type { Failure } from '../core/failure.js';
import { loginCommand } from '../core/login-command.js';
import type { CorePorts } from '../core/ports.js';
import { type ClientKeyRecord, defaultAccount, type LoginRecord, storeInWords } from '../core/records.js';
import { printable, shellWord } from '../core/text/printable.js';
import type { KeptOrphan } from '../stores/orphans.js';
import type { StorePorts } from '../stores/ports.js';
import type { KeysToRegister } from './client/made-keys.js';

/** Entries in their order, those together that failed alike: a store that does not open is told of once. */
export function byFailure<Entry extends { readonly failure: Failure }>(
  entries: readonly Entry[],
): readonly (readonly [Entry, ...Entry[]])[] {
  const groups = new Map<string, [Entry, ...Entry[]]>();
  for (const entry of entries) {
    const { code, message, remedy } = entry.failure;
    const told = JSON.stringify([code, message, remedy]);
    const group = groups.get(told);
    if (group === undefined) groups.set(told, [entry]);
    else group.push(entry);
  }
  return [...groups.values()];
}

/** One login as `status` tells it; never a secret. */
export interface LoginStatus {
  readonly login: LoginRecord;
  readonly state: 'valid' | 'refreshable' | 'expired' | 'dead';
  /** What is wrong, in a sentence; undefined when nothing is. */
  readonly problem: string | undefined;
  /** The command that mends it. */
  readonly remedy: string | undefined;
}

/** Every login, or those of one server; read from the index alone, the store is not touched. */
export async function status(
  ports: Pick<StorePorts, 'index'> & Pick<CorePorts, 'clock'>,
): Promise<readonly LoginStatus[]> {
  const { logins } = await ports.index.read();
  return logins.map((login) => loginStatus(login, ports.clock.now()));
}

/** What is to be said of one login. `now` in milliseconds since 1970. */
export function loginStatus(login: LoginRecord, now: number): LoginStatus {
  const remedy = loginCommand(login);
  if (login.gone === true) return { login, state: 'dead', problem: 'its secret is no longer in its store', remedy };
  if (login.shared === true) {
    const problem = 'an older release kept it together with the login of another server';
    return { login, state: 'dead', problem, remedy };
  }
  if (login.dead === true) {
    const problem = `the authorization server refused ${login.grant === undefined ? 'its refresh token' : 'this client'}`;
    return { login, state: 'dead', problem, remedy };
  }
  if (login.expiresAt === null || login.expiresAt > now) {
    return { login, state: 'valid', problem: undefined, remedy: undefined };
  }
  return login.refreshable
    ? { login, state: 'refreshable', problem: undefined, remedy: undefined }
    : { login, state: 'expired', problem: 'the token has expired and there is no refresh token', remedy };
}

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
      : ([['copy in', `${storeInWords(login.leftIn)}; to end the move: postern move ${login.store}`]] as const)),
    ...(login.resource === login.server ? [] : ([['resource', login.resource]] as const)),
    ...(login.warnings ?? []).map((warning) => ['note', warning] as const),
    ...(status.problem === undefined ? [] : ([['problem', status.problem]] as const)),
    ...(status.remedy === undefined ? [] : ([['to mend it', status.remedy]] as const)),
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(11)} ${printable(value, 600)}`);
  return [printable(`${heading}${account}`, 600), ...lines];
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

/** A span of time as people say it: `45 seconds`, `3 minutes`, `2 hours`, `5 days`; rounded down. */
export function inWords(ms: number): string {
  const units = [
    [24 * 3600, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
  ] as const;
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [size, unit] = units.find(([length]) => seconds >= 2 * length) ?? [1, 'second'];
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** What a person does with the public half of a new key. `login`: the words of the login that is to use it, as typed. */
export function newKeyLines(made: KeysToRegister, login: readonly string[]): readonly string[] {
  const { issuer, clientId, keys, store } = made;
  return [
    `Made a key for the client ${clientId}; its private half is in ${storeInWords(store)}.`,
    `Register what was printed (a JWK Set) for it at ${issuer}, with the method private_key_jwt.`,
    ...(keys.length > 1
      ? [`The first key is the new one; the other ${keys.length - 1} can go once a login has worked with it.`]
      : []),
    `Then run: postern login ${login.map(shellWord).join(' ')} --client-credentials --client-id ${shellWord(clientId)}`,
  ].map((line) => printable(line, 1000));
}

/** A key made here, for a person; nothing secret. */
export function clientKeyLines(record: ClientKeyRecord): readonly string[] {
  const { clientId, issuer, algorithm, keyId, madeAt, store } = record;
  const where = issuer === undefined ? 'for its client metadata document' : `at ${issuer}`;
  const made = new Date(madeAt).toISOString().slice(0, 10);
  return [
    `client key of ${clientId} ${where}`,
    `  key         ${algorithm}, ${keyId}, made ${made}`,
    `  stored in   ${storeInWords(store)}`,
  ].map((line) => printable(line, 1000));
}

export function clientKeyJson(record: ClientKeyRecord): Readonly<Record<string, unknown>> {
  const { clientId, issuer, algorithm, keyId, madeAt, store } = record;
  return {
    clientId,
    issuer: issuer ?? null,
    algorithm,
    keyId,
    madeAt: new Date(madeAt).toISOString(),
    store,
  };
}

/** What a store did not give up. */
export function orphanLines(left: readonly KeptOrphan[]): readonly string[] {
  const stores = [...new Set(left.map(({ item }) => item.store))];
  return stores.flatMap((store) => {
    const groups = byFailure(left.filter(({ item }) => item.store === store));
    return groups.flatMap((alike) => {
      const [{ failure }] = alike;
      const many = `${alike.length} secrets without a login are`;
      const what = alike.length === 1 ? 'a secret without a login is' : many;
      return [
        `Note: ${what} left in ${storeInWords(store)} and could not be removed. ${failure.message}`,
        `      ${failure.remedy} Then run: postern status`,
      ];
    });
  });
}
