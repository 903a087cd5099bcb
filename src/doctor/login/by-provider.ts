import { type Failure, isFailure, type Step } from '../../core/failure.js';
import type { LoginRecord } from '../../core/records.js';
import type { HttpClient } from '../../http/request.js';
import { refreshed } from '../../tokens/keep-refreshed.js';
import { readCredential } from '../../tokens/read-credential.js';
import { requestRefresh, tokenFailure } from '../../tokens/send-refresh.js';
import { providerRefresh } from '../../tokens/valid-token.js';
import { type FindingId, findings } from '../findings.js';
import type { Discovered, ExaminePorts, LoginUnderTest, MadeLogin, ServerTarget } from '../ports.js';
import type { Report } from '../report.js';
import { RunHttp } from '../run-http.js';
import { provingPorts } from './bound-token.js';
import { findingOfLogin } from './finding-of-login.js';
import { endLogin } from './revocation.js';
import { checkProtocol } from './spoken-protocol.js';
import { checkTaken } from './taken-token.js';

type About = ServerTarget & Discovered & { readonly held: LoginRecord };

/**
 * Steps 10 to 13 of a login by a company's provider: it is asked to vouch once more, as for each token, and the token that
 * comes of it is tried and revoked. Nobody is asked; what is kept of the login stays as it is, and the login at the provider
 * is refreshed where it would be for every other token.
 */
export async function examineByProvider(ports: ExaminePorts, about: About, report: Report): Promise<void> {
  const { held, signal } = about;
  const http = new RunHttp(ports.direct, report.hidden);
  const steps: Step[] = [];
  let made: MadeLogin | undefined;
  try {
    made = await ask(ports, { held, steps, signal }, report);
    const { accessToken: token, binding, scopes: asked } = made.credential;
    http.issued.push({ token, hint: 'access_token', clientId: binding.clientId });
    report.pass('redeem', 'the provider vouched, and a token came for its ID-JAG');
    report.pass('save', 'into memory');
    const under: LoginUnderTest = { ...about, ...made, asked, http };
    const proving = await provingPorts(ports, made.credential, report);
    if (await checkTaken(proving, under, report)) await checkProtocol(proving, under, report);
  } catch (error) {
    if (!isFailure(error) || made !== undefined || signal.aborted) throw error;
    const isOfProvider = steps.findLast(({ verdict }) => verdict === 'failure')?.name === 'token_exchange';
    const id = findingOf(error, { steps, isOfProvider });
    report.found(id, error.message, findings[id].who === 'you' ? error.remedy : undefined);
  } finally {
    await endLogin(ports, { ...about, made, http }, report);
  }
}

/** @throws Failure of the exchange, of the token endpoint, of the store */
async function ask(
  ports: ExaminePorts,
  { held, steps, signal }: { readonly held: LoginRecord; readonly steps: Step[]; readonly signal: AbortSignal },
  report: Report,
): Promise<MadeLogin> {
  ports.progress.begin('Asking the company’s provider to vouch');
  const credential = await readCredential(ports, held);
  // What it notes as issued is not for one authorization server alone: nothing of it is revoked.
  const noted = new RunHttp(ports.direct, report.hidden);
  const http: HttpClient = {
    check: (target) => noted.check(target),
    send: (request) => noted.send(request),
    [Symbol.asyncDispose]: () => noted[Symbol.asyncDispose](),
  };
  const journal = { steps, record: (step: Step) => void steps.push(step) };
  const asking = { ...ports, http, journal };
  const refresh = providerRefresh(asking, signal);
  const { scopes } = credential;
  const { result, explain } = await requestRefresh(asking, { held: credential, scopes, login: held, refresh, signal });
  if (!result.ok) throw explain(tokenFailure(result, held.issuer));
  return { login: held, credential: refreshed(credential, result.token) };
}

const byCode: Readonly<Record<string, FindingId>> = {
  id_jag_unusable: 'id-jag-unusable',
  provider_refused: 'provider-refused',
  login_expired: 'provider-login-ended',
  grant_refused: 'id-jag-refused',
  invalid_grant: 'id-jag-refused',
  invalid_client: 'id-jag-refused',
  unauthorized_client: 'id-jag-refused',
  assertion_unreadable: 'id-token-unusable',
  assertion_unusable: 'id-token-unusable',
};

function findingOf(
  failure: Failure,
  { steps, isOfProvider }: { readonly steps: readonly Step[]; readonly isOfProvider: boolean },
): FindingId {
  const known = byCode[failure.code];
  if (known !== undefined) return known;
  return isOfProvider ? 'provider-failed' : findingOfLogin({ failure, steps, isRegisteredHere: false });
}
