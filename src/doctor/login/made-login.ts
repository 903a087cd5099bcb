import { isFailure, type Step } from '../../core/failure.js';
import { resourceCovers } from '../../core/resource.js';
import { parseScope, scopesMissing } from '../../core/scope.js';
import { type JsonObject, type JsonValue, jsonWords } from '../../core/text/json.js';
import { printable } from '../../core/text/printable.js';
import { gateUrl } from '../../core/url.js';
import { selectScopes } from '../../oauth/discover.js';
import { proofAlgorithm } from '../../oauth/dpop/key.js';
import { audiencesIn } from '../../oauth/id-token.js';
import { sayTheSame } from '../checks/metadata.js';
import { findingOfLogin } from '../finding-of-failure.js';
import { findings } from '../findings.js';
import type { DiscoveredRun, LoginRun, MadeLogin, WantedLogin } from '../run.js';
import { RunHttp } from '../run-http.js';
import { checkRefresh } from './refresh.js';
import { endLogin } from './revocation.js';
import { checkProtocol } from './spoken-protocol.js';
import { checkTaken, isBindingMissing, provingRun } from './taken-token.js';

/** Steps 7 to 13 with a login made for them, whose tokens are revoked however they end. */
export async function examineWithLogin(found: DiscoveredRun, wanted: WantedLogin): Promise<void> {
  const noting = new RunHttp(found.direct);
  const run = { ...found, noting };
  let made: MadeLogin | undefined;
  try {
    made = await logIn(run, wanted);
    checkSteady(run);
    if (made === undefined) return;
    const login = provingRun({ ...run, ...made, asked: scopesAsked(found, wanted) });
    checkIssued(login);
    if (await checkTaken(login)) {
      await checkProtocol(login);
      await checkRefresh(login);
    }
  } finally {
    await endLogin(run, made);
  }
}

type NotingRun = DiscoveredRun & { readonly noting: RunHttp };

async function logIn(run: NotingRun, wanted: WantedLogin): Promise<MadeLogin | undefined> {
  const { server, held, headers, authorizationServer, noting, deadline, signal, report } = run;
  const { issuer } = authorizationServer;
  const steps: Step[] = [];
  const journal = { steps, record: (step: Step) => void steps.push(step) };
  try {
    deadline.stop(); // each request of a login has its limit, and so has the person
    const http = noting;
    const made = await run.logInForRun({ ...wanted, server, issuer, held, headers, http, journal, signal });
    const [registered] = noting.registered;
    if (registered !== undefined) checkRegistered(run, registered.body);
    if (!steps.some(({ name }) => name === 'authorization')) {
      report.pass('request', 'a code to type was asked for');
      report.pass('response', 'a code was typed elsewhere: there is no response to look at');
    }
    report.pass('save', 'into memory');
    return made;
  } catch (error) {
    if (!isFailure(error) || signal.aborted) throw error;
    const id = findingOfLogin(error, steps, noting.registered.length > 0);
    checkSteady(run); // that would be why
    const ignored = id === 'state-not-returned' ? steps.findLast(({ name }) => name === 'callback')?.came : undefined;
    // What the person can mend the failure knows best, but for those that speak of another command.
    const { code, message, remedy } = error;
    const knowsMore = findings[id].who === 'you' && code !== 'login_needs_person' && code !== 'too_many_tabs';
    report.found(id, ignored ?? message, knowsMore ? remedy : undefined);
    return undefined;
  } finally {
    passSteps(run, steps);
    deadline.restart();
  }
}

/** What went well, as far as the login came. */
function passSteps({ report }: NotingRun, steps: readonly Step[]): void {
  const taken = (name: string) => steps.find((step) => step.name === name);
  const client = taken('client-identity');
  if (client?.verdict === 'pass') report.pass('client', client.came);
  const response = taken('authorization');
  if (response !== undefined) report.pass('request', `${response.asked}, with PKCE S256`);
  if (response?.verdict === 'pass') report.pass('response', response.came);
}

const endpoints = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'];

/** The login has asked for the metadata again: does it say the same? */
function checkSteady({ http, noting, report }: NotingRun): void {
  for (const [url, document] of noting.documents) {
    const before = http.documentAt(url);
    if (before !== undefined && !sayTheSame(before, document, ['issuer', ...endpoints])) {
      report.found('issuer-metadata-unsteady', `${url}, asked twice`);
    }
  }
}

/** As a login that is made again asks (login/begin-login.ts). */
function scopesAsked(run: DiscoveredRun, { scope }: WantedLogin): readonly string[] {
  const { server, held, probed, resource: protectedResource, authorizationServer } = run;
  const { zone, scopes: challengedScopes } = probed;
  const discovery = { server, zone, protectedResource, authorizationServer, challengedScopes, warnings: [] };
  const named = scope.flatMap((words) => words.split(' ')).filter(Boolean); // each may hold several
  if (named.length > 0) return selectScopes(discovery, { scopes: named, held: [] });
  const kept = held?.issuer === authorizationServer.issuer ? held.scopes : [];
  return selectScopes(discovery, { scopes: undefined, held: kept });
}

/** Step 7: whether a registration that can be used is what was asked for: without a secret, and native. */
function checkRegistered({ authorizationServer, report }: DiscoveredRun, body: JsonObject): void {
  const { tokenAuthMethods } = authorizationServer;
  const { client_secret: secret, token_endpoint_auth_method: method, application_type: type } = body;
  const hasSecret = typeof secret === 'string';
  const wantedNone = tokenAuthMethods === undefined || tokenAuthMethods.includes('none');
  if (method === 'none' && hasSecret) report.found('registration-with-secret', 'client_secret, and method none');
  else if (wantedNone && (hasSecret || (typeof method === 'string' && method !== 'none'))) {
    const registered = jsonWords(method, 'with a client_secret');
    report.found('registration-method-changed', `asked for none, registered ${registered}`);
  }
  if (typeof type === 'string' && type !== 'native') {
    report.found('registration-not-native', `application_type is ${type}`);
  }
  report.pass('client', 'registered with the redirect address that was asked for');
}

const daySeconds = 86_400;

/** A year: what is longer is a mistake. */
const maxSeconds = 366 * daySeconds;

/** Step 10: what the token response says, beside what the engine of the login insists on. */
function checkIssued(run: LoginRun): void {
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
