import { Provider } from 'oidc-provider/lib/provider.js';
import type { Addresses } from '../faults/fault.js';
import { noRotation } from '../faults/refresh.js';
import type { ActiveFaults } from '../faults/table.js';
import type { RequestLog } from '../log.js';
import { randomSecret } from '../one-time.js';
import type { SandboxSettings } from '../options.js';
import type { UpstreamAccounts } from '../upstream-accounts.js';
import type { LoopbackServer } from '../wire/listen.js';
import { Approval } from './approval.js';
import { documentHooks } from './client-documents.js';
import { isAcceptable, isRegistered } from './client-rules.js';
import { CompanyProvider } from './company/company-provider.js';
import { acceptIdJags } from './company/id-jag-grant.js';
import { providerConfiguration } from './configuration.js';
import { userCodeGuesses } from './device-flow.js';
import { front } from './front.js';
import { interactionPages } from './interactions.js';
import type { SigningKeys } from './keys.js';
import type { KeptRecords } from './memory.js';
import { errorPage } from './pages/error-page.js';
import { jwtBearerGrant, WorkloadIssuer } from './workload-issuer.js';

export interface AuthorizationServerParts {
  readonly server: LoopbackServer;
  readonly settings: SandboxSettings;
  readonly keys: SigningKeys;
  readonly addresses: Addresses;
  readonly log: RequestLog;
  readonly faults: ActiveFaults;
  readonly accounts: UpstreamAccounts;
  /** Where records were kept by an earlier run, and are kept for the next; undefined: in memory alone. */
  readonly kept: KeptRecords | undefined;
  /** The sandbox ends. */
  readonly closing: AbortSignal;
}

/** Puts the authorization server behind a listening port. */
export function serveAuthorization(parts: AuthorizationServerParts): void {
  const { server, settings } = parts;
  const resources = [parts.addresses.serverUrl, ...settings.otherResources];
  const secret = randomSecret();
  const guesses = userCodeGuesses();
  const workload = new WorkloadIssuer(parts.addresses.issuer, settings.clients);
  const provider = new Provider(
    parts.addresses.issuer,
    providerConfiguration({
      settings,
      keys: parts.keys,
      resources,
      issuerPath: settings.issuerPath,
      port: server.port,
      cookieSecret: secret,
      kept: parts.kept,
      rotates: () => !parts.faults.isOn(noRotation),
      isFaulty: (name) => parts.faults.isOn(name),
      documents: documentHooks(settings.metadataDocuments || {}, parts.closing),
      guesses,
      workloadSecret: workload.secret,
      renderError: (context, out) => {
        const page = errorPage(context.status, out.error, out.error_description ?? '');
        for (const [name, value] of page.headers) context.set(name, value);
        context.body = Buffer.from(page.body as Uint8Array);
      },
    }),
  );
  const company = takeAssertions(provider, parts, { workload, resources });
  // The way oidc-provider's own recipes give to have a rule of one's own for redirect URIs.
  provider.Client.prototype.redirectUriAllowed = function redirectUriAllowed(asked: string): boolean {
    const registered = (this.redirectUris ?? []).filter(isAcceptable);
    return isRegistered(asked, registered, settings.loopbackPorts);
  };
  const interactions = interactionPages({
    provider,
    issuerPath: settings.issuerPath,
    accounts: parts.accounts,
    isFaulty: (name) => parts.faults.isOn(name),
    secret,
    preregistered: new Set(settings.clients.map((client) => client.client_id)),
  });
  const pages = [parts.addresses.authorizationOrigin, parts.accounts.origin];
  const approval = settings.approve ? new Approval(pages) : undefined;
  server.serve(front({ ...parts, provider, interactions, resources, guesses, approval, workload, company }));
}

/** What is taken by the jwt-bearer grant, if anything: tokens of a platform, and what a company's provider vouches for. */
function takeAssertions(
  provider: Provider,
  { settings, addresses: { issuer }, keys }: AuthorizationServerParts,
  { workload, resources }: { readonly workload: WorkloadIssuer; readonly resources: readonly string[] },
): CompanyProvider {
  const { accessTokenSeconds, companyIssuer } = settings;
  const company = new CompanyProvider({ ...settings, audience: issuer });
  if (company.hasClients) {
    acceptIdJags(provider, { company, issuer, resources, signing: keys.signing, accessTokenSeconds, companyIssuer });
  } else if (workload.hasClients) {
    // For its metadata alone: what comes by that grant is looked at before it.
    provider.registerGrantType(jwtBearerGrant, () => undefined);
  }
  return company;
}
