import type { Failure } from '../core/failure.js';
import { loginCommand } from '../core/login-command.js';
import { type ClientKeyRecord, defaultAccount, type LoginRecord, storeInWords } from '../core/records.js';
import { counted, printable, shellWord } from '../core/text/printable.js';
import type { KeptOrphan } from '../stores/orphans.js';
import type { KeysToRegister } from './client/made-keys.js';

/** Entries in their order, those together that failed alike: a store that does not open is reported once. */
export function byFailure<Entry extends { readonly failure: Failure }>(
  entries: readonly Entry[],
): readonly (readonly [Entry, ...Entry[]])[] {
  const groups = new Map<string, [Entry, ...Entry[]]>();
  for (const entry of entries) {
    const text = JSON.stringify(failureJson(entry.failure));
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [entry]);
    else group.push(entry);
  }
  return [...groups.values()];
}

export function failureJson({ code, message, remedy }: Failure) {
  return { code, message, remedy };
}

/** One login as `status` shows it; never a secret. */
export interface LoginStatus {
  readonly login: LoginRecord;
  readonly state: 'valid' | 'refreshable' | 'expired' | 'dead';
  /** What is wrong, in a sentence; undefined when nothing is. */
  readonly problem: string | undefined;
  /** The command that repairs it. */
  readonly remedy: string | undefined;
}

/** What is to be said of one login. `now` in milliseconds since 1970. */
export function loginStatus(login: LoginRecord, now: number): LoginStatus {
  const broken = (state: 'dead' | 'expired', problem: string) => ({
    login,
    state,
    problem,
    remedy: loginCommand(login),
  });
  if (login.gone === true) return broken('dead', 'its secret is no longer in its store');
  if (login.shared === true)
    return broken('dead', 'an older release kept it together with the login of another server');
  if (login.dead === true) {
    const refused = login.grant === undefined ? 'its refresh token' : 'this client';
    return broken('dead', `the authorization server refused ${refused}`);
  }
  const fine = { login, problem: undefined, remedy: undefined };
  if (login.expiresAt === null || login.expiresAt > now) return { ...fine, state: 'valid' };
  return login.refreshable
    ? { ...fine, state: 'refreshable' }
    : broken('expired', 'the token has expired and there is no refresh token');
}

const accountOf = ({ account }: LoginRecord) => (account === defaultAccount ? '' : ` (account ${account})`);

/** What a person calls a login: its name, else its server, and the account where that is not the usual one. */
export function fullName(login: LoginRecord): string {
  return `${login.name ?? login.server}${accountOf(login)}`;
}

/** One login for a person, a few lines, nothing secret. `now` in milliseconds since 1970. */
export function loginLines(status: LoginStatus, now: number): readonly string[] {
  const { login, problem, remedy } = status;
  const { leftIn, identity } = login;
  const heading = login.name === undefined ? login.server : `${login.name}  ${login.server}`;
  const copy = leftIn && `${storeInWords(leftIn)}; to end the move: postern move ${login.store}`;
  const rows: readonly (readonly [name: string, value: string | undefined])[] = [
    ['state', stateInWords(status, now)],
    ['signed in', identity && `as ${identity}`],
    ['scopes', login.scopes.length === 0 ? 'those given by default' : login.scopes.join(' ')],
    ['issuer', login.issuer],
    ['client', `${login.clientId} (${wayInWords[login.registration]})`],
    ['stored in', storeInWords(login.store)],
    ['copy in', copy],
    ['resource', login.resource === login.server ? undefined : login.resource],
    ...(login.warnings ?? []).map((warning) => ['note', warning] as const),
    ['problem', problem],
    ['to mend it', remedy],
  ];
  const lines = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name.padEnd(11)} ${printable(value, 600)}`],
  );
  return [printable(`${heading}${accountOf(login)}`, 600), ...lines];
}

const wayInWords = {
  preregistered: 'registered by hand',
  metadata: 'metadata document',
  dynamic: 'registered by itself',
  ask: 'registered by hand',
} as const;

function stateInWords({ login, state }: LoginStatus, now: number): string {
  const { expiresAt, refreshable } = login;
  switch (state) {
    case 'valid': {
      const span = expiresAt === null ? '' : ` for ${inWords(expiresAt - now)}`;
      return `valid${span}${refreshable ? ', refreshed by itself' : ''}`;
    }
    case 'refreshable':
      return 'valid, refreshed at the next use';
    case 'expired':
      return `expired ${inWords(now - (expiresAt ?? now))} ago`;
    case 'dead':
      return 'no longer valid';
  }
}

export const dateOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString());

/** One login as JSON; the same names whatever command prints it, and nothing secret. */
export function loginJson({ login, state, problem, remedy }: LoginStatus): Readonly<Record<string, unknown>> {
  return {
    name: login.name ?? null,
    server: login.server,
    account: login.account,
    identity: login.identity ?? null,
    state,
    resource: login.resource,
    issuer: login.issuer,
    clientId: login.clientId,
    registration: login.registration,
    scopes: login.scopes,
    expiresAt: dateOrNull(login.expiresAt),
    refreshable: login.refreshable,
    store: login.store,
    warnings: login.warnings ?? [],
    problem: problem ?? null,
    remedy: remedy ?? null,
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
  return counted(Math.floor(seconds / size), unit);
}

/** What a person does with the public half of a new key. `login`: the words of the login that is to use it, as typed. */
export function newKeyLines(made: KeysToRegister, login: readonly string[]): readonly string[] {
  const { issuer, clientId, keys, store } = made;
  const others = `The first key is the new one; the other ${keys.length - 1} can go once a login has worked with it.`;
  return [
    `Made a key for the client ${clientId}; its private half is in ${storeInWords(store)}.`,
    `Register what was printed (a JWK Set) for it at ${issuer}, with the method private_key_jwt.`,
    ...(keys.length > 1 ? [others] : []),
    `Then run: postern login ${login.map(shellWord).join(' ')} --client-credentials --client-id ${shellWord(clientId)}`,
  ].map((line) => printable(line, 1000));
}

/** A key made here, for a person; nothing secret. */
export function clientKeyLines(record: ClientKeyRecord): readonly string[] {
  const { clientId, issuer, algorithm, keyId, madeAt, store } = record;
  const where = issuer === undefined ? 'for its client metadata document' : `at ${issuer}`;
  return [
    `client key of ${clientId} ${where}`,
    `  key         ${algorithm}, ${keyId}, made ${new Date(madeAt).toISOString().slice(0, 10)}`,
    `  stored in   ${storeInWords(store)}`,
  ].map((line) => printable(line, 1000));
}

export function clientKeyJson(record: ClientKeyRecord): Readonly<Record<string, unknown>> {
  const { clientId, issuer = null, algorithm, keyId, madeAt, store } = record;
  return { clientId, issuer, algorithm, keyId, madeAt: dateOrNull(madeAt), store };
}

/** What a store did not give up. */
export function orphanLines(kept: readonly KeptOrphan[]): readonly string[] {
  const stores = [...new Set(kept.map(({ item }) => item.store))];
  return stores.flatMap((store) =>
    byFailure(kept.filter(({ item }) => item.store === store)).flatMap((alike) => {
      const [{ failure }] = alike;
      const what = alike.length === 1 ? 'a secret without a login is' : `${alike.length} secrets without a login are`;
      return [
        `Note: ${what} left in ${storeInWords(store)} and could not be removed. ${failure.message}`,
        `      ${failure.remedy} Then run: postern status`,
      ];
    }),
  );
}
