import { loginCommand } from '../../core/login-command.js';
import type { BrokenLogin, Clock } from '../../core/ports.js';
import { defaultAccount, type LoginRecord, type ProviderRecord, storeInWords } from '../../core/records.js';
import { columnsOf, commandLine, inColumnsOrStacked, withBrokenWords, wrapped } from '../../core/text/layout.js';
import { type Look, plainLook, toned } from '../../core/text/look.js';
import { printable } from '../../core/text/printable.js';
import { providerResource } from '../../stores/credential-item.js';
import type { StorePorts } from '../../stores/ports.js';
import { isLoginAt } from '../../tokens/vouch.js';
import { dateOrNull, endOfLogin, inWords, lastsInWords } from './render.js';

/** One login as `status` shows it; never a secret. */
export interface LoginStatus {
  readonly login: LoginRecord;
  readonly state: 'valid' | 'refreshable' | 'expired' | 'dead';
  readonly problem: string | undefined;
  readonly remedy: string | undefined;
}

/**
 * What is to be said of one login. `now` in milliseconds since 1970.
 * @param providers The logins at companies' providers: one that hangs on one that has ended gets no other token.
 */
export function loginStatus(login: LoginRecord, now: number, providers: readonly ProviderRecord[] = []): LoginStatus {
  const broken = (state: 'dead' | 'expired', problem: string) => ({
    login,
    state,
    problem,
    remedy: loginCommand(login),
  });
  if (login.gone === true) return broken('dead', 'its secret is no longer in its store');
  if (login.dead === true) {
    const refused = login.grant === undefined ? 'its refresh token' : 'this client';
    const why = login.refusal === undefined ? '' : ` (${login.refusal})`;
    return broken('dead', `the authorization server refused ${refused}${why}`);
  }
  const fine = { login, problem: undefined, remedy: undefined };
  if (login.expiresAt === null || login.expiresAt > now) return { ...fine, state: 'valid' };
  if (endOfLogin(login, now)?.at === 'past') return broken('expired', 'the token and its refresh token have expired');
  const isOrphaned = providers.some((one) => hangsOn(login, one) && (one.dead === true || one.gone === true));
  if (isOrphaned) return broken('expired', 'the token has expired, and the login at the company’s provider has ended');
  return login.refreshable
    ? { ...fine, state: 'refreshable' }
    : broken('expired', 'the token has expired and there is no refresh token');
}

/** Does this login get its tokens by that login at a company's provider? */
export function hangsOn({ provider, account }: LoginRecord, record: ProviderRecord): boolean {
  return (
    provider !== undefined &&
    provider.tokenFile === undefined &&
    isLoginAt(record, provider) &&
    account === record.account
  );
}

const isProvider = ({ resource }: LoginRecord) => resource === providerResource;

const accountOf = ({ account }: LoginRecord) => (account === defaultAccount ? '' : ` (account ${account})`);

/** What a person calls a login: its name, else its server, and the account where that is another word, and not the usual one. */
export function fullName(login: LoginRecord): string {
  return login.name !== undefined && login.name === login.account
    ? login.name
    : `${login.name ?? login.server}${accountOf(login)}`;
}

/** Who logged in, as far as is known, and with which account where that is not the usual one. */
export function whoOf({ name, identity, account }: LoginRecord): string {
  if (account === defaultAccount || (identity !== undefined && account === name)) return identity ?? '';
  return identity === undefined ? `account ${account}` : `${identity}, account ${account}`;
}

export function needsPerson({ state }: LoginStatus): boolean {
  return state === 'expired' || state === 'dead';
}

export async function brokenLogins({
  index,
  clock,
}: Pick<StorePorts, 'index'> & { readonly clock: Clock }): Promise<readonly BrokenLogin[]> {
  const { logins, providers } = await index.read();
  return logins.flatMap((login) => {
    const status = loginStatus(login, clock.now(), providers);
    const { problem, remedy } = status;
    return needsPerson(status) && problem !== undefined && remedy !== undefined
      ? { name: fullName(login), problem, remedy }
      : [];
  });
}

