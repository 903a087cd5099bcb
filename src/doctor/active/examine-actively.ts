import { isFailure } from '../../core/failure.js';
import { quoted } from '../../core/text/printable.js';
import { timeLimit } from '../../core/time.js';
import type { RefusedRequest } from '../../oauth/engine.js';
import { outageInWords } from '../../oauth/failures.js';
import { type RegistrationAsk, type RegistrationResult, registerClient } from '../../oauth/registration.js';
import type { Discovered, ExaminePorts, ServerTarget } from '../ports.js';
import { removeClients } from '../registered-clients.js';
import type { Report } from '../report.js';
import { RunHttp } from '../run-http.js';
import { checkAuthorizationEndpoint } from './authorization-endpoint.js';
import { checkRegistered, scopesOf } from './registered.js';

/** Nothing listens there, and nobody is ever sent there. */
const redirectUri = 'http://127.0.0.1:49152/callback';

/**
 * Steps 7 and 8, actively: registers a client, sends authorization requests that are wrong, and removes the client.
 * @returns whether a login may be tried
 */
export async function examineActively(
  ports: ExaminePorts,
  about: ServerTarget & Discovered & { readonly scope: readonly string[] },
  report: Report,
): Promise<boolean> {
  const { authorizationServer } = about;
  const { registrationEndpoint: endpoint, issuer } = authorizationServer;
  if (endpoint === undefined) {
    report.skip('client', 'no dynamic registration, so there is no client to try with');
    return true;
  }
  const http = new RunHttp(ports.direct, report.hidden);
  const scopes = scopesOf(about, about.scope);
  try {
    ports.progress.begin(`Registering at ${issuer}`);
    const clientId = await register(ports, { ...about, http, endpoint, scopes: scopes.registered }, report);
    if (clientId === undefined) return false;
    ports.progress.begin('Sending authorization requests that are wrong');
    return await checkAuthorizationEndpoint(
      ports,
      { ...about, http, clientId, redirectUri, scopes: scopes.asked },
      report,
    );
  } finally {
    const isInterrupted = ports.interrupted.aborted;
    const left = await removeClients(http, { ...about, signal: timeLimit(isInterrupted ? 1_000 : 5_000) });
    for (const one of left) {
      if (isInterrupted) ports.terminal.tell(`Still registered there: the client ${quoted(one, 300)}.`);
      else report.found('client-left', `client identifier ${one}`);
    }
  }
}

interface Registration extends ServerTarget, Discovered, Pick<RegistrationAsk, 'scopes'> {
  readonly http: RunHttp;
  readonly endpoint: string;
}

async function register(ports: ExaminePorts, about: Registration, report: Report): Promise<string | undefined> {
  const { http, scopes, signal } = about;
  try {
    const result = await registerOnce(ports, about, { grants: ['authorization_code', 'refresh_token'], scopes });
    const less = { grants: ['authorization_code'], scopes: [] };
    const final = isAboutTheAsk(result) ? await registerOnce(ports, about, less) : result;
    if (final.ok) {
      checkRegistered(http.registered.at(-1)?.body ?? {}, about.authorizationServer, report);
      return final.client.clientId;
    }
    if (final.problem === 'unusable') report.found('registration-invalid', final.why);
    else if (final.problem === 'transient') report.found('registration-failed', `responded ${outageInWords(final)}`);
    else report.found('registration-refused', refusalIn(final));
  } catch (error) {
    if (!isFailure(error) || signal.aborted) throw error;
    const isRedirect = error.code === 'redirect_refused';
    report.found(isRedirect ? 'registration-redirected' : 'registration-failed', error.message);
  }
  return undefined;
}

function refusalIn({ status, error, said }: RefusedRequest): string {
  return [`status ${status}`, error, said === '' ? '' : `it said: ${quoted(said)}`].filter(Boolean).join(', ');
}

/** A refusal for a grant or a scope that is not given; then less is asked for, as a login does. */
function isAboutTheAsk(result: RegistrationResult): boolean {
  return !result.ok && result.problem === 'refused' && [400, 422].includes(result.status);
}

async function registerOnce(
  { clock }: ExaminePorts,
  about: Registration,
  wanted: RegistrationAsk,
): Promise<RegistrationResult> {
  const { http, authorizationServer: server, endpoint, held, probed, signal } = about;
  const name = held?.clientName;
  const ask = { name, ...wanted, server, endpoint, redirectUri, zone: probed.zone, now: clock.now(), signal };
  return await registerClient(http, ask);
}
