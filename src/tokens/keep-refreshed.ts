import { ignoreFailure, isFailure } from '../core/failure.js';
import { defined, type LoginRecord } from '../core/records.js';
import { Secret } from '../core/secret.js';
import { parseObject } from '../core/text/json.js';
import { endsOf } from '../core/time.js';
import type { HttpClient, HttpRequest, HttpResponse } from '../http/request.js';
import { endOfIdToken, identityIn, idTokenProblem } from '../oauth/id-token.js';
import { type IssuedToken, validateTokenResponse } from '../oauth/token.js';
import { encodeCredential, type StoredCredential } from '../stores/credential-item.js';
import type { StorePorts } from '../stores/ports.js';
import type { BegunRefresh } from '../stores/state/recovery.js';
import { refreshNotStored } from './failures.js';
import { type TokenPorts, tryUpdate, type ValidTokenRequest, withLogin } from './read-credential.js';

/** How often a refreshed credential is tried to be written, with growing pauses. */
const maxWrites = 3;

const writePauseMs = 200;

/** The credential that a token follows on, with that token in it. No refresh token goes round a grant that is asked for each time. */
export function refreshed(held: StoredCredential, token: IssuedToken): StoredCredential {
  if (held.holds !== undefined) return refreshedAtProvider(held, token);
  const { accessToken, expiresAt, obtainedAt, scopes } = token;
  const refreshToken = held.grant === undefined ? (token.refreshToken ?? held.refreshToken) : undefined;
  const { refreshExpiresAt: before, ...kept } = held;
  // Another refresh token of which nothing is said ends nobody knows when; the end of the whole stays.
  const isSame = token.refreshToken === undefined && before !== undefined;
  const ends = { ...(isSame ? { refreshExpiresAt: before } : {}), ...endsOf(token) };
  const rest = { ...kept, ...ends, accessToken, expiresAt, obtainedAt, scopes };
  return refreshToken === undefined ? rest : { ...rest, refreshToken };
}

/**
 * The same for a login at a company's provider, of which the ID token counts. Where a refresh brings none (OpenID Connect Core
 * 1.0, section 12.2), the refresh token is what its exchange is shown.
 */
function refreshedAtProvider(
  held: StoredCredential,
  { idToken, refreshToken, obtainedAt }: IssuedToken,
): StoredCredential {
  const newest = refreshToken ?? held.refreshToken;
  const rest = { ...held, obtainedAt, ...(newest === undefined ? {} : { refreshToken: newest }) };
  if (idToken === undefined) return { ...rest, holds: 'refresh_token', expiresAt: null };
  return { ...rest, holds: 'id_token', accessToken: idToken, expiresAt: endOfIdToken(idToken) ?? null };
}

/** Secrets that the token endpoint was sent, and could send back. */
export function secretsOf({ accessToken, refreshToken, clientSecret, providerSecret, dpopKey }: StoredCredential) {
  return [accessToken, refreshToken, clientSecret, providerSecret, dpopKey];
}

/**
 * A HTTP client that hands the body of each response that may have a token to `seal` before anything reads it.
 * @param beforeBody The last thing before the refresh token leaves.
 */
export function sealing(
  http: HttpClient,
  {
    seal,
    beforeBody,
  }: { readonly seal: (body: Uint8Array) => Promise<void>; readonly beforeBody: HttpRequest['beforeBody'] | undefined },
): HttpClient {
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const response = await http.send({ ...request, ...defined({ beforeBody }) });
    const bytes = async () => {
      const body = await response.bytes();
      if (response.status === 200) await seal(body);
      return body;
    };
    return { ...response, bytes };
  };
  return { ...http, send };
}

/**
 * Seals what cannot be had again, as it came, before anything else is done with it: the authorization server may have taken
 * the old refresh token back by now, and this process may be killed at any moment.
 * @returns Whether it is on the disk for good; where the disk fails, or nothing was spent, the store alone has to do
 */
export async function sealResponse(
  room: BegunRefresh,
  { generation }: StoredCredential,
  { body, now }: { readonly body: Uint8Array; readonly now: number },
): Promise<boolean> {
  const item = new Secret(JSON.stringify({ response: Buffer.from(body).toString('base64'), now, generation }));
  try {
    const kept = room.keep(item);
    await kept;
    return kept !== undefined;
  } catch (error) {
    ignoreFailure(error);
    return false;
  }
}