export function loginLines(
  status: LoginStatus,
  now: number,
  look: Look,
  more: readonly LabelledRow[] = [],
): readonly string[] {
  const { login, problem, remedy } = status;
  const { leftIn, identity, clientName: name = '' } = login;
  const copy = leftIn && `${storeInWords(leftIn)}; to end the move: postern move ${login.store}`;
  const isGiven = login.store === 'environment';
  const rows: readonly LabelledRow[] = [
    ['state', stateInWords(status, now)],
    ['signed in', identity && `as ${identity}`],
    ['scopes', isGiven ? undefined : login.scopes.length === 0 ? 'those given by default' : login.scopes.join(' ')],
    ['issuer', isGiven ? undefined : login.issuer],
    ['client', isGiven ? undefined : `${login.clientId} (${wayInWords[login.registration]}${name && ` as “${name}”`})`],
    ['logs in', assertionInWords(login) ?? providerInWords(login)],
    ['browser', browserInWords(login)],
    ['token', tokenInWords(login)],
    ['headers', login.headerNames?.join(', ')],
    ['stored in', isGiven ? undefined : storeInWords(login.store)],
    ['copy in', copy],
    ['resource', resourceInWords(login)],
    ['lasts', lastsInWords(login, now)],
    ['asks with', login.authorizationParams?.join(', ')],
    ['revision', login.legacy && new URL(login.server).origin === login.issuer ? '2025-03-26 (--legacy)' : undefined],
    ...(login.warnings ?? []).map((warning) => ['note', warning] as const),
    ['problem', problem],
    ['to fix it', remedy],
    ...more,
  ];
  const kind = isProvider(login) ? ' (a company’s provider)' : '';
  const server = printable(`${login.server}${kind}${accountOf(login)}`, 600);
  const heading = login.name === undefined ? [server] : [toned(look, 'name', printable(login.name, 80)), server];
  const head = look === plainLook ? [heading.join('  ')] : inColumnsOrStacked(look, [heading]);
  return [...head, ...labelledLines(look, rows)];
}

export type LabelledRow = readonly [name: string, value: string | undefined];

/** Rows of a name and a value; those without a value are left out. A terminal's lines are wrapped, a command to be copied is not. */
export function labelledLines(look: Look, rows: readonly LabelledRow[]): readonly string[] {
  return rows.flatMap(([name, value]) => {
    if (value === undefined) return [];
    const label = `  ${name.padEnd(11)} `;
    const text = printable(value, 600);
    const room = look.width - label.length;
    const [, advice, command] = /^(?:(.+:) )?(postern [^;]+)$/s.exec(text) ?? [];
    if (look !== plainLook && command !== undefined && columnsOf(text) > room) {
      const above =
        advice === undefined ? [toned(look, 'dim', label.trimEnd())] : labelledLines(look, [[name, advice]]);
      return [...above, commandLine(command, look.width, indentBelow)];
    }
    const words = text.split(' ');
    if (look !== plainLook && Math.max(...words.map(columnsOf)) > room) {
      const broken = withBrokenWords(text, look.width - indentBelow);
      return [toned(look, 'dim', label.trimEnd()), ...wrapped(broken, look.width, indentBelow)];
    }
    const [first = '', ...others] = look === plainLook ? [text] : wrapped(text, look.width, label.length, 0);
    return [`${toned(look, 'dim', label)}${first.trimStart()}`, ...others];
  });
}

/** Where a value stands that has no room beside its label. */
const indentBelow = 4;

/** What its tokens are asked for; undefined: for the very address of its server. */
function resourceInWords(login: LoginRecord): string | undefined {
  if (isProvider(login)) return undefined;
  const { requestedResource, resource, server } = login;
  if (requestedResource === null) return 'none is asked for (--no-resource)';
  if (requestedResource !== undefined) return `${requestedResource} (--resource)`;
  return resource === server ? undefined : resource;
}

