import { exitCode, Failure } from '../core/failure.js';
import { loginCommand } from '../core/login-command.js';
import type { Journal } from '../core/ports.js';
import { mayHoldSecret } from '../core/resource.js';
import { holdSecret, redact } from '../core/secret.js';
import { shellWord } from '../core/text/printable.js';
import { Deadline } from '../core/time.js';
import { chooseWay } from '../oauth/choose-registration.js';
import { differBySlash, httpWithHeaders, isNamed, isSameIssuer } from '../oauth/discovery-document.js';
import { noProtectedResourceMetadata, OtherIssuer } from '../oauth/failures.js';
import { keptChallenge, type ProbedServer, probeServer } from '../oauth/probe.js';
import { findProtectedResource, legacyResource, type ProtectedResource } from '../oauth/resource-metadata.js';
import { type AuthorizationServer, findAuthorizationServer, servesOwnMetadata } from '../oauth/server-metadata.js';
import { documentOf, manualRegistration, registrationsFor } from '../tokens/registrations.js';
import { checkBadTokens } from './checks/bad-tokens.js';
import { checkAsked, checkChallenge, checkConnection, checkPage } from './checks/first-request.js';
import { checkIssuer, checkProofsOffered, checkResource } from './checks/metadata.js';
import { type FailedStep, findingOf } from './finding-of-failure.js';
import { needsLogin, readCatalogue, type StepName, stepOf, steps } from './findings.js';
import { checkIdJagTaken, checkProvider, examineByProvider } from './login/company.js';
import { examineWithLogin } from './login/made-login.js';
import { checkStored } from './login/taken-token.js';
import { Report } from './report.js';
import { attempt, type ExamineWorld, type Run, type ServerTarget, type WantedLogin } from './run.js';
import { type SeenExchange, SeenHttp } from './seen-http.js';

export interface Examined {
  /** The server's address, without a secret that its query may hold. */
  readonly subject: string;
  readonly report: Report;
  readonly exchanges: readonly SeenExchange[];
}

/** For all of it together, but for what a person does, in milliseconds. */
const usualLimitMs = 180_000;

/**
 * Takes the steps of a login with the engine of the login, as far as nobody has to log in for them, and looks closer at what
 * came. Passive, where no login is wanted: GET requests for metadata, and POST requests that open a session at most.
 */
export async function examineServer(
  world: ExamineWorld,
  target: ServerTarget,
  { login, limitMs = usualLimitMs }: { readonly login?: WantedLogin | undefined; readonly limitMs?: number } = {},
): Promise<Examined> {
  const direct = httpWithHeaders(world.http, target);
  const http = new SeenHttp(direct, world.clock);
  const report = new Report(readCatalogue(await world.findingsPage()));
  if (mayHoldSecret(target.server)) for (const value of new URL(target.server).searchParams.values()) holdSecret(value);
  using deadline = new Deadline(limitMs, () => new Failure(tooLong));
  const signal = AbortSignal.any([target.signal, deadline.signal]);
  const own = { direct, http, report, wanted: login, journal: silentJournal(), deadline, interrupted: target.signal };
  const run: Run = { ...world, ...target, ...own, signal };
  try {
    await examine(run);
  } catch (error) {
    if (target.signal.aborted || !deadline.signal.aborted) throw error;
    if (report.worst === 'failure') report.skip('token', 'the examination took too long');
    else report.found('run-too-long', `ended after ${Math.round(limitMs / 1000)} s`);
  }
  skipRest(run);
  return { subject: redact(target.server), report, exchanges: http.exchanges };
}

const tooLong = {
  code: 'timed_out',
  exit: exitCode.network,
  message: 'The examination took too long.',
  remedy: 'Run it again.',
} as const;

/** What the engine records is not printed: the findings say it. */
function silentJournal(): Journal {
  return { record: () => undefined, steps: [] };
}

