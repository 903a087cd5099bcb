import { isFailure } from '../../core/failure.js';
import { loginCommand } from '../../core/login-command.js';
import type { LoginRecord, ProviderReference } from '../../core/records.js';
import { findProvider } from '../../oauth/company/find-provider.js';
import { missingForIdJag } from '../../oauth/company/id-jag.js';
import type { AuthorizationServer } from '../../oauth/server-metadata.js';
import { providerLogin, readTokenFile } from '../../tokens/company/vouch.js';
import type { FindingId } from '../findings.js';
import type { ExaminePorts, ServerTarget } from '../ports.js';
import type { Report } from '../report.js';

/** Step 5: does the authorization server take what a company's provider vouches for? */
export function checkIdJagTaken(server: AuthorizationServer, report: Report): void {
  const missing = missingForIdJag(server);
  if (missing === undefined) report.pass('issuer', 'takes what a company’s provider vouches with (ID-JAG)');
  else report.found('id-jag-not-listed', `without ${missing}`);
}

/**
 * Step 14: can the company's provider vouch for this login, as far as its metadata and the index tell? Nobody logs in there,
 * and nothing is exchanged. An ID token that comes from a file is looked at where it lies.
 */
export async function checkProvider(
  ports: Pick<ExaminePorts, 'direct' | 'journal' | 'progress' | 'index' | 'assertions' | 'clock'>,
  { provider, held, signal }: Pick<ServerTarget, 'signal'> & ByProvider,
  report: Report,
): Promise<void> {
  const { issuer, tokenFile } = provider;
  const byBrowser = tokenFile === undefined;
  try {
    const found = await findProvider({ ...ports, http: ports.direct }, { issuer, byBrowser, signal });
    const { grantTypes } = found.provider;
    report.pass('provider', `${issuer} issues ID-JAGs for its ID tokens`);
    if (byBrowser && grantTypes?.includes('refresh_token') === false) {
      report.found('provider-refresh-not-listed', `grant_types_supported: ${grantTypes.join(', ')}`);
    }
  } catch (error) {
    if (!isFailure(error) || signal.aborted) throw error;
    const id = byCode[error.code] ?? 'provider-metadata-unusable';
    report.found(id, error.message, id === 'provider-unreachable' ? error.remedy : undefined);
  }
  if (!byBrowser) await checkTokenFile(ports, { ...provider, path: tokenFile, signal }, report);
  else if (!report.has('provider-login-ended')) await checkLoginThere(ports, { provider, held }, report);
}

interface ByProvider {
  readonly provider: ProviderReference;
  readonly held: LoginRecord;
}

const byCode: Readonly<Record<string, FindingId>> = {
  network_failed: 'provider-unreachable',
  timed_out: 'provider-unreachable',
  tls_failed: 'provider-unreachable',
  capability_missing: 'provider-exchanges-nothing',
};

/** The login there, as the index knows it. */
async function checkLoginThere(
  ports: Pick<ExaminePorts, 'index'>,
  { provider, held }: ByProvider,
  report: Report,
): Promise<void> {
  const login = await providerLogin(ports, { provider, account: held.account });
  const why =
    login === undefined
      ? 'there is none on this machine'
      : login.dead === true
        ? 'the provider refused to refresh it'
        : login.gone === true
          ? 'its secret is gone from its store'
          : undefined;
  if (why === undefined) report.pass('provider', 'you are logged in there');
  else report.found('provider-login-ended', why, `Run: ${loginCommand(held)}`);
}

async function checkTokenFile(
  ports: Pick<ExaminePorts, 'assertions' | 'clock'>,
  {
    signal,
    ...file
  }: Pick<ProviderReference, 'issuer' | 'clientId'> & { readonly path: string; readonly signal: AbortSignal },
  report: Report,
): Promise<void> {
  try {
    await readTokenFile(ports, file, signal);
    report.pass('provider', `${file.path} holds an ID token of it that has not ended`);
  } catch (error) {
    if (!isFailure(error) || signal.aborted) throw error;
    if (!report.has('id-token-unusable')) report.found('id-token-unusable', error.message, error.remedy);
  }
}
