import { resourceCovers } from '../../core/resource.js';
import { parseScope, scopesMissing } from '../../core/scope.js';
import type { JsonValue } from '../../core/text/json.js';
import { printable } from '../../core/text/printable.js';
import { gateUrl } from '../../core/url.js';
import { proofAlgorithm } from '../../oauth/dpop/key.js';
import { audiencesIn } from '../../oauth/id-token.js';
import type { LoginRun } from '../run.js';
import { isBindingMissing } from './taken-token.js';

const daySeconds = 86_400;

/** A year: what is longer is a mistake. */
const maxSeconds = 366 * daySeconds;

/** Step 10: what the token response says, beside what the engine of the login insists on. */
export function checkIssued(run: LoginRun): void {
  const { noting, credential, report } = run;
  const response = noting.tokenResponse ?? {};
  checkAudience(run);
  checkLifetime(run, response['expires_in'] ?? undefined);
  checkScopes(run, response['scope'] ?? undefined);
  if (credential.refreshToken === undefined) report.found('no-refresh-token', 'no refresh_token in the response');
  checkBound(run);
}

function checkAudience({ credential, server, report }: LoginRun): void {
  const { resource } = credential.binding;
  const audiences = audiencesIn(credential.accessToken);
  const isOurs = (one: string) =>
    one === resource ||
    one === credential.requestedResource ||
    (gateUrl(one).ok && resourceCovers(one, server) !== 'no');
  if (audiences === undefined) report.pass('redeem', 'the token is opaque: whom it is for cannot be seen');
  else if (audiences.some(isOurs)) report.pass('redeem', 'aud of the token is the resource');
  else {
    const seen = audiences.length === 0 ? 'no aud' : `aud ${audiences.join(', ')}`;
    const isForOther = audiences.length > 0 && audiences.every((one) => gateUrl(one).ok);
    report.found(isForOther ? 'audience-wrong' : 'audience-other', `${seen}, the resource ${resource}`);
  }
}

function checkLifetime({ report }: LoginRun, value: JsonValue | undefined): void {
  const seen = `expires_in is ${printable(JSON.stringify(value) ?? '', 60)}`;
  if (value === undefined) report.found('lifetime-unknown', 'no expires_in');
  else if (typeof value !== 'number' || !(value >= 0 && value <= maxSeconds)) report.found('lifetime-invalid', seen);
  else if (value < 60) report.found('lifetime-short', seen);
  else if (value > daySeconds) report.found('lifetime-long', seen);
  else report.pass('redeem', seen);
}

/** Scopes that no access token need have. */
const aboutLogin: readonly string[] = ['offline_access', 'openid', 'profile', 'email'];

function checkScopes({ asked, report }: LoginRun, value: JsonValue | undefined): void {
  const parsed = typeof value === 'string' ? parseScope(value) : undefined;
  if (value === undefined) report.pass('redeem', 'no scope in the response: as asked for');
  if (parsed?.ok !== true) return; // the engine refuses every other value
  const without = (names: readonly string[]) => names.filter((name) => !aboutLogin.includes(name));
  const less = without(scopesMissing(parsed.scopes, asked));
  const more = asked.length === 0 ? [] : without(scopesMissing(asked, parsed.scopes));
  if (less.length > 0) report.found('scope-narrower', `without ${less.join(' ')}`);
  if (more.length > 0) report.found('scope-wider', `${more.join(' ')}, which nobody asked for`);
  if (less.length === 0 && more.length === 0) report.pass('redeem', `scope ${parsed.scopes.join(' ')}, as asked for`);
}

/** Is the token bound to the key of the login, and does it say so? */
function checkBound({ credential, resource, probed, authorizationServer, report }: LoginRun): void {
  const { dpopKey, accessToken } = credential;
  if (dpopKey !== undefined) {
    report.pass(
      'redeem',
      isBindingMissing(accessToken) ? 'bound to a key, as its type says' : 'bound to a key: cnf.jkt',
    );
    return;
  }
  const isAsked = probed.dpop !== undefined || resource.dpopAlgorithms?.includes(proofAlgorithm);
  if (isAsked && authorizationServer.dpopAlgorithms?.includes(proofAlgorithm)) {
    report.found('dpop-not-bound', 'token_type is Bearer');
  }
}