export function isBound({ dpop }: LoginRecord): boolean {
  return dpop === 'bound' || dpop === 'demanded';
}

/** What its tokens are bound to; undefined: Bearer tokens, as nobody said otherwise. */
function tokenInWords({ dpop }: LoginRecord): string | undefined {
  if (dpop === 'never') return 'Bearer (--no-dpop)';
  return dpop && `bound to a key in its store (DPoP${dpop === 'demanded' ? ', --dpop' : ''})`;
}

export function browserInWords({ browser }: LoginRecord): string | undefined {
  if (browser === undefined) return undefined;
  return browser.profile === undefined ? browser.program : `${browser.program}, profile “${browser.profile}”`;
}

const wayInWords = {
  preregistered: 'registered by hand',
  metadata: 'metadata document',
  dynamic: 'registered by itself',
  ask: 'registered by hand',
} as const;

function assertionInWords({ assertion }: LoginRecord): string | undefined {
  if (assertion === undefined) return undefined;
  const { from, name, use } = assertion;
  return `by the platform’s token from the ${from} ${name}, ${use === 'grant' ? 'exchanged (jwt-bearer)' : 'as the client (private_key_jwt)'}`;
}

function providerInWords({ provider }: LoginRecord): string | undefined {
  if (provider === undefined) return undefined;
  const { issuer, clientId, tokenFile } = provider;
  return `by the company’s provider ${issuer}, as its client ${clientId}${tokenFile === undefined ? '' : `, ID token from ${tokenFile}`}`;
}

export function stateInWords({ login, state }: LoginStatus, now: number): string {
  const { expiresAt, refreshable } = login;
  if (login.store === 'environment') return 'from POSTERN_TOKEN: used for this very address, never refreshed or stored';
  switch (state) {
    case 'valid': {
      const span = expiresAt === null ? '' : ` for ${inWords(expiresAt - now)}`;
      if (refreshable) return `valid${span}, refreshed by itself`;
      return expiresAt === null ? 'valid' : `valid${span}, then it ends for good: no refresh token came`;
    }
    case 'refreshable':
      return 'valid, refreshed at the next use';
    case 'expired':
      return `expired ${inWords(now - (expiresAt ?? now))} ago`;
    case 'dead':
      return 'no longer valid';
  }
}

/** One login as JSON; the same names whatever command prints it, and nothing secret. */
export function loginJson({ login, state, problem, remedy }: LoginStatus): Readonly<Record<string, unknown>> {
  return {
    name: login.name ?? null,
    server: login.server,
    account: login.account,
    identity: login.identity ?? null,
    state,
    resource: login.resource,
    tokenType: isBound(login) ? 'DPoP' : 'Bearer',
    requestedResource: login.requestedResource === undefined ? login.resource : login.requestedResource,
    authorizationParams: login.authorizationParams ?? [],
    ...(login.store === 'environment'
      ? { issuer: null, clientId: null, registration: null }
      : { issuer: login.issuer, clientId: login.clientId, registration: login.registration }),
    scopes: login.scopes,
    expiresAt: dateOrNull(login.expiresAt),
    refreshExpiresAt: dateOrNull(login.refreshExpiresAt ?? null),
    authorizationExpiresAt: dateOrNull(login.authorizationExpiresAt ?? null),
    refreshable: login.refreshable,
    store: login.store,
    legacy: login.legacy === true,
    headers: login.headerNames ?? [],
    clientName: login.clientName ?? null,
    assertion: login.assertion ?? null,
    provider: login.provider === undefined ? null : { tokenFile: null, ...login.provider },
    browser:
      login.browser === undefined ? null : { program: login.browser.program, profile: login.browser.profile ?? null },
    warnings: login.warnings ?? [],
    problem: problem ?? null,
    remedy: remedy ?? null,
  };
}
