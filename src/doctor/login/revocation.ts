import { isFailure } from '../../core/failure.js';
import { Secret } from '../../core/secret.js';
import { stringField } from '../../core/text/json.js';
import { counted, quoted } from '../../core/text/printable.js';
import { timeLimit } from '../../core/time.js';
import { gateUrl } from '../../core/url.js';
import type { ClientAuthentication } from '../../oauth/client-authentication.js';
import { audiencesIn } from '../../oauth/id-token.js';
import { revokeToken } from '../../oauth/token.js';
import { attempt, type DiscoveredRun, type LoginRun, type MadeLogin } from '../run.js';
import type { IssuedHere, RegisteredHere } from '../run-http.js';
import { refreshWith } from './refresh.js';
import { askWithToken } from './taken-token.js';

type EndedRun = DiscoveredRun & Pick<LoginRun, 'noting'>;

/** How long the end may take once the program has been asked to end, in milliseconds: the process ends soon after. */
const interruptedMs = 1_000;

/**
 * Revokes every token of this run and removes its clients, whatever ended it; what stays is listed.
 * @param made Undefined: the login failed; tokens may have been issued all the same.
 */
export async function endLogin(run: EndedRun, made: MadeLogin | undefined): Promise<void> {
  const { noting, interrupted, terminal, report } = run;
  if (noting.issued.length === 0 && noting.registered.length === 0) return;
  const isInterrupted = interrupted.aborted;
  const { revocationSeconds } = await run.limits();
  const own = timeLimit(isInterrupted ? interruptedMs : revocationSeconds * 1000);
  const refused = await revokeAll(run, made, own);
  const left = await removeClients(run, isInterrupted ? own : timeLimit(5_000));
  if (isInterrupted) {
    if (refused.length > 0) terminal.tell(`Not revoked, and valid until it runs out: ${leftInWords(refused)}.`);
    if (left.length > 0) terminal.tell(`Still registered there: the client ${quoted(left.join(', '), 300)}.`);
    return;
  }
  for (const clientId of left) report.found('client-left', `client identifier ${clientId}`);
  if (noting.issued.length > 0) await reportRevocation(run, made, refused);
}

/** A token that was not revoked, and why. */
interface NotRevoked extends IssuedHere {
  readonly why: string;
  /** 0 where none came. */
  readonly status: number;
  /** What the endpoint says (RFC 7009 section 2.2.1); '' where it says nothing. */
  readonly error: string;
}

function leftInWords(left: readonly NotRevoked[]): string {
  const parts = (['refresh_token', 'access_token'] as const).flatMap((hint) => {
    const { length } = left.filter((one) => one.hint === hint);
    return length === 0 ? [] : [counted(length, hint.replace('_', ' '))];
  });
  return parts.join(' and ');
}

/**
 * The newest refresh token first: some servers end the whole login when one that was replaced is revoked, and then know none
 * of the others. What dies with it may be refused.
 */
async function revokeAll(
  run: EndedRun,
  made: MadeLogin | undefined,
  signal: AbortSignal,
): Promise<readonly NotRevoked[]> {
  const { issued } = run.noting;
  const newest = issued.findLast(({ hint }) => hint === 'refresh_token');
  const revoke = (one: IssuedHere) => revokeOne({ ...run, signal }, made, one);
  const first = newest && (await revoke(newest));
  const others = await Promise.all(issued.filter((one) => one !== newest).map(revoke));
  const isEnded = newest !== undefined && first === undefined;
  return [first, ...others].filter((one) => one !== undefined).filter((one) => !(isEnded && isRefused(one)));
}

/** As something that is no token any more, and not as one that cannot be revoked. */
function isRefused({ status, error }: NotRevoked): boolean {
  return status === 400 && error !== 'unsupported_token_type';
}

async function revokeOne(
  { clock, noting, authorizationServer, probed, signal }: EndedRun,
  made: MadeLogin | undefined,
  one: IssuedHere,
): Promise<NotRevoked | undefined> {
  const { revocationEndpoint: endpoint, issuer } = authorizationServer;
  const left = (why: string, status = 0, error = ''): NotRevoked => ({ ...one, why, status, error });
  if (endpoint === undefined) return left('there is no revocation endpoint');
  const { token, hint } = one;
  const client = made === undefined ? registeredClient(one, noting.registered.at(-1)) : clientOf(made);
  const request = { endpoint, issuer, client, token, hint, zone: probed.zone, signal, now: clock.now() };
  try {
    const revoked = await revokeToken(noting, request);
    if (revoked.ok) return undefined;
    const { status, error, said } = revoked;
    const words = [error, said].filter(Boolean).join(': ');
    return left(`status ${status}${words === '' ? '' : ` ${quoted(words, 200)}`}`, status, error);
  } catch (error) {
    if (!isFailure(error) && !signal.aborted) throw error;
    return left(isFailure(error) ? error.message : 'no response in time');
  }
}

