import { isFailure, type Step } from '../../core/failure.js';
import { sayTheSame } from '../checks/documents.js';
import { checkRegistered, scopesOf } from '../checks/registered.js';
import { findings } from '../findings.js';
import type { Discovered, ExaminePorts, LoginUnderTest, MadeLogin, ServerTarget, WantedLogin } from '../ports.js';
import type { Report } from '../report.js';
import { RunHttp } from '../run-http.js';
import { checkBound, provingPorts } from './bound-token.js';
import { findingOfLogin } from './finding-of-login.js';
import { checkIssued } from './issued-token.js';
import { checkRefresh } from './refresh.js';
import { endLogin } from './revocation.js';
import { checkProtocol } from './spoken-protocol.js';
import { checkTaken } from './taken-token.js';

/** Steps 7 to 12 with a login made for them, whose tokens are revoked however they end. */
export async function examineWithLogin(
  ports: ExaminePorts,
  about: ServerTarget & { readonly found: Discovered; readonly wanted: WantedLogin },
  report: Report,
): Promise<void> {
  const { found, wanted } = about;
  const http = new RunHttp(ports.direct, report.hidden);
  let made: MadeLogin | undefined;
  try {
    made = await logIn(ports, { ...about, http }, report);
    checkSteady(ports, http, report);
    if (made === undefined) return;
    const { asked } = scopesOf({ ...about, ...found }, wanted.scope);
    const under: LoginUnderTest = { ...about, ...found, ...made, asked, http };
    checkIssued(under, report);
    checkBound(under.credential, found, report);
    const proving = await provingPorts(ports, under.credential, report);
    if (await checkTaken(proving, under, report)) {
      await checkProtocol(proving, under, report);
      await checkRefresh(proving, under, report);
    }
  } finally {
    await endLogin(ports, { ...about, ...found, made, http }, report);
  }
}

async function logIn(
  ports: ExaminePorts,
  about: Parameters<typeof examineWithLogin>[1] & { readonly http: RunHttp },
  report: Report,
): Promise<MadeLogin | undefined> {
  const { server, held, headers, found, wanted, http, signal } = about;
  const steps: Step[] = [];
  const journal = { steps, record: (step: Step) => void steps.push(step) };
  try {
    const { issuer } = found.authorizationServer;
    ports.deadline.stop(); // each request of a login has its limit, and so has the person
    const made = await ports.logInForRun({ ...wanted, server, issuer, held, headers, http, journal, signal });
    const [registered] = http.registered;
    if (registered !== undefined) checkRegistered(registered.body, found.authorizationServer, report);
    if (!steps.some(({ name }) => name === 'authorization')) {
      report.pass('request', 'a code to type was asked for');
      report.pass('response', 'a code was typed elsewhere: there is no response to look at');
    }
    report.pass('save', 'into memory');
    return made;
  } catch (error) {
    if (!isFailure(error) || signal.aborted) throw error;
    const isRegisteredHere = http.registered.length > 0;
    const id = findingOfLogin({ failure: error, steps, isRegisteredHere });
    checkSteady(ports, http, report); // that would be why
    const ignored = id === 'state-not-returned' ? steps.findLast(({ name }) => name === 'callback')?.came : undefined;
    // What the person can mend the failure knows best, but for those that speak of another command.
    const knowsMore = findings[id].who === 'you' && !['login_needs_person', 'too_many_tabs'].includes(error.code);
    report.found(id, ignored ?? error.message, knowsMore ? error.remedy : undefined);
    return undefined;
  } finally {
    passSteps(steps, report);
    ports.deadline.restart();
  }
}

/** What went well, as far as the login came. */
function passSteps(steps: readonly Step[], report: Report): void {
  const taken = (name: string) => steps.find((step) => step.name === name);
  const client = taken('client-identity');
  if (client?.verdict === 'pass') report.pass('client', client.came);
  const response = taken('authorization');
  if (response !== undefined) report.pass('request', `${response.asked}, with PKCE S256`);
  if (response?.verdict === 'pass') report.pass('response', response.came);
}

/** The login has asked for the metadata again: does it say the same? */
function checkSteady({ http }: ExaminePorts, { documents }: RunHttp, report: Report): void {
  const members = [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'registration_endpoint',
    'revocation_endpoint',
  ];
  for (const [url, document] of documents) {
    const before = http.documentAt(url);
    if (before !== undefined && !sayTheSame(before, document, members)) {
      report.found('issuer-metadata-unsteady', `${url}, asked twice`);
    }
  }
}
