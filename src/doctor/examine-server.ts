import { exitCode, Failure, isFailure } from '../core/failure.js';
import { loginCommand } from '../core/login-command.js';
import type { Journal } from '../core/ports.js';
import type { LoginRecord, ProviderReference, Zone } from '../core/records.js';
import { mayHoldSecret } from '../core/resource.js';
import { shellWord } from '../core/text/printable.js';
import { secretWords } from '../core/text/secret-headers.js';
import { Deadline } from '../core/time.js';
import { differBySlash, isNamed, isSameIssuer } from '../oauth/discovery-document.js';
import { noProtectedResourceMetadata, OtherIssuer } from '../oauth/failures.js';
import { findLegacyServer, legacyResource, servesOwnMetadata } from '../oauth/legacy-server.js';
import { keptChallenge, probeServer } from '../oauth/probe.js';
import { findProtectedResource, type ProtectedResource } from '../oauth/resource-metadata.js';
import { httpWithHeaders } from '../oauth/server-headers.js';
import { findAuthorizationServer, type WantedGrant } from '../oauth/server-metadata.js';
import { checkBadTokens } from './checks/bad-tokens.js';
import { checkAsked, checkChallenge, checkPage } from './checks/challenge.js';
import { checkClient } from './checks/client.js';
import { checkConnection } from './checks/connection.js';
import { checkIssuer } from './checks/issuer.js';
import { checkIdJagTaken, checkProvider } from './checks/provider.js';
import { checkResource } from './checks/resource.js';
import { type FailedStep, findingOf } from './failure-findings.js';
import { needsLogin, type StepName, stepOf, steps } from './finding.js';
import { readCatalogue } from './findings.js';
import { checkProofsOffered } from './login/bound-token.js';
import { examineByProvider } from './login/by-provider.js';
import { examineWithLogin } from './login/made-login.js';
import { checkStored } from './login/taken-token.js';
import type { Examination, ExaminePorts, ExamineWorld, Known, ServerTarget } from './ports.js';
import { Report } from './report.js';
import { type SeenExchange, SeenHttp } from './seen-http.js';

export interface Examined {
  /** The server's address, without a secret that its query may hold. */
  readonly subject: string;
  readonly report: Report;
  readonly exchanges: readonly SeenExchange[];
}

/**
 * Takes the steps of a login with the engine of the login, as far as nobody has to log in for them, and looks closer at what
 * came. Passive: GET requests for metadata, and POST requests that open a session at most.
 */
export async function examineServer(
  world: ExamineWorld,
  target: ServerTarget,
  wanted: Examination = passive,
): Promise<Examined> {
  const direct = httpWithHeaders(world.http, target);
  const http = new SeenHttp(direct, world.clock);
  const report = new Report(readCatalogue(await world.findingsPage()));
  hideQuery(target.server, report);
  for (const value of target.headers.map((header) => header.value.reveal())) {
    for (const text of [value, ...secretWords(value)]) report.hidden.hide(text);
  }
  using deadline = new Deadline(wanted.limitMs, () => new Failure(tooLong));
  const signal = AbortSignal.any([target.signal, deadline.signal]);
  const own = { direct, http, journal: silentJournal(), deadline, interrupted: target.signal };
  const examiner = new Examiner({ ...world, ...own }, { ...target, signal }, report);
  try {
    await examiner.run(wanted);
  } catch (error) {
    if (target.signal.aborted || !deadline.signal.aborted) throw error;
    if (report.worst === 'failure') report.skip('token', 'the examination took too long');
    else report.found('run-too-long', `ended after ${Math.round(wanted.limitMs / 1000)} s`);
  }
  examiner.skipRest(wanted);
  return { subject: report.hidden.without(target.server), report, exchanges: http.exchanges };
}

function hideQuery(server: string, { hidden }: Report): void {
  if (mayHoldSecret(server)) for (const value of new URL(server).searchParams.values()) hidden.hide(value);
}

const passive: Examination = { login: undefined, limitMs: 180_000 };

const tooLong = {
  code: 'timed_out',
  exit: exitCode.network,
  message: 'The examination took too long.',
  remedy: 'Run it again.',
} as const;

class Examiner {
  readonly #ports: ExaminePorts;
  readonly #target: ServerTarget;
  readonly #report: Report;
  readonly #known: Known = {};
  /** Whose word the login that is looked at is made by. */
  #provider: ProviderReference | undefined;

  constructor(ports: ExaminePorts, target: ServerTarget, report: Report) {
    this.#ports = ports;
    this.#target = target;
    this.#report = report;
  }

