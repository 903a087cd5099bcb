import { exitCode } from '../../core/failure.js';
import type { LoginRecord } from '../../core/records.js';
import type { Secret } from '../../core/secret.js';
import { type BearerChallenge, bearerChallenge } from '../../oauth/challenge.js';
import { keyNamedIn } from '../../oauth/dpop/key.js';
import { probeWithToken, type TokenProbe } from '../../oauth/probe.js';
import type { StoredCredential } from '../../stores/credential-item.js';
import { proveAddress } from '../../tokens/credential-target.js';
import { LoginProofs, provingHttp } from '../../tokens/login-proofs.js';
import { attempt, type LoginRun, type Run } from '../run.js';

/** The run, whose requests with a token have a proof where this login needs one. */
export function provingRun(run: LoginRun): LoginRun {
  const { clock, credential, report } = run;
  if (credential.dpopKey === undefined) return run;
  const bound = new LoginProofs(credential, credential.dpopKey, clock);
  const direct = provingHttp(run.direct, bound, ({ kind }) => {
    if (kind === 'clock') report.found('dpop-clock-off', 'a proof by this machine’s clock was refused');
    if (kind === 'nonce') report.pass('token', 'the server wants a nonce in each proof, and gives one');
  });
  return { ...run, direct };
}

/** Is it a JWT that does not say what key it is bound to? A server may know that otherwise. */
export function isBindingMissing(token: Secret): boolean {
  const named = keyNamedIn(token.reveal());
  return named !== 'opaque' && named.jkt === undefined;
}

/** One request with a token of this run, which goes to the server that it was issued for and to no other. */
export async function askWithToken(
  { direct, server }: Pick<Run, 'direct' | 'server'>,
  { binding }: StoredCredential,
  token: Secret,
  signal: AbortSignal,
): Promise<TokenProbe> {
  proveAddress({ server: binding.server }, server);
  return await probeWithToken({ http: direct }, { server, signal, token });
}

/** Step 12: does the server take the token that was issued for it? */
export async function checkTaken(run: LoginRun): Promise<boolean> {
  const { server, credential, signal, report } = run;
  run.progress.begin(`Asking ${server} with the new token`);
  const ask = () => askWithToken(run, credential, credential.accessToken, signal);
  const take = async () => {
    const response = await ask();
    const { status, sessionId } = response;
    if (sessionId !== undefined && !/^[\x21-\x7e]+$/.test(sessionId)) {
      const what = `Mcp-Session-Id of ${sessionId.length} characters`;
      report.found('session-invalid', `${what}, not all of them visible ASCII`);
    }
    if (status >= 200 && status < 300) {
      report.pass('token', `status ${status} to a request with the new token`);
      return true;
    }
    if (status === 403) await checkForbidden(run, response, ask);
    else refusedOtherwise(run, response);
    return false;
  };
  return await attempt(run, take, ({ code, message }) => {
    const ofProof = isBindingMissing(credential.accessToken) ? 'dpop-binding-missing' : 'dpop-refused-by-server';
    report.found(code === 'dpop_proof_refused' ? ofProof : 'token-breaks-server', message);
    return false;
  });
}

/** Steps 12 and 13 with the stored token, refreshed if necessary. Only for a login that the user named. */
export async function checkStored(run: Run, login: LoginRecord): Promise<void> {
  const { signal, report } = run;
  run.progress.begin(`Asking ${login.server} with the stored token`);
  const ask = async () => {
    await run.askServer({ login, signal }, async () => undefined);
    report.pass('protocol', `a session opened with the stored token of ${login.name ?? login.account}`);
  };
  await attempt(run, ask, ({ exit, message, remedy }) => {
    const isDead = exit === exitCode.loginNeeded || exit === exitCode.refused;
    if (isDead) report.found('stored-login-dead', message, remedy);
    else report.found(exit === exitCode.network ? 'token-breaks-server' : 'token-not-taken', message);
  });
}

const byAudience =
  'The token’s aud is not the resource: ask the authorization server’s operator to put that there, or the server’s operator to accept what is there now.';

function refusedOtherwise({ report }: Run, { status, challenges, location }: TokenProbe): void {
  const challenge = bearerChallenge(challenges);
  const error = challenge.kind === 'bearer' ? challenge.error : undefined;
  const seen = `status ${status}${error === undefined ? '' : `, error="${error}"`} to a request with the new token`;
  // A server that checks the audience is right to refuse it then.
  const isForOther = report.has('audience-other') || report.has('audience-wrong');
  if (status === 401) report.found('token-refused', seen, isForOther ? byAudience : undefined);
  else if (status >= 300 && status < 400) report.found('token-redirected', `${seen}, to ${location ?? 'nowhere'}`);
  else if (status >= 500) report.found('token-breaks-server', seen);
  else report.found('token-not-taken', seen);
}

/** A 403 to a token with all the scopes of the login. */
async function checkForbidden(run: LoginRun, response: TokenProbe, ask: () => Promise<TokenProbe>): Promise<void> {
  const { report } = run;
  const challenge = insufficient(response);
  if (challenge === undefined) {
    report.found('token-forbidden', 'status 403 to a request with the new token, without insufficient_scope');
    return;
  }
  if (pointsElsewhere(run, challenge)) report.found('scope-challenge-elsewhere', challenge.resourceMetadata ?? '');
  const again = insufficient(await ask());
  if (again !== undefined && again.scope !== challenge.scope) {
    report.found('scope-treadmill', `first ${challenge.scope}, then ${again.scope}`);
    return;
  }
  report.found('scope-not-challenged', `status 403, insufficient_scope, scope ${challenge.scope ?? '(none named)'}`);
}

type Insufficient = Extract<BearerChallenge, { kind: 'bearer' }>;

function insufficient({ status, challenges }: TokenProbe): Insufficient | undefined {
  const challenge = bearerChallenge(challenges);
  const isSo = status === 403 && challenge.kind === 'bearer' && challenge.error === 'insufficient_scope';
  return isSo ? challenge : undefined;
}

/** Does a challenge name other metadata than the 401 did? */
function pointsElsewhere({ probed, server }: LoginRun, { resourceMetadata: named }: Insufficient): boolean {
  if (named === undefined || named === probed.resourceMetadata) return false;
  return URL.parse(named)?.origin !== new URL(probed.resourceMetadata ?? server).origin;
}

/** A 403 to a token with fewer scopes: does it say which is missing, and where to ask for it? */
export function checkScopeChallenge(run: LoginRun, response: TokenProbe): void {
  const { report } = run;
  const challenge = insufficient(response);
  if (challenge === undefined) {
    report.found('scope-challenge-incomplete', 'status 403 to fewer scopes, without error="insufficient_scope"');
    return;
  }
  const { scope, resourceMetadata } = challenge;
  const missing = [scope === undefined && 'scope', resourceMetadata === undefined && 'resource_metadata'];
  const without = missing.filter(Boolean).join(' and ');
  if (pointsElsewhere(run, challenge)) report.found('scope-challenge-elsewhere', resourceMetadata ?? '');
  else if (without !== '') report.found('scope-challenge-incomplete', `insufficient_scope without ${without}`);
  else report.pass('token', `403 insufficient_scope to fewer scopes, which names scope ${scope} and the metadata`);
}