async function examine(run: Run): Promise<void> {
  const { report, held, isNamed: mayUseToken = false, wanted } = run;
  await ask(run);
  await checkConnection(run);
  if (run.probed !== undefined) await discover(run, run.probed);
  if (report.has('login-not-needed')) return;
  checkAsked(run);
  if (wanted === undefined) await checkStore(run);
  else report.pass('machine', 'not used: the login of this run is kept in memory');
  // A login finds a client by itself.
  const isChosen = wanted === undefined || held?.provider !== undefined;
  if (run.authorizationServer !== undefined && isChosen) await checkClient(run, run.authorizationServer);
  if (wanted !== undefined) await logIn(run, wanted);
  if (run.probed?.status === 401) {
    await checkBadTokens(run);
    if (held !== undefined && mayUseToken && wanted === undefined) await checkStored(run, held);
  }
  if (held?.provider !== undefined) await checkProvider(run, held, held.provider);
}

/** Steps 7 to 13, where a login can work. */
async function logIn(run: Run, wanted: WantedLogin): Promise<void> {
  const { held, report, probed, resource, authorizationServer } = run;
  if (probed === undefined || resource === undefined || authorizationServer === undefined) return;
  const fails = report.findings.some(
    ({ level, step }) => level === 'failure' && step !== 'machine' && isBefore(step, 'request'),
  );
  if (fails) return;
  const found = { ...run, probed, resource, authorizationServer };
  const scope = wanted.scope.length > 0 ? wanted.scope : (held?.askedScopes ?? []);
  if (held?.provider === undefined) await examineWithLogin(found, { ...wanted, scope });
  else await examineByProvider(found, held);
}

/** Step 2. */
async function ask(run: Run): Promise<void> {
  const { server, signal } = run;
  const kept = keptChallenge(await run.index.read(), server);
  const probed = await take(run, 'challenge', () => probeServer(run, { server, kept, signal }));
  if (probed !== undefined) run.probed = probed;
  checkChallenge(run);
}

/** Steps 3 to 5. */
async function discover(run: Run, probed: ProbedServer): Promise<void> {
  const { server, held, headers, signal } = run;
  const { zone } = probed;
  const whenNone = (tried: string) => withoutMetadata(run, probed, tried);
  const resource = await take(run, 'resource', () =>
    findProtectedResource(run, { server, probed, isDecided: held?.legacy, whenNone, headers, signal }),
  );
  if (resource !== undefined) run.resource = resource;
  await checkResource(run, probed);
  if (resource === undefined) return;
  const issuer = await chooseIssuer(run, resource.authorizationServers);
  if (issuer === undefined) return;
  run.issuer = issuer;
  const grant = held?.provider === undefined ? 'authorization_code' : 'assertion';
  const wanted = { resource: resource.resource, isLegacy: resource.isLegacy, zone, grant, signal } as const;
  const find = (issuer: string) => findAuthorizationServer(run, { ...wanted, issuer });
  const found = await take(run, 'issuer', () => find(issuer).catch((error) => find(ownSpelling(run, issuer, error))));
  if (found !== undefined) run.authorizationServer = found;
  await checkIssuer(run, issuer, zone);
  if (found === undefined) return;
  checkProofsOffered(run, resource, found);
  if (held?.provider !== undefined) checkIdJagTaken(run, found);
}

/** What an issuer calls itself, where that differs by the slash at its end alone: a login takes it by a person's word. */
function ownSpelling({ server, report }: Run, issuer: string, error: unknown): string {
  if (!(error instanceof OtherIssuer) || !differBySlash(issuer, error.found)) throw error;
  const command = loginCommand({ server, given: undefined }, '--authorization-server', shellWord(error.found));
  const remedy = `Ask the operator to name it as it calls itself. If you trust it, run: ${command}`;
  report.found('issuer-slash', `${issuer} is named, and calls itself ${error.found}`, remedy);
  return error.found;
}

/** A server of the revision 2025-03-26 publishes no metadata: a login is made there by choice alone. */
async function withoutMetadata(run: Run, { zone }: ProbedServer, tried: string): Promise<ProtectedResource> {
  const { server, held, signal, report } = run;
  if (held?.legacy === true) return legacyResource(server, held.issuer);
  const isLegacy = await servesOwnMetadata(run, { server, zone, grant: 'authorization_code', signal });
  if (isLegacy) report.found('revision-2025-03-26', `no protected resource metadata; tried: ${tried}`);
  throw noProtectedResourceMetadata({ server, given: undefined }, tried, isLegacy ? 'own' : undefined);
}