  async run(wanted: Examination): Promise<void> {
    this.#provider = this.#target.held?.provider;
    const isAsked = await this.#ask();
    await checkConnection(this.#ports, this.#target, this.#report);
    if (isAsked) await this.#discover();
    if (this.#report.has('login-not-needed')) return;
    checkAsked(this.#ports.http.exchanges, this.#report);
    if (wanted.login === undefined) await this.#checkStore();
    else this.#report.pass('machine', 'not used: the login of this run is kept in memory');
    const { authorizationServer } = this.#known;
    // A login finds a client by itself.
    const isVouched = this.#provider !== undefined;
    const isChosen = wanted.login === undefined || isVouched;
    if (authorizationServer !== undefined && isChosen) {
      await checkClient(this.#ports, { ...this.#target, isVouched, authorizationServer }, this.#report);
    }
    await this.#goOn(wanted);
    if (this.#known.probed?.status === 401) await checkBadTokens(this.#ports, this.#target, this.#known, this.#report);
    const { held, isNamed = false, signal } = this.#target;
    if (held !== undefined && isNamed && wanted.login === undefined && this.#known.probed?.status === 401) {
      await checkStored(this.#ports, { login: held, signal }, this.#report);
    }
    if (held?.provider !== undefined) {
      await checkProvider(this.#ports, { ...this.#target, held, provider: held.provider }, this.#report);
    }
  }

  /** Steps 7 to 12, as far as they were asked for, and a login can work. */
  async #goOn({ login }: Examination): Promise<void> {
    const { probed, resource, authorizationServer } = this.#known;
    if (login === undefined || probed === undefined || resource === undefined || authorizationServer === undefined)
      return;
    const fails = this.#report.findings.some(
      ({ level, step }) => level === 'failure' && step !== 'machine' && isBefore(step, 'request'),
    );
    if (fails) return;
    const { held } = this.#target;
    const found = { probed, resource, authorizationServer };
    const scope = login.scope.length > 0 ? login.scope : (held?.askedScopes ?? []);
    if (held?.provider !== undefined) {
      await examineByProvider(this.#ports, { ...this.#target, ...found, held }, this.#report);
      return;
    }
    const about = { ...this.#target, found, wanted: { ...login, scope } };
    await examineWithLogin(this.#ports, about, this.#report);
  }

  /** Step 2. False where nothing can be found out after it. */
  async #ask(): Promise<boolean> {
    const { server, signal } = this.#target;
    const kept = keptChallenge(await this.#ports.index.read(), server);
    const probed = await this.#step('challenge', () => probeServer(this.#ports, { server, kept, signal }));
    if (probed !== undefined) this.#known.probed = probed;
    checkChallenge(this.#ports.http.exchanges, this.#target, this.#report);
    return probed !== undefined;
  }

  /** Steps 3 to 5. */
  async #discover(): Promise<void> {
    const { server, held, headers, signal } = this.#target;
    const { probed } = this.#known;
    if (probed === undefined) return;
    const whenNone = (tried: string) => this.#whenNone(tried, probed.zone);
    const resource = await this.#step('resource', () =>
      findProtectedResource(this.#ports, { server, probed, isDecided: held?.legacy, whenNone, headers, signal }),
    );
    await checkResource(this.#ports, { ...this.#target, probed, resource }, this.#report);
    if (resource === undefined) return;
    this.#known.resource = resource;
    const issuer = await this.#choose(resource.authorizationServers, held);
    if (issuer === undefined) return;
    this.#known.issuer = issuer;
    const grant: WantedGrant = this.#provider === undefined ? 'authorization_code' : 'assertion';
    const wanted = { zone: probed.zone, grant, signal };
    const find = (issuer: string) =>
      resource.isLegacy
        ? findLegacyServer(this.#ports, { ...wanted, issuer, server })
        : findAuthorizationServer(this.#ports, { ...wanted, issuer, resource: resource.resource });
    const found = await this.#step('issuer', () =>
      find(issuer).catch((error) => find(this.#ownSpelling(issuer, error))),
    );
    await checkIssuer(this.#ports, { ...this.#target, issuer, zone: probed.zone, found }, this.#report);
    if (found === undefined) return;
    this.#known.authorizationServer = found;
    checkProofsOffered(resource, found, this.#report);
    if (held?.provider !== undefined) checkIdJagTaken(found, this.#report);
  }

  /** What an issuer calls itself, where that differs by the slash at its end alone: a login takes it by a person's word. */
  #ownSpelling(issuer: string, error: unknown): string {
    if (!(error instanceof OtherIssuer) || !differBySlash(issuer, error.found)) throw error;
    const { server } = this.#target;
    const command = loginCommand({ server, given: undefined }, '--authorization-server', shellWord(error.found));
    const remedy = `Ask the operator to name it as it calls itself. If you trust it, run: ${command}`;
    this.#report.found('issuer-slash', `${issuer} is named, and calls itself ${error.found}`, remedy);
    return error.found;
  }

  /** A server of the revision 2025-03-26 publishes no metadata: a login is made there by choice alone. */
  async #whenNone(tried: string, zone: Zone): Promise<ProtectedResource> {
    const { server, held, signal } = this.#target;
    if (held?.legacy === true) return legacyResource(server, held.issuer);
    const isLegacy = await servesOwnMetadata(this.#ports, { server, zone, grant: 'authorization_code', signal });
    if (isLegacy) this.#report.found('revision-2025-03-26', `no protected resource metadata; tried: ${tried}`);
    throw noProtectedResourceMetadata({ server, given: undefined }, tried, isLegacy ? 'own' : undefined);
  }

  /** As a login chooses where nobody can be asked. */
  async #choose(named: readonly string[], held: LoginRecord | undefined): Promise<string | undefined> {
    if (held !== undefined && !isNamed(held.issuer, named)) {
      this.#report.found('issuer-changed', `your login is of ${held.issuer}; the server names ${named.join(', ')}`);
      return undefined;
    }
    const { logins, registrations } = await this.#ports.index.read();
    const known = [...registrations, ...logins].map(({ issuer }) => issuer);
    const chosen = held?.issuer ?? known.find((issuer) => named.some((one) => isSameIssuer(one, issuer))) ?? named[0];
    if (named.length > 1) this.#report.found('several-issuers', named.join(', '));
    if (chosen !== undefined) this.#report.pass('choice', chosen);
    return chosen;
  }

  /** The store that a login would be written to: the one that was set, else that of the one at hand, else of the last one made. */
  async #checkStore(): Promise<void> {
    const { store: wanted } = await this.#ports.configuration();
    const { logins } = await this.#ports.index.read();
    const last = logins
      .filter(({ store }) => store !== 'environment')
      .toSorted((one, other) => other.obtainedAt - one.obtainedAt)[0];
    const store = this.#ports.stores.of(wanted ?? (this.#target.held ?? last)?.store ?? 'keychain');
    if ((await this.#step('machine', () => store.ready().then(() => true))) === true) {
      this.#report.pass('machine', `the store is ready (${store.kind})`);
    }
  }

  /** What was not looked at, and why. */
  skipRest({ login }: Examination): void {
    const isFree = this.#report.has('login-not-needed');
    const needs = isFree ? 'no login is needed' : login === undefined ? needsLogin : 'the login did not get there';
    const done = new Set(this.#report.findings.map(({ step }) => step));
    const failed = this.#report.findings.find(({ level }) => level === 'failure');
    for (const step of Object.keys(steps) as (keyof typeof steps)[]) {
      if (done.has(step) || step === 'provider') continue;
      const isLater = failed !== undefined && isBefore(failed.step, step);
      const isTried = login !== undefined || this.#report.has('stored-login-dead');
      const follows = isLater && (isTried || isBefore(step, 'request'));
      const isVouched = this.#target.held?.provider !== undefined && (step === 'request' || step === 'response');
      const why = isVouched ? 'the company’s provider vouches instead' : needs;
      this.#report.skip(step, follows ? `follows from step ${stepOf(failed?.step ?? step).number}` : why);
    }
  }

  /** What the engine does; a failure of it is a finding. */
  async #step<Result>(step: FailedStep, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isFailure(error) || this.#target.signal.aborted) throw error;
      this.#note(step, error);
      return undefined;
    }
  }

  #note(step: FailedStep, failure: Failure): void {
    if (step === 'resource' && this.#report.has('revision-2025-03-26')) return; // that says it
    if (step === 'resource') checkPage(this.#ports, this.#target, this.#report); // the cause of what follows
    const { id, remedy } = findingOf(step, failure, {
      probed: this.#known.probed?.status,
      exchanges: this.#ports.http.exchanges,
    });
    const isFree = id === 'login-not-needed';
    if (isFree && this.#report.has('page-instead')) return;
    const seen = `status ${this.#known.probed?.status} without a token, and no authorization server is named`;
    this.#report.found(id, isFree ? seen : failure.message, remedy);
  }
}

function isBefore(step: StepName, other: StepName): boolean {
  return stepOf(step).number < stepOf(other).number;
}

/** What the engine records is not printed: the findings say it. */
function silentJournal(): Journal {
  return { record: () => undefined, steps: [] };
}
