import { type Failure, isFailure } from '../core/failure.js';
import type { LoginMeant } from '../core/login-command.js';
import type { LoginRecord } from '../core/records.js';
import { quotesSecret, type Secret } from '../core/secret.js';
import type { JsonObject } from '../core/text/json.js';
import { printable } from '../core/text/printable.js';
import type { ClientAuthentication } from '../oauth/client-authentication.js';
import { isProofProblem, Proofs, proofRefused, tokenNotBound } from '../oauth/dpop/proofs.js';
import { grantRefused, type RefusedRequest, tokenEndpointFailed, tokenTypeUnusable } from '../oauth/failures.js';
import {
  type FailedToken,
  sendTokenRequest,
  type TokenGrant,
  type TokenResult,
  validateTokenResponse,
} from '../oauth/token.js';
import { assertionRefused, assertionUnusable, checkAssertion } from '../oauth/workload/assertion.js';
import { type KeptAssertion, sourceInWords } from '../stores/assertions.js';
import type { StoredCredential } from '../stores/credential-item.js';
import { currentProofs } from './client-keys.js';
import { nameOwnHost } from './credential-target.js';
import { loginExpired, tokenUnusable } from './failures.js';
import { secretsOf } from './keep-refreshed.js';
import type { TokenPorts } from './read-credential.js';
import type { Refreshes } from './vouch.js';

type Ports = Pick<TokenPorts, 'http' | 'clock' | 'assertions' | 'index' | 'stores' | 'journal'>;

export interface RefreshRequest {
  readonly held: StoredCredential;
  /** Those that are held, or for a login that is asked for again each time, more. */
  readonly scopes: readonly string[];
  readonly login: LoginMeant & Pick<LoginRecord, 'zone' | 'registration'>;
  readonly refresh: Refreshes;
  readonly signal: AbortSignal;
}

/** What came. `explain` makes a refusal say more; `proof` is the credential with the key that was used. */
export interface Asked {
  readonly result: TokenResult;
  readonly explain: (failure: Failure) => Failure;
  readonly proof: StoredCredential;
}

/** A client's own request for a token: as whom, and by which grant. */
export interface OwnRequest {
  readonly client: ClientAuthentication;
  readonly grant: TokenGrant;
  /** Makes a refusal say whose token it was. */
  readonly explain: (failure: Failure) => Failure;
}

type AssertionPorts = Pick<TokenPorts, 'assertions' | 'clock'>;

/** What the token endpoint is asked with. `shown`: further secrets that are sent. */
interface Spending extends OwnRequest {
  readonly shown?: readonly (Secret | undefined)[];
}

/** How a new token is had without a person, by the grant of the login. */
const spendings = { refresh_token: byRefreshToken, client_credentials: byClient, id_jag: byProvider } as const;

/**
 * Asks for a new token without a person: with the refresh token, as the client itself, or by a company's provider. It asks
 * once more with the client's next key where the server does not know the first: authentication comes before anything is spent.
 * @throws Failure of the HTTP client, `assertion_unreadable`, `assertion_unusable`
 */
export async function requestRefresh(ports: Ports, request: RefreshRequest): Promise<Asked> {
  const [first, ...others] = await currentProofs(ports, request.login, request.held);
  let asked = await requestAs(ports, { ...request, held: first });
  for (const held of others) {
    const { result } = asked;
    if (result.ok || result.problem !== 'refused' || result.error !== 'invalid_client') break;
    asked = await requestAs(ports, { ...request, held });
  }
  return asked;
}

async function requestAs(ports: Ports, request: RefreshRequest): Promise<Asked> {
  const { http, clock } = ports;
  const { held, scopes, login, signal } = request;
  const { tokenEndpoint: endpoint, binding, grant: way = 'refresh_token' } = held;
  const spending = await spendings[way](ports, request);
  if ('result' in spending) return spending;
  const { client, grant, explain, shown = [] } = spending;
  // A login that is bound to a key stays so: its refresh token may be bound, too (RFC 9449 section 5).
  const dpop = held.dpopKey && new Proofs(held.dpopKey, clock.now, { isRequired: true });
  const { issuer } = binding;
  await nameOwnHost(http, login.server, endpoint, signal);
  const asked = { endpoint, client, issuer, resource: resourceOf(held), zone: login.zone, dpop, signal };
  const response = await sendTokenRequest(http, asked, grant);
  const sent = [...secretsOf(held), client.assertion, ...shown];
  const context = { now: clock.now(), requested: scopes, sent, dpop };
  return { result: await validateTokenResponse(response, context), explain, proof: held };
}

async function byRefreshToken(_ports: Ports, { held, scopes }: RefreshRequest): Promise<Spending> {
  const { refreshToken } = held;
  if (refreshToken === undefined) throw new Error('a credential without a refresh token is not refreshed');
  return { client: clientOf(held), grant: { refreshToken, scopes }, explain: (failure) => failure };
}

