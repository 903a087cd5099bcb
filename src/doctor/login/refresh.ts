import { isFailure } from '../../core/failure.js';
import type { Secret } from '../../core/secret.js';
import { quoted } from '../../core/text/printable.js';
import { audiencesIn } from '../../oauth/id-token.js';
import { type IssuedToken, sendTokenRequest, type TokenResult, validateTokenResponse } from '../../oauth/token.js';
import type { StoredCredential } from '../../stores/credential-item.js';
import { tokenProofs } from '../../tokens/send-refresh.js';
import type { ExaminePorts, LoginUnderTest } from '../ports.js';
import type { Report } from '../report.js';
import type { RunHttp } from '../run-http.js';
import { askWithToken, checkScopeChallenge } from './taken-token.js';

/** No server is there: a token for it opens nothing anywhere. */
const otherResource = 'https://postern-doctor.invalid/mcp';

interface Refresh {
  readonly refreshToken: Secret;
  /** None: those of the login. */
  readonly scopes?: readonly string[];
  /** Undefined: that of the login. */
  readonly resource?: string;
}

/** What a refresh brings; a failure of the HTTP client is one more way of bringing nothing. */
export async function refreshWith(
  { clock }: Pick<ExaminePorts, 'clock'>,
  about: { readonly credential: StoredCredential; readonly http: RunHttp } & Pick<LoginUnderTest, 'probed' | 'signal'>,
  { refreshToken, scopes = [], resource }: Refresh,
): Promise<TokenResult> {
  const { credential, http, probed, signal } = about;
  const { binding, tokenEndpoint: endpoint, authMethod: method, clientSecret: secret, dpopKey } = credential;
  const { requestedResource: chosen = binding.resource } = credential;
  const client = { clientId: binding.clientId, method, secret };
  const request = { endpoint, client, issuer: binding.issuer, zone: probed.zone, signal };
  const dpop = await tokenProofs(credential, clock);
  try {
    const response = await sendTokenRequest(
      http,
      { ...request, dpop, resource: resource ?? chosen ?? undefined },
      { refreshToken, scopes },
    );
    const sent = [secret, refreshToken, dpopKey];
    const context = { now: clock.now(), requested: scopes, sent, dpop };
    return await validateTokenResponse(response, context);
  } catch (error) {
    if (!isFailure(error) || signal.aborted) throw error;
    return { ok: false, problem: 'unusable', why: error.message };
  }
}

/** A result that brings no token, in words. */
function wordsOf(result: Exclude<TokenResult, { ok: true }>): string {
  if (result.problem === 'unusable') return result.why;
  if (result.problem === 'unbound') return 'a Bearer token, where one bound to a key was asked for';
  if (result.problem === 'type') return `token_type ${result.found}`;
  const error = result.problem === 'refused' && result.error !== '' ? ` ${quoted(result.error, 60)}` : '';
  return `status ${result.status}${error}`;
}

/** Step 12: refresh and rotation, then what only a refresh can show: fewer scopes, another resource, a token used twice. */
export async function checkRefresh(ports: ExaminePorts, under: LoginUnderTest, report: Report): Promise<void> {
  const { refreshToken: first } = under.credential;
  if (first === undefined) {
    for (const what of ['refresh', 'fewer scopes', 'a token of another resource']) {
      report.skip('token', `${what}: there is no refresh token`);
    }
    return;
  }
  ports.progress.begin('Refreshing the token');
  const refreshed = await refreshWith(ports, under, { refreshToken: first });
  if (!refreshed.ok) {
    report.found('refresh-failed', wordsOf(refreshed));
    return;
  }
  const { refreshToken: second } = refreshed.token;
  const isRotated = second !== undefined && second.reveal() !== first.reveal();
  if (isRotated) report.pass('token', 'the refresh token works, and is replaced');
  else if (under.credential.authMethod === 'none') {
    report.found('refresh-not-rotated', second === undefined ? 'no new refresh token' : 'the same refresh token again');
  } else report.pass('token', 'the refresh token works; a client with a secret need not get a new one');
  const narrowed = await checkFewerScopes(ports, under, second ?? first, report);
  await checkOtherResource(ports, under, narrowed, report);
}

/** @returns the refresh token to go on with */
async function checkFewerScopes(
  ports: ExaminePorts,
  under: LoginUnderTest,
  refreshToken: Secret,
  report: Report,
): Promise<Secret> {
  const { credential, probed, signal } = under;
  const { scopes } = credential;
  const skip = (why: string) => report.skip('token', `fewer scopes: ${why}`);
  // What the 401 asks for is needed for every request, most likely.
  const fewer = scopes.filter((scope) => !(probed.scopes ?? scopes.slice(0, 1)).includes(scope)).slice(0, 1);
  if (fewer.length === 0) {
    skip('the token has no more than is needed; --scope asks for more');
    return refreshToken;
  }
  const result = await refreshWith(ports, under, { refreshToken, scopes: fewer });
  if (!result.ok) {
    skip(`none were given, ${wordsOf(result)}`);
    return refreshToken;
  }
  const { accessToken, refreshToken: next = refreshToken } = result.token;
  if (result.token.scopes.length >= scopes.length) skip('all of them were given again');
  else {
    const response = await askWithToken(ports, under, { token: accessToken, signal });
    if (response.status === 403) checkScopeChallenge(response, under, report);
    else skip(`status ${response.status} with scope ${fewer.join(' ')} alone, and what needs more is not known`);
  }
  return next;
}

async function checkOtherResource(
  ports: ExaminePorts,
  under: LoginUnderTest,
  refreshToken: Secret,
  report: Report,
): Promise<void> {
  const result = await refreshWith(ports, under, { refreshToken, resource: otherResource });
  if (!result.ok) {
    report.skip('token', `a token of another resource: the authorization server gives none, ${wordsOf(result)}`);
    return;
  }
  await checkForeign(ports, under, result.token, report);
}

async function checkForeign(
  ports: ExaminePorts,
  under: LoginUnderTest,
  { accessToken }: IssuedToken,
  report: Report,
): Promise<void> {
  const audiences = audiencesIn(accessToken);
  const { status } = await askWithToken(ports, under, { token: accessToken, signal: under.signal });
  const said = `status ${status} to a token that was asked for ${otherResource}`;
  if (status >= 300) report.pass('token', said);
  else if (audiences?.includes(otherResource)) report.found('foreign-token-taken', `${said}, and says so in aud`);
  else report.found('tokens-not-bound', said);
}
