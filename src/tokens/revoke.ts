import { Failure, ignoreFailure } from '../core/failure.js';
import type { IndexDocument, LoginRecord } from '../core/records.js';
import { quoted } from '../core/text/printable.js';
import { timeLimit } from '../core/time.js';
import { revokeToken } from '../oauth/token.js';
import { decodeCredential, encodeCredential, type StoredCredential } from '../stores/credential-item.js';
import { removeOrphans, withItemToCome, withOrphans, withoutOrphans } from '../stores/orphans.js';
import type { StorePorts } from '../stores/ports.js';
import { currentProofs } from './client-keys.js';
import { nameOwnHost } from './credential-target.js';
import type { TokenPorts } from './read-credential.js';
import { provenClient } from './send-refresh.js';

type Needs = Pick<TokenPorts, 'assertions' | 'clock' | 'http' | 'index' | 'stores'>;

/** For a revocation in the background. */
const pendingMs = 5_000;

/**
 * Revokes the refresh token at its own issuer (RFC 7009), or the access token where there is none.
 * @returns Why it was not revoked; undefined: it was.
 * @throws the signal's reason
 */
export async function revoke(
  ports: Needs,
  login: LoginRecord,
  credential: StoredCredential,
  { limitMs, signal: interrupted }: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { revocationEndpoint: endpoint, binding, authMethod: method, accessToken, refreshToken } = credential;
  if (credential.holds !== undefined && refreshToken === undefined) return 'an ID token cannot be revoked';
  if (endpoint === undefined) return 'the authorization server offers no revocation';
  try {
    const [{ clientSecret: secret }] = await currentProofs(ports, login, credential);
    const signal = AbortSignal.any([interrupted, timeLimit(limitMs)]);
    await nameOwnHost(ports.http, login.server, endpoint, signal);
    const revoked = await revokeToken(ports.http, {
      endpoint,
      issuer: binding.issuer,
      client: await provenClient(ports, { clientId: binding.clientId, method, secret }, credential.assertion, signal),
      token: refreshToken ?? accessToken,
      hint: refreshToken === undefined ? 'access_token' : 'refresh_token',
      now: ports.clock.now(),
      zone: login.zone,
      signal,
    });
    if (revoked.ok) return undefined;
    const { status, error, said } = revoked;
    const words = [error, said].filter(Boolean).join(': ');
    return `the authorization server answered ${status}${words === '' ? '' : ` ${quoted(words, 200)}`}`;
  } catch (error) {
    if (interrupted.aborted) throw error;
    return error instanceof Failure ? error.message : `no answer within ${limitMs / 1000} seconds`;
  }
}

/**
 * Keeps what a logout is about to forget, in an item of its own, until its issuer has heard of it: a logout that is killed
 * between the two leaves no refresh token that works. The caller puts the record into the index with `withPending`.
 * @returns Undefined where there is nothing to revoke, or the store takes no more.
 */
export async function keepToRevoke(
  ports: Pick<StorePorts, 'index' | 'stores'>,
  { key: _, leftIn: __, ...login }: LoginRecord,
  credential: StoredCredential,
): Promise<LoginRecord | undefined> {
  if (credential.revocationEndpoint === undefined) return undefined;
  const pending = { ...login, key: Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(32))).toString('hex') };
  await ports.index.update((document) => withItemToCome(document, pending));
  try {
    await ports.stores.of(login.store).write(pending.key, encodeCredential(credential));
    return pending;
  } catch (error) {
    return ignoreFailure(error);
  }
}

export function withPending(document: IndexDocument, pending: LoginRecord | undefined): IndexDocument {
  if (pending === undefined) return document;
  const { pendingRevocations = [] } = document;
  return withoutOrphans({ ...document, pendingRevocations: [...pendingRevocations, pending] }, [pending]);
}

/** The index without that record; its item is to be removed. */
function withoutPending(document: IndexDocument, { key, store }: LoginRecord): IndexDocument {
  const { pendingRevocations = [], ...rest } = document;
  const others = pendingRevocations.filter((one) => one.key !== key);
  return withOrphans(others.length === 0 ? rest : { ...rest, pendingRevocations: others }, [{ key, store }]);
}

/** Forgets what was kept. @throws Failure of the index */
export async function dropPending(
  ports: Pick<StorePorts, 'index' | 'stores' | 'recovery' | 'locks'>,
  pending: LoginRecord,
  signal: AbortSignal,
): Promise<void> {
  await ports.index.update((document) => withoutPending(document, pending));
  await removeOrphans(ports, ({ key }) => key === pending.key, signal);
}

/**
 * Revokes, once, what killed logouts have left. A failure here does not fail the command at hand.
 * @param issuer The one that this command reaches; undefined: every one.
 */
export async function revokePending(
  ports: Needs & Pick<StorePorts, 'recovery' | 'locks'>,
  issuer: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { pendingRevocations = [] } = await ports.index.read();
  for (const pending of pendingRevocations.filter((one) => issuer === undefined || one.issuer === issuer)) {
    try {
      const item = await ports.stores.of(pending.store).read(pending.key);
      const decoded = item && decodeCredential(item.reveal(), pending);
      if (decoded?.ok) await revoke(ports, pending, decoded.credential, { limitMs: pendingMs, signal });
      await dropPending(ports, pending, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      ignoreFailure(error); // the store does not open: the next command tries again
    }
  }
}