/** The credential that a sealed response makes of the stored one; undefined for one that makes none. */
async function credentialIn(item: Secret, stored: StoredCredential): Promise<StoredCredential | undefined> {
  const { response: body, now, generation } = parseObject(item.reveal()) ?? {};
  if (typeof body !== 'string' || typeof now !== 'number' || generation !== stored.generation) return undefined;
  const response = new Response(Buffer.from(body, 'base64'));
  const dpop = stored.dpopKey && { key: stored.dpopKey, isRequired: true };
  const context = { now, requested: stored.scopes, sent: secretsOf(stored), dpop };
  const result = await validateTokenResponse(response, context);
  return result.ok && whyNotOurs(stored, result.token) === undefined ? refreshed(stored, result.token) : undefined;
}

/**
 * Why the token of a refresh is not used (OpenID Connect Core 1.0, section 12.2): it is not for the subject of the login, or,
 * at a company's provider, its ID token is none for us. Undefined: it is. Ends a sentence.
 */
export function whyNotOurs(held: StoredCredential, { idToken, obtainedAt }: IssuedToken): string | undefined {
  const { binding, subject, grant, holds } = held;
  // Where a company's provider vouches, it is the provider's subject that counts, and is compared before.
  if (grant === 'id_jag' || idToken === undefined) return undefined;
  const problem = holds === undefined ? undefined : idTokenProblem(idToken, { ...binding, now: obtainedAt });
  if (problem !== undefined) return `its ID token cannot be used: ${problem}`;
  const now = identityIn(idToken, { ...binding, now: undefined })?.subject;
  const isSame = subject === undefined || now === undefined || now === subject;
  return isSame ? undefined : 'its ID token is for another user';
}

/**
 * Moves a refreshed credential into its store, then what the index tells of it. While the store goes on failing nothing
 * is handed out. The caller holds the lock.
 * @param sealed It waits in a sealed file, and is moved at the next use at the latest.
 * @throws Failure `refresh_not_stored`; `shared_overtaken` where what is stored follows on another refresh or login
 */
export async function keepCredential(
  ports: TokenPorts,
  { login, signal }: Pick<ValidTokenRequest, 'login' | 'signal'>,
  fresh: StoredCredential,
  sealed: boolean,
): Promise<void> {
  const item = encodeCredential(fresh);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await ports.store.write(login.key, item);
      break;
    } catch (error) {
      if (!isFailure(error) || error.code === 'shared_overtaken') throw error;
      if (attempt === maxWrites) throw refreshNotStored(login, error, sealed);
      await ports.clock.sleep(attempt * writePauseMs, signal);
    }
  }
  const { expiresAt, obtainedAt, scopes } = fresh;
  // Where this fails, the next read puts the index right.
  await tryUpdate(ports, (document) =>
    withLogin(document, login.key, ({ refreshExpiresAt: _, ...old }) => ({
      ...{ ...old, expiresAt, obtainedAt, scopes },
      ...endsOf(fresh),
    })),
  );
  if (sealed) await ports.recovery.forget(login.key).catch(ignoreFailure); // it goes the next time
}

/**
 * The credential that a refresh got and the store does not have yet, if there is one: it follows on the stored one, whose
 * refresh token it was got with, and opens it. One whose response is in the store already is removed. The
 * caller holds the lock.
 * @throws Failure `state_unsafe`
 */
export async function recover(
  ports: Pick<StorePorts, 'recovery'>,
  login: LoginRecord,
  stored: StoredCredential,
): Promise<StoredCredential | undefined> {
  const { recovery } = ports;
  // A half of a shared login opens nothing, and nothing goes for that.
  if (stored.refreshedElsewhere !== undefined || !(await recovery.isWaiting(login.key))) return undefined;
  const item = stored.refreshToken && (await recovery.find(login.key, stored.refreshToken));
  const waiting = item && (await credentialIn(item, stored));
  // Without rotation the secret that seals is the same before and after: what was issued says whether the store has it already.
  if (waiting && !isSame(waiting, stored)) return waiting;
  await recovery.forget(login.key).catch(ignoreFailure);
  return undefined;
}

/** A refresh at a company's provider may bring no ID token, and another refresh token all the same. */
function isSame(one: StoredCredential, other: StoredCredential): boolean {
  const issued = ({ accessToken, refreshToken, holds }: StoredCredential) => [
    ...[accessToken, refreshToken].map((secret) => secret?.reveal()),
    holds,
  ];
  return issued(one).every((value, at) => value === issued(other)[at]);
}
