import { type Failure, isFailure, type Step } from '../../core/failure.js';
import { loginCommand } from '../../core/login-command.js';
import type { LoginRecord, ProviderReference } from '../../core/records.js';
import { findProvider } from '../../oauth/company/find-provider.js';
import { missingForIdJag } from '../../oauth/company/id-jag.js';
import type { AuthorizationServer } from '../../oauth/server-metadata.js';
import { refreshed } from '../../tokens/keep-refreshed.js';
import { readCredential } from '../../tokens/read-credential.js';
import { requestRefresh, tokenFailure } from '../../tokens/send-refresh.js';
import { providerRefresh } from '../../tokens/valid-token.js';
import { providerLogin, readTokenFile } from '../../tokens/vouch.js';
import { findingOfLogin, network } from '../finding-of-failure.js';
import { type FindingId, findings } from '../findings.js';
import { attempt, type DiscoveredRun, type MadeLogin, type Run } from '../run.js';
import { RunHttp } from '../run-http.js';
import { endLogin } from './revocation.js';
import { checkProtocol } from './spoken-protocol.js';
import { checkTaken, provingRun } from './taken-token.js';

/** Step 5: does the authorization server take what a company's provider vouches for? */
export function checkIdJagTaken({ report }: Run, server: AuthorizationServer): void {
  const missing = missingForIdJag(server);
  if (missing === undefined) report.pass('issuer', 'takes what a company’s provider vouches with (ID-JAG)');
  else report.found('id-jag-not-listed', `without ${missing}`);
}

/**
 * Steps 10 to 13 of a login by a company's provider: it is asked to vouch once more, as for each token, and the token that
 * comes of it is tried and revoked. Nobody is asked; what is kept of the login stays as it is, and the login at the provider
 * is refreshed where it would be for every other token.
 */
export async function examineByProvider(found: DiscoveredRun, held: LoginRecord): Promise<void> {
  const { report, signal } = found;
  const noting = new RunHttp(found.direct);
  const run = { ...found, noting };
  const steps: Step[] = [];
  let made: MadeLogin | undefined;
  try {
    made = await askToVouch(run, held, steps);
    const { accessToken: token, binding, scopes: asked } = made.credential;
    noting.issued.push({ token, hint: 'access_token', clientId: binding.clientId });
    report.pass('redeem', 'the provider vouched, and a token came for its ID-JAG');
    report.pass('save', 'into memory');
    const login = provingRun({ ...run, ...made, asked });
    if (await checkTaken(login)) await checkProtocol(login);
  } catch (error) {
    if (!isFailure(error) || made !== undefined || signal.aborted) throw error;
    const id = findingOf(error, steps);
    report.found(id, error.message, findings[id].who === 'you' ? error.remedy : undefined);
  } finally {
    await endLogin(run, made);
  }
}

/** @throws Failure of the exchange, of the token endpoint, of the store */
async function askToVouch(run: DiscoveredRun, held: LoginRecord, steps: Step[]): Promise<MadeLogin> {
  const { signal } = run;
  run.progress.begin('Asking the company’s provider to vouch');
  const credential = await readCredential(run, held);
  // What it notes as issued is not for one authorization server alone: nothing of it is revoked.
  const http = new RunHttp(run.direct);
  const asking = { ...run, http, journal: { steps, record: (step: Step) => void steps.push(step) } };
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

function findingOf(failure: Failure, steps: readonly Step[]): FindingId {
  const isOfProvider = steps.findLast(({ verdict }) => verdict === 'failure')?.name === 'token_exchange';
  return byCode[failure.code] ?? (isOfProvider ? 'provider-failed' : findingOfLogin(failure, steps, false));
}

/**
 * Step 14: can the company's provider vouch for this login, as far as its metadata and the index tell? Nobody logs in there,
 * and nothing is exchanged. An ID token that comes from a file is looked at where it lies.
 */
export async function checkProvider(run: Run, held: LoginRecord, provider: ProviderReference): Promise<void> {
  const { signal, report } = run;
  const { issuer, tokenFile } = provider;
  const byBrowser = tokenFile === undefined;
  const find = async () => {
    const { provider: found } = await findProvider({ ...run, http: run.direct }, { issuer, byBrowser, signal });
    report.pass('provider', `${issuer} issues ID-JAGs for its ID tokens`);
    if (byBrowser && found.grantTypes?.includes('refresh_token') === false) {
      report.found('provider-refresh-not-listed', `grant_types_supported: ${found.grantTypes.join(', ')}`);
    }
  };
  await attempt(run, find, ({ code, message, remedy }) => {
    if (network.has(code)) report.found('provider-unreachable', message, remedy);
    else if (code === 'capability_missing') report.found('provider-exchanges-nothing', message);
    else report.found('provider-metadata-unusable', message);
  });
  if (!byBrowser) await checkTokenFile(run, { ...provider, path: tokenFile });
  else if (!report.has('provider-login-ended')) await checkLoginThere(run, held, provider);
}

/** The login there, as the index knows it. */
async function checkLoginThere(run: Run, held: LoginRecord, provider: ProviderReference): Promise<void> {
  const login = await providerLogin(run, { provider, account: held.account });
  if (login !== undefined && login.dead !== true && login.gone !== true) {
    run.report.pass('provider', 'you are logged in there');
    return;
  }
  const ended = login?.dead === true ? 'the provider refused to refresh it' : 'its secret is gone from its store';
  const why = login === undefined ? 'there is none on this machine' : ended;
  run.report.found('provider-login-ended', why, `Run: ${loginCommand(held)}`);
}

async function checkTokenFile(
  run: Run,
  file: Pick<ProviderReference, 'issuer' | 'clientId'> & { readonly path: string },
): Promise<void> {
  const { signal, report } = run;
  const read = async () => {
    await readTokenFile(run, file, signal);
    report.pass('provider', `${file.path} holds an ID token of it that has not ended`);
  };
  await attempt(run, read, ({ message, remedy }) => {
    if (!report.has('id-token-unusable')) report.found('id-token-unusable', message, remedy);
  });
}
