import { resourceCovers } from '../../core/resource.js';
import { parseScope, scopesMissing } from '../../core/scope.js';
import type { JsonValue } from '../../core/text/json.js';
import { gateUrl } from '../../core/url.js';
import { audiencesIn } from '../../oauth/id-token.js';
import type { LoginUnderTest } from '../ports.js';
import type { Report } from '../report.js';

const daySeconds = 86_400;

/** Step 10: what the token response says, beside what the engine of the login insists on. */
export function checkIssued(under: LoginUnderTest, report: Report): void {
  const { http, credential } = under;
  const response = http.tokenResponse ?? {};
  checkAudience(under, report);
  checkLifetime(response['expires_in'], report);
  checkScopes(response['scope'], under, report);
  if (credential.refreshToken === undefined) report.found('no-refresh-token', 'no refresh_token in the response');
}

function checkAudience({ credential, server }: LoginUnderTest, report: Report): void {
  const { resource } = credential.binding;
  const audiences = audiencesIn(credential.accessToken);
  if (audiences === undefined) {
    report.pass('redeem', 'the token is opaque: whom it is for cannot be seen');
    return;
  }
  const isOurs = (one: string) =>
    one === resource ||
    one === credential.requestedResource ||
    (gateUrl(one).ok && resourceCovers(one, server) !== 'no');
  if (audiences.some(isOurs)) {
    report.pass('redeem', 'aud of the token is the resource');
    return;
  }
  const said = audiences.length === 0 ? 'no aud' : `aud ${audiences.join(', ')}`;
  const isForOther = audiences.length > 0 && audiences.every((one) => gateUrl(one).ok);
  report.found(isForOther ? 'audience-wrong' : 'audience-other', `${said}, the resource ${resource}`);
}

/** A year: what is longer is a mistake. */
const maxSeconds = 366 * daySeconds;

function checkLifetime(value: JsonValue | undefined, report: Report): void {
  if (value === undefined || value === null) {
    report.found('lifetime-unknown', 'no expires_in');
    return;
  }
  const said = `expires_in is ${JSON.stringify(value).slice(0, 60)}`;
  if (typeof value !== 'number' || !(value >= 0 && value <= maxSeconds)) report.found('lifetime-invalid', said);
  else if (value < 60) report.found('lifetime-short', said);
  else if (value > daySeconds) report.found('lifetime-long', said);
  else report.pass('redeem', said);
}

/** Scopes that no access token need have. */
const aboutLogin: readonly string[] = ['offline_access', 'openid', 'profile', 'email'];

function checkScopes(value: JsonValue | undefined, { asked }: LoginUnderTest, report: Report): void {
  const parsed = typeof value === 'string' ? parseScope(value) : undefined;
  if (parsed?.ok !== true) {
    if (value === undefined || value === null) report.pass('redeem', 'no scope in the response: as asked for');
    return; // the engine refuses every other value
  }
  const without = (names: readonly string[]) => names.filter((name) => !aboutLogin.includes(name));
  const less = without(scopesMissing(parsed.scopes, asked));
  const more = asked.length === 0 ? [] : without(scopesMissing(asked, parsed.scopes));
  if (less.length > 0) report.found('scope-narrower', `without ${less.join(' ')}`);
  if (more.length > 0) report.found('scope-wider', `${more.join(' ')}, which nobody asked for`);
  if (less.length === 0 && more.length === 0) report.pass('redeem', `scope ${parsed.scopes.join(' ')}, as asked for`);
}