/** As a login chooses where nobody can be asked. */
async function chooseIssuer({ held, index, report }: Run, named: readonly string[]): Promise<string | undefined> {
  if (held !== undefined && !isNamed(held.issuer, named)) {
    report.found('issuer-changed', `your login is of ${held.issuer}; the server names ${named.join(', ')}`);
    return undefined;
  }
  const { logins, registrations } = await index.read();
  const known = [...registrations, ...logins].map(({ issuer }) => issuer);
  const chosen = held?.issuer ?? known.find((issuer) => named.some((one) => isSameIssuer(one, issuer))) ?? named[0];
  if (named.length > 1) report.found('several-issuers', named.join(', '));
  if (chosen !== undefined) report.pass('choice', chosen);
  return chosen;
}

/** Step 7: how a login would get its client. Nothing is registered. */
async function checkClient(run: Run, server: AuthorizationServer): Promise<void> {
  const { held, report } = run;
  if (held?.provider !== undefined) {
    report.pass('client', `${held.clientId}, for which the company’s provider vouches`);
    return;
  }
  const { clients = [], clientMetadataUrl = run.clientMetadataUrl } = await run.configuration();
  const configured = clients.find(({ issuer }) => isSameIssuer(issuer, server.issuer));
  const kept = manualRegistration(await registrationsFor(run, server.issuer), undefined);
  const choice = chooseWay({
    forced: undefined,
    preregistered: configured?.clientId ?? kept?.clientId,
    metadataUrl: documentOf(clientMetadataUrl, held),
    documentHasKey: false,
    byDevice: false,
    server,
  });
  if (choice.open && choice.way !== 'ask') report.pass('client', `${choice.way}: ${choice.why}`);
  else {
    report.found('no-way-to-register', 'no dynamic registration, no metadata document, no client registered by hand');
  }
}

/** The store that a login would be written to: the one that was set, else that of the one at hand, else of the last one made. */
async function checkStore(run: Run): Promise<void> {
  const { store: wanted } = await run.configuration();
  const { logins } = await run.index.read();
  const last = logins
    .filter(({ store }) => store !== 'environment')
    .toSorted((one, other) => other.obtainedAt - one.obtainedAt)[0];
  const store = run.stores.of(wanted ?? (run.held ?? last)?.store ?? 'keychain');
  await take(run, 'machine', async () => {
    await store.ready();
    run.report.pass('machine', `the store is ready (${store.kind})`);
  });
}

/** A step of the engine; a failure of it is a finding. */
async function take<Result>(run: Run, step: FailedStep, work: () => Promise<Result>): Promise<Result | undefined> {
  const { report, probed, http } = run;
  return await attempt(run, work, (failure): undefined => {
    if (step === 'resource' && report.has('revision-2025-03-26')) return; // that says it
    if (step === 'resource') checkPage(run); // the cause of what follows
    const { id, remedy } = findingOf(step, failure, probed?.status, http.exchanges);
    const isFree = id === 'login-not-needed';
    if (isFree && report.has('page-instead')) return;
    const seen = `status ${probed?.status} without a token, and no authorization server is named`;
    report.found(id, isFree ? seen : failure.message, remedy);
  });
}

/** What was not looked at, and why. */
function skipRest({ report, held, wanted }: Run): void {
  const isFree = report.has('login-not-needed');
  const needs = isFree ? 'no login is needed' : wanted === undefined ? needsLogin : 'the login did not get there';
  const done = new Set(report.findings.map(({ step }) => step));
  const failed = report.findings.find(({ level }) => level === 'failure')?.step;
  const isTried = wanted !== undefined || report.has('stored-login-dead');
  for (const step of Object.keys(steps) as (keyof typeof steps)[]) {
    if (done.has(step) || step === 'provider') continue;
    const isVouched = held?.provider !== undefined && (step === 'request' || step === 'response');
    if (failed !== undefined && isBefore(failed, step) && (isTried || isBefore(step, 'request'))) {
      report.skip(step, `follows from step ${stepOf(failed).number}`);
    } else report.skip(step, isVouched ? 'the company’s provider vouches instead' : needs);
  }
}

function isBefore(step: StepName, other: StepName): boolean {
  return stepOf(step).number < stepOf(other).number;
}
