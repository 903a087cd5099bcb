import { isFailure, type Step } from '../../core/failure.js';
import { selectScopes } from '../../oauth/discover.js';
import { checkRegistered } from '../checks/client.js';
import { sayTheSame } from '../checks/metadata.js';
import { findingOfLogin } from '../finding-of-failure.js';
import { findings } from '../findings.js';
import type { DiscoveredRun, MadeLogin, WantedLogin } from '../run.js';
import { RunHttp } from '../run-http.js';
import { checkIssued } from './issued-token.js';
import { checkRefresh } from './refresh.js';
import { endLogin } from './revocation.js';
import { checkProtocol } from './spoken-protocol.js';
import { checkTaken, provingRun } from './taken-token.js';

/** Steps 7 to 13 with a login made for them, whose tokens are revoked however they end. */
export async function examineWithLogin(found: DiscoveredRun, wanted: WantedLogin): Promise<void> {
  const noting = new RunHttp(found.direct);
  const run = { ...found, noting };
  let made: MadeLogin | undefined;
  try {
    made = await logIn(run, wanted);
    checkSteady(run);
    if (made === undefined) return;
    const login = await provingRun({ ...run, ...made, asked: scopesAsked(found, wanted) });
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
