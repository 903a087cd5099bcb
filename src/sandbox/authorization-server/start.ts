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
import { companyProvider } from './company-provider.js';
import { providerConfiguration, resourceServer as resourceServerOf, type Surroundings } from './configuration.js';
import { userCodeGuesses } from './device-flow.js';
import { front } from './front.js';
import { acceptIdJags } from './id-jag-grant.js';
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
  const about: Surroundings = {
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
  };
  const { issuer } = parts.addresses;
  const provider = new Provider(issuer, providerConfiguration(about));
  const company = companyProvider(`${issuer}/company`, about);
  // What is taken by the jwt-bearer grant, if anything: what a company's provider vouches for, and tokens of a platform.
  if (company !== undefined) {
    const companyIssuer = settings.companyIssuer || company.issuer;
    const resourceServer = (resource: string) => resourceServerOf(about, resource);
    acceptIdJags(provider, { companyIssuer, issuer, keys: parts.keys, resourceServer });
  } else if (workload.hasClients) {
    // For its metadata alone: what comes by that grant is looked at before it.
    provider.registerGrantType(jwtBearerGrant, () => undefined);
  }
  // The way oidc-provider's own recipes give to have a rule of one's own for redirect URIs.
  provider.Client.prototype.redirectUriAllowed = function redirectUriAllowed(asked: string): boolean {
    const registered = (this.redirectUris ?? []).filter(isAcceptable);
    return isRegistered(asked, registered, settings.loopbackPorts);
  };
  const pages = {
    accounts: parts.accounts,
    isFaulty: about.isFaulty,
    secret,
    preregistered: new Set(settings.clients.map((client) => client.client_id)),
  };
  const interactions = interactionPages({ ...pages, provider, issuerPath: settings.issuerPath });
  const companyPath = `${settings.issuerPath}/company`;
  const ofCompany = company && {
    provide: company.callback(),
    interactions: interactionPages({ ...pages, provider: company, issuerPath: companyPath }),
  };
  const origins = [parts.addresses.authorizationOrigin, parts.accounts.origin];
  const approval = settings.approve ? new Approval(origins) : undefined;
  server.serve(front({ ...parts, provider, interactions, resources, guesses, approval, workload, company: ofCompany }));
}
