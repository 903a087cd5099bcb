import { isFailure } from '../../core/failure.js';
import { Secret } from '../../core/secret.js';
import { stringField } from '../../core/text/json.js';
import { counted, quoted } from '../../core/text/printable.js';
import { timeLimit } from '../../core/time.js';
import type { ClientAuthentication } from '../../oauth/client-authentication.js';
import { audiencesIn } from '../../oauth/id-token.js';
import { revokeToken } from '../../oauth/token.js';
import type { Discovered, ExaminePorts, MadeLogin, ServerTarget } from '../ports.js';
import { removeClients } from '../registered-clients.js';
import type { Report } from '../report.js';
import type { IssuedHere, RunHttp } from '../run-http.js';
import { refreshWith } from './refresh.js';
import { askWithToken } from './taken-token.js';

export interface EndedLogin extends ServerTarget, Discovered {
  /** Undefined: the login failed; tokens may have been issued all the same. */
  readonly made: MadeLogin | undefined;
  readonly http: RunHttp;
}

/** How long the end may take once the program has been asked to end, in milliseconds: the process ends soon after. */
const interruptedMs = 1_000;

/** Revokes every token of this run and removes its clients, whatever ended it; what stays is said. */
export async function endLogin(ports: ExaminePorts, ended: EndedLogin, report: Report): Promise<void> {
  const { http } = ended;
  if (http.issued.length === 0 && http.registered.length === 0) return;
  const isInterrupted = ports.interrupted.aborted;
  const { revocationSeconds } = await ports.limits();
  const own = timeLimit(isInterrupted ? interruptedMs : revocationSeconds * 1000);
  const refused = await revokeAll(ports, ended, own);
  const left = await removeClients(http, { ...ended, signal: isInterrupted ? own : timeLimit(5_000) });
  if (isInterrupted) {
    if (refused.length > 0) ports.terminal.tell(`Not revoked, and valid until it runs out: ${leftInWords(refused)}.`);
    if (left.length > 0) ports.terminal.tell(`Still registered there: the client ${quoted(left.join(', '), 300)}.`);
    return;
  }
  for (const clientId of left) report.found('client-left', `client identifier ${clientId}`);
  await reportRevocation(ports, ended, refused, report);
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
  const count = (hint: IssuedHere['hint']) => left.filter((one) => one.hint === hint).length;
  const parts = [
    [count('refresh_token'), 'refresh token'],
    [count('access_token'), 'access token'],
  ] as const;
  return parts.flatMap(([number, what]) => (number === 0 ? [] : [counted(number, what)])).join(' and ');
}

/**
 * The newest refresh token first: some servers end the whole login when one that was replaced is revoked, and then know none
 * of the others. What dies with it may be refused.
 */
async function revokeAll(ports: ExaminePorts, ended: EndedLogin, signal: AbortSignal): Promise<readonly NotRevoked[]> {
  const { issued } = ended.http;
  const newest = issued.findLast(({ hint }) => hint === 'refresh_token');
  const revoke = (one: IssuedHere) => revokeOne(ports, ended, one, signal);
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
  { clock }: ExaminePorts,
  { http, authorizationServer: server, made, probed }: EndedLogin,
  one: IssuedHere,
  signal: AbortSignal,
): Promise<NotRevoked | undefined> {
  const { revocationEndpoint: endpoint, issuer } = server;
  const left = (why: string, status = 0, error = ''): NotRevoked => ({ ...one, why, status, error });
  if (endpoint === undefined) return left('there is no revocation endpoint');
  const { token, hint } = one;
  const request = { endpoint, issuer, client: clientOf(one, http, made), token, hint, zone: probed.zone, signal };
  try {
    const revoked = await revokeToken(http, { ...request, now: clock.now() });
    if (revoked.ok) return undefined;
    const { status, error, said } = revoked;
    const words = [error, said].filter(Boolean).join(': ');
    return left(`status ${status}${words === '' ? '' : ` ${quoted(words, 200)}`}`, status, error);
  } catch (error) {
    if (!isFailure(error) && !signal.aborted) throw error;
    return left(isFailure(error) ? error.message : 'no response in time');
  }
}

/** As whom the token was asked for. */
function clientOf({ clientId }: IssuedHere, http: RunHttp, made: MadeLogin | undefined): ClientAuthentication {
  if (made !== undefined) {
    const { binding, authMethod: method, clientSecret: secret } = made.credential;
    return { clientId: binding.clientId, method, secret };
  }
  const body = http.registered.at(-1)?.body ?? {};
  const secret = stringField(body, 'client_secret');
  const id = stringField(body, 'client_id') ?? clientId;
  if (secret === undefined || body['token_endpoint_auth_method'] === 'none') {
    return { clientId: id, method: 'none', secret: undefined };
  }
  const isPost = body['token_endpoint_auth_method'] === 'client_secret_post';
  return { clientId: id, method: isPost ? 'client_secret_post' : 'client_secret_basic', secret: new Secret(secret) };
}

/** What the revocation came to, and whether it has an effect. */
async function reportRevocation(
  ports: ExaminePorts,
  ended: EndedLogin,
  refused: readonly NotRevoked[],
  report: Report,
): Promise<void> {
  const { http, authorizationServer, made, signal } = ended;
  if (http.issued.length === 0) return;
  // Access tokens need not be revocable (RFC 7009 section 2.2.1).
  const failed = refused.filter(({ hint, error }) => hint === 'refresh_token' || error !== 'unsupported_token_type');
  const [first] = failed;
  const left = made === undefined ? refused : failed; // the others are seen to live on
  if (left.length > 0) report.found('tokens-left', `${leftInWords(left)}: ${left[0]?.why}`);
  if (first !== undefined && authorizationServer.revocationEndpoint !== undefined) {
    report.found('revocation-failed', first.why);
  }
  if (first !== undefined || made === undefined || signal.aborted) return;
  const revoked = http.issued.length - refused.length;
  if (revoked === 0) {
    report.pass('token', 'access tokens are not revoked there: that of this run ends by itself');
    return;
  }
  report.pass('token', `${counted(revoked, 'token')} of this run revoked`);
  await checkEffect(ports, { ...ended, ...made }, report);
}

/** Is a revoked token good for anything? Whatever it still brings is revoked in turn. */
async function checkEffect(ports: ExaminePorts, ended: EndedLogin & MadeLogin, report: Report): Promise<void> {
  const { http, credential, signal } = ended;
  const refresh = http.issued.findLast(({ hint }) => hint === 'refresh_token');
  const before = http.issued.length;
  if (refresh !== undefined) {
    const again = await refreshWith(ports, ended, { refreshToken: refresh.token });
    if (again.ok) report.found('revocation-without-effect', 'the refresh token brought another token');
    else report.pass('token', 'a revoked refresh token brings no token');
  }
  const { accessToken } = credential;
  try {
    const { status } = await askWithToken(ports, ended, { token: accessToken, signal });
    if (status >= 300) report.pass('token', `status ${status} to a revoked access token`);
    else if (audiencesIn(accessToken) !== undefined)
      report.found('token-outlives-revocation', `status ${status}, it is a JWT`);
    else report.found('revocation-without-effect', `status ${status} to the revoked access token`);
  } catch (error) {
    if (!isFailure(error) || signal.aborted) throw error;
  }
  if (http.issued.length > before) await revokeAll(ports, ended, timeLimit(5_000));
}
