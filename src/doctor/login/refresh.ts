import type { Secret } from '../../core/secret.js';
import { quoted } from '../../core/text/printable.js';
import { audiencesIn } from '../../oauth/id-token.js';
import type { IssuedToken, TokenResult } from '../../oauth/token.js';
import { requestRefresh } from '../../tokens/send-refresh.js';
import { providerRefresh } from '../../tokens/valid-token.js';
import { attempt, type LoginRun, type Run } from '../run.js';
import { askWithToken, checkScopeChallenge } from './taken-token.js';

/** No server is there: a token for it opens nothing anywhere. */
const otherResource = 'https://postern-doctor.invalid/mcp';

/**
 * What a refresh brings; a failure of the HTTP client is one more way of bringing nothing.
 * @param other None: the scopes and the resource of the login.
 */
export async function refreshWith(
  run: Run & Pick<LoginRun, 'login' | 'credential' | 'noting'>,
  refreshToken: Secret,
  { scopes = [], resource }: { readonly scopes?: readonly string[]; readonly resource?: string } = {},
): Promise<TokenResult> {
  const { login, credential, noting: http, signal } = run;
  const ports = { ...run, http };
  const held = { ...credential, refreshToken, ...(resource !== undefined && { requestedResource: resource }) };
  const refresh = providerRefresh(ports, signal);
  const request = async () => (await requestRefresh(ports, { held, scopes, login, refresh, signal })).result;
  return await attempt(run, request, ({ message: why }) => ({ ok: false, problem: 'unusable', why }));
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
export async function checkRefresh(run: LoginRun): Promise<void> {
  const { report, credential } = run;
  const { refreshToken: first } = credential;
  if (first === undefined) {
    for (const what of ['refresh', 'fewer scopes', 'a token of another resource']) {
      report.skip('token', `${what}: there is no refresh token`);
    }
    return;
  }
  run.progress.begin('Refreshing the token');
  const refreshed = await refreshWith(run, first);
  if (!refreshed.ok) {
    report.found('refresh-failed', wordsOf(refreshed));
    return;
  }
  const { refreshToken: second } = refreshed.token;
  const isRotated = second !== undefined && second.reveal() !== first.reveal();
  if (isRotated) report.pass('token', 'the refresh token works, and is replaced');
  else if (credential.authMethod === 'none') {
    report.found('refresh-not-rotated', second === undefined ? 'no new refresh token' : 'the same refresh token again');
  } else report.pass('token', 'the refresh token works; a client with a secret need not get a new one');
  const third = await checkFewerScopes(run, second ?? first);
  const other = await refreshWith(run, third, { resource: otherResource });
  if (other.ok) await checkForeign(run, other.token);
  else report.skip('token', `a token of another resource: the authorization server gives none, ${wordsOf(other)}`);
}

/** @returns the refresh token to go on with */
async function checkFewerScopes(run: LoginRun, refreshToken: Secret): Promise<Secret> {
  const { credential, probed, signal, report } = run;
  const { scopes } = credential;
  const skip = (why: string) => report.skip('token', `fewer scopes: ${why}`);
  // What the 401 asks for is needed for every request, most likely.
  const fewer = scopes.filter((scope) => !(probed.scopes ?? scopes.slice(0, 1)).includes(scope)).slice(0, 1);
  if (fewer.length === 0) {
    skip('the token has no more than is needed; --scope asks for more');
    return refreshToken;
  }
  const result = await refreshWith(run, refreshToken, { scopes: fewer });
  if (!result.ok) {
    skip(`none were given, ${wordsOf(result)}`);
    return refreshToken;
  }
  if (result.token.scopes.length >= scopes.length) skip('all of them were given again');
  else {
    const response = await askWithToken(run, credential, result.token.accessToken, signal);
    if (response.status === 403) checkScopeChallenge(run, response);
    else skip(`status ${response.status} with scope ${fewer.join(' ')} alone, and what needs more is not known`);
  }
  return result.token.refreshToken ?? refreshToken;
}

async function checkForeign(run: LoginRun, { accessToken }: IssuedToken): Promise<void> {
  const { report } = run;
  const { status } = await askWithToken(run, run.credential, accessToken, run.signal);
  const seen = `status ${status} to a token that was asked for ${otherResource}`;
  if (status >= 300) report.pass('token', seen);
  else if (audiencesIn(accessToken)?.includes(otherResource)) {
    report.found('foreign-token-taken', `${seen}, and says so in aud`);
  } else report.found('tokens-not-bound', seen);
}