function clientOf({ credential: { binding, authMethod, clientSecret } }: MadeLogin): ClientAuthentication {
  return { clientId: binding.clientId, method: authMethod, secret: clientSecret };
}

/** As whom the token of a login that failed was asked for. */
function registeredClient(one: IssuedHere, registered: RegisteredHere | undefined): ClientAuthentication {
  const { clientId = one.clientId, body = {} } = registered ?? {};
  const { token_endpoint_auth_method: method } = body;
  const secret = stringField(body, 'client_secret');
  if (secret === undefined || method === 'none') return { clientId, method: 'none', secret: undefined };
  const isPost = method === 'client_secret_post';
  return { clientId, method: isPost ? 'client_secret_post' : 'client_secret_basic', secret: new Secret(secret) };
}

const limits = { of: 'token', totalMs: 5_000, headersMs: 5_000, maxBytes: 64 * 1024 } as const;

/**
 * Removes the clients that were registered in this run (RFC 7592 section 2.3), where the registration has said how.
 * @returns the identifiers of those that stay
 */
async function removeClients(run: EndedRun, signal: AbortSignal): Promise<readonly string[]> {
  const { registered: clients } = run.noting;
  const isGone = await Promise.all(clients.map((client) => removeClient(run, client, signal)));
  return clients.flatMap(({ clientId }, at) => (isGone[at] ? [] : [clientId]));
}

async function removeClient(
  { noting, probed }: EndedRun,
  { endpoint, body }: RegisteredHere,
  signal: AbortSignal,
): Promise<boolean> {
  const url = stringField(body, 'registration_client_uri');
  const token = stringField(body, 'registration_access_token');
  // A request that removes something goes to whom the client was registered with, and to nobody that he names.
  const isTheirs = url !== undefined && gateUrl(url).ok && new URL(url).origin === new URL(endpoint).origin;
  if (!isTheirs || token === undefined || !/^[\x21-\x7e]+$/.test(token)) return false;
  const headers = [['authorization', `Bearer ${token}`]] as const;
  const { zone: namedBy } = probed;
  try {
    await using response = await noting.send({
      ...{ method: 'DELETE', url, headers, namedBy, redirects: 'refuse', limits, signal },
    });
    return response.status >= 200 && response.status < 300;
  } catch (error) {
    if (!isFailure(error) && !signal.aborted) throw error;
    return false;
  }
}

/** What the revocation came to, and whether it has an effect. */
async function reportRevocation(
  run: EndedRun,
  made: MadeLogin | undefined,
  refused: readonly NotRevoked[],
): Promise<void> {
  const { noting, authorizationServer, signal, report } = run;
  // Access tokens need not be revocable (RFC 7009 section 2.2.1).
  const failed = refused.filter(({ hint, error }) => hint === 'refresh_token' || error !== 'unsupported_token_type');
  const [first] = failed;
  const left = made === undefined ? refused : failed; // the others are seen to live on
  if (left.length > 0) report.found('tokens-left', `${leftInWords(left)}: ${left[0]?.why}`);
  if (first !== undefined && authorizationServer.revocationEndpoint !== undefined) {
    report.found('revocation-failed', first.why);
  }
  if (first !== undefined || made === undefined || signal.aborted) return;
  const revoked = noting.issued.length - refused.length;
  if (revoked === 0) {
    report.pass('token', 'access tokens are not revoked there: that of this run ends by itself');
    return;
  }
  report.pass('token', `${counted(revoked, 'token')} of this run revoked`);
  await checkEffect({ ...run, ...made });
}

/** Is a revoked token good for anything? Whatever it still brings is revoked in turn. */
async function checkEffect(run: EndedRun & MadeLogin): Promise<void> {
  const { noting, credential, signal, report } = run;
  const refresh = noting.issued.findLast(({ hint }) => hint === 'refresh_token');
  const before = noting.issued.length;
  if (refresh !== undefined) {
    const again = await refreshWith(run, refresh.token);
    if (again.ok) report.found('revocation-without-effect', 'the refresh token brought another token');
    else report.pass('token', 'a revoked refresh token brings no token');
  }
  const { accessToken } = credential;
  const tryAccess = async () => {
    const { status } = await askWithToken(run, credential, accessToken, signal);
    if (status >= 300) report.pass('token', `status ${status} to a revoked access token`);
    else if (audiencesIn(accessToken) !== undefined) {
      report.found('token-outlives-revocation', `status ${status}, it is a JWT`);
    } else report.found('revocation-without-effect', `status ${status} to the revoked access token`);
  };
  await attempt(run, tryAccess, () => undefined); // then it is good for nothing
  if (noting.issued.length > before) await revokeAll(run, run, timeLimit(5_000));
}