async function byClient(ports: Ports, { held, scopes, signal }: RefreshRequest): Promise<Spending> {
  const request = await ownRequest(ports, clientOf(held), { assertion: held.assertion, scopes, signal });
  return { ...request, shown: 'assertion' in request.grant ? [request.grant.assertion] : [] };
}

/** The provider vouches for the authorization server that the login is bound to, whatever the server names by now. */
async function byProvider(ports: Ports, request: RefreshRequest): Promise<Spending | Asked> {
  const { held, scopes, login, refresh, signal } = request;
  const { provider, providerSecret: secret, binding } = held;
  if (provider === undefined) throw new Error('a login by a company’s provider names that provider');
  const { vouch } = await import('./vouch.js'); // other logins need none of it
  const { issuer: audience, clientId, account } = binding;
  const target = { audience, resource: resourceOf(held), clientId, scopes };
  const vouched = await vouch(ports, { provider, secret, account, target, login, refresh, signal });
  if (!vouched.ok) return { result: vouched.failed, explain: vouched.explain, proof: held };
  const { idJag, explain, sent } = vouched;
  return { client: clientOf(held), grant: { assertion: idJag, scopes }, explain, shown: sent };
}

function clientOf({ authMethod: method, clientSecret: secret, binding }: StoredCredential): ClientAuthentication {
  return { clientId: binding.clientId, method, secret };
}

/** Undefined: a person chose to ask for none. */
function resourceOf({ requestedResource: chosen, binding }: StoredCredential): string | undefined {
  return chosen === undefined ? binding.resource : (chosen ?? undefined);
}

/** The failure for a response that gives no token. */
export function tokenFailure(failed: FailedToken, issuer: string): Failure {
  switch (failed.problem) {
    case 'refused':
      return isProofProblem(failed.error)
        ? proofRefused(issuer, { problem: failed.error, skew: failed.skew, said: failed.said })
        : grantRefused(issuer, failed);
    case 'transient':
      return tokenEndpointFailed(issuer, failed);
    case 'type':
      return tokenTypeUnusable(issuer, failed.found);
    case 'unbound':
      return tokenNotBound(issuer);
    case 'unusable':
      return tokenUnusable(issuer, failed.why);
  }
}

/** What was said at a refusal, for the list of logins, which others can read. */
export function refusalToKeep({ error, status, said }: RefusedRequest, held: StoredCredential): string {
  const all = [error || String(status), said].filter(Boolean).join(': ');
  return quotesSecret(all, secretsOf(held)) ? error : printable(all, 200);
}

/** The refresh token was refused for good. @param said As it is kept; undefined: it was not. */
export function refreshRefused(login: LoginMeant, said: string | undefined, cause?: Failure): Failure {
  return loginExpired(login, `the authorization server refused to refresh it${said ? ` (${said})` : ''}`, cause);
}

/**
 * What a client's own login asks with: its secret or key, or the platform's token, which is read again each time.
 * @throws Failure `assertion_unreadable`, `assertion_unusable`; the signal's reason
 */
export async function ownRequest(
  ports: AssertionPorts,
  client: ClientAuthentication,
  by: {
    readonly assertion: KeptAssertion | undefined;
    readonly scopes: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<OwnRequest> {
  const { assertion: kept, scopes, signal } = by;
  if (kept === undefined) return { client, grant: { client: 'itself', scopes }, explain: (failure) => failure };
  const { token, claims } = await readAssertion(ports, kept, signal);
  const explain = (failure: Failure) => explained(failure, kept, claims);
  if (kept.use === 'grant') return { client, grant: { assertion: token, scopes }, explain };
  return { client: { ...client, assertion: token }, grant: { client: 'itself', scopes }, explain };
}

/** The client with what it authenticates with now, for requests that are none for a token. @throws as `ownRequest` */
export async function provenClient(
  ports: AssertionPorts,
  client: ClientAuthentication,
  kept: KeptAssertion | undefined,
  signal: AbortSignal,
): Promise<ClientAuthentication> {
  if (kept?.use !== 'client') return client;
  const { token } = await readAssertion(ports, kept, signal);
  return { ...client, assertion: token };
}

async function readAssertion(
  { assertions, clock }: AssertionPorts,
  { source, audience }: KeptAssertion,
  signal: AbortSignal,
) {
  const token = await assertions.read(source, signal);
  const checked = checkAssertion(token, { audience, now: clock.now() });
  if (!checked.ok) throw assertionUnusable(sourceInWords(source), checked, audience);
  return { token, claims: checked.claims };
}

/** Refusals of who asks; others say what is wrong themselves. */
function explained(failure: Failure, { source }: KeptAssertion, claims: JsonObject): Failure {
  return isFailure(failure, 'invalid_client', 'invalid_grant', 'unauthorized_client', 'grant_refused')
    ? assertionRefused(failure, sourceInWords(source), claims)
    : failure;
}
