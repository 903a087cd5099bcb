import { isFailure } from '../core/failure.js';
import type { LoginRecord } from '../core/records.js';
import { keepChosenRedirectUri } from '../tokens/registrations.js';
import { type AuthorizationAttempt, authorize } from './authorize.js';
import { announce, beginLogin } from './begin-login.js';
import { PageAdvice } from './browser/failures.js';
import { announceDocument, documentRefused, redirectUriToKeep } from './client/document-login.js';
import { hasToRegister, identifyClient, LazyClient } from './client/identify-client.js';
import { forgetRefusedClient, keepClient, noteUnanswered } from './client/known-client.js';
import type { IdentifiedClient } from './client/register.js';
import { deviceFallback } from './device/device-fallback.js';
import { openListener, planRedirect } from './open-listener.js';
import type { BegunLogin, BrowserAvailability, LoginConsent, LoginPorts, PersonLogin, PersonOptions } from './ports.js';
import { type Authorization, type Redeemed, redeem } from './redeem.js';
import { otherRedirectCommand, type UsedRedirect, withOtherRedirect } from './refusals/redirect-refused.js';
import { resourceAdvice, withOtherRequest } from './refusals/resource-refused.js';
import { saveCredential } from './save-credential.js';

/**
 * The whole main job: from a server's address to a stored credential (rule 5.3, all eight steps but the last).
 * A login by a company's provider goes another way. Nothing is opened before the store is known to work; success is shown in the browser only once the token is stored.
 * @param overtaken Rejects when the login need not be waited for any longer; looked at while a person is waited for.
 * @throws Failure of each step; an earlier login of this server and account is then as it was
 */
export async function login(
  world: LoginPorts,
  request: PersonLogin,
  overtaken?: (signal: AbortSignal) => Promise<never>,
): Promise<LoginRecord> {
  const company = await import('./company/company-login.js');
  const provider = await company.providerOf(world, request);
  if (provider !== undefined) return await company.companyLogin(world, request, provider);
  return await loginByCode(world, request, overtaken);
}

async function loginByCode(
  world: LoginPorts,
  request: PersonLogin,
  overtaken: ((signal: AbortSignal) => Promise<never>) | undefined,
): Promise<LoginRecord> {
  const { person, signal } = request;
  const begun = await beginLogin(world, request, 'authorization_code');
  const { ports, discovery, headers } = begun;
  const plan = planRedirect(begun, request.client, person);
  await using listener = await openListener(ports, plan, person.listenAddress);
  const redirect = { redirectUri: listener.redirectUri, hasFixedPort: plan.hasFixedPort };
  const consent = consentTo(begun, person.caller);
  const client = await clientOf(begun, request, redirect, consent);
  announce(begun);
  announceDocument(begun, client.found, redirect);
  try {
    const fallback = deviceFallback(begun, () => client.get(), person);
    const advice = adviceOn(begun, client, redirect);
    const browser = request.browser ?? begun.held?.browser;
    const { page } = request;
    const attempt = {
      person,
      page,
      browser,
      client,
      listener,
      consent,
      whenPageFails: advice,
      fallback,
      overtaken,
      signal,
    };
    const authorized = await authorizeOrDoubt(begun, attempt);
    const identified = await client.get();
    const redeemed = await tokenOf(begun, authorized, {
      client: identified,
      redirectUri: redirect.redirectUri,
      signal,
    });
    const { way } = identified;
    const record = await saveCredential(ports, {
      ...{ request, discovery, redeemed, way, headers, proofs: begun },
      grant: 'authorization_code',
    });
    await keepClient(begun, identified, redirectUriToKeep(identified, redirect), redeemed.client.method);
    const { issuer } = discovery.authorizationServer;
    if (person.redirectUri !== undefined) await keepChosenRedirectUri(ports, issuer, person.redirectUri);
    recordStored(ports, record);
    await listener.finish('stored', record);
    return record;
  } catch (error) {
    await listener.finish(isFailure(error, 'denied') ? 'declined' : 'failed');
    if (client.found === undefined) throw error;
    await forgetRefusedClient(begun, client.found, error);
    const failure = withOtherRequest(begun, 'person', withOtherRedirect(begun, client.found.way, redirect, error));
    throw documentRefused(begun, client.found, redirect, failure);
  } finally {
    ports.progress.end();
  }
}

/**
 * The first login at a server or an issuer, begun by a program: nobody has seen the addresses, so the person does now. The
 * same where the program has chosen what the token is asked for, which is the person's to choose.
 */
function consentTo({ isNew, discovery, held }: BegunLogin, caller: PersonOptions['caller']): LoginConsent | undefined {
  const { server, authorizationServer, requestedResource } = discovery;
  const isChosen = requestedResource !== undefined && requestedResource !== held?.requestedResource;
  if (caller === undefined || !(isNew.server || isNew.issuer || isChosen)) return undefined;
  const { issuer } = authorizationServer;
  return { program: caller(), server, issuer, ...(isChosen ? { requestedResource } : {}) };
}

/** Where a browser is likely to be opened: elsewhere a code is offered with the address. */
const opensBrowsers: readonly BrowserAvailability[] = ['desktop', 'wsl'];

/** Who asks. Where a person has to agree first, the authorization server hears of nobody before. */
async function clientOf(
  begun: BegunLogin,
  { client: options, person, signal }: PersonLogin,
  redirect: UsedRedirect,
  consent: LoginConsent | undefined,
): Promise<LazyClient> {
  const isOffered = person.mode === 'no-browser' || !opensBrowsers.includes(person.availability);
  const userCode = isOffered ? 'offered' : 'none';
  const { way: forced, metadataUrl } = options;
  const asked = { ...redirect, begun, forced, metadataUrl, userCode, signal } as const;
  const client = new LazyClient(() => identifyClient(asked));
  const isLazy = consent !== undefined && person.mode === 'browser' && (await hasToRegister(asked));
  if (!isLazy) await client.get();
  return client;
}

/** What to do where the page shows an error: a client that is not identified yet is going to register. */
function adviceOn({ meant, discovery }: BegunLogin, { found }: LazyClient, redirect: UsedRedirect): PageAdvice {
  const { way = 'dynamic', isKept = false } = found ?? {};
  return new PageAdvice({
    ...redirect,
    way,
    isKept,
    otherRedirect: otherRedirectCommand(meant, redirect, way),
    resourceAdvice: resourceAdvice(discovery),
  });
}

/** The person's response. Where none comes to a page that was shown, the page may be why: that is noted. */
async function authorizeOrDoubt(begun: BegunLogin, attempt: AuthorizationAttempt): Promise<Authorization | Redeemed> {
  try {
    return await authorize(begun, attempt);
  } catch (error) {
    const { signal, client } = attempt;
    const isUnanswered = isFailure(error, 'login_timed_out') || signal.aborted;
    if (client.found !== undefined && isUnanswered) await noteUnanswered(begun, client.found);
    throw error;
  }
}

/** The token: of the code that the person typed, or of the code that the browser brought. */
async function tokenOf(
  { ports, discovery, scopes, dpop }: BegunLogin,
  authorized: Authorization | Redeemed,
  request: { readonly client: IdentifiedClient; readonly redirectUri: string; readonly signal: AbortSignal },
): Promise<Redeemed> {
  if ('token' in authorized) return authorized;
  return await redeem(ports, { ...request, discovery, scopes, dpop, authorization: authorized });
}

function recordStored(ports: LoginPorts, { scopes }: LoginRecord): void {
  const came = scopes.length === 0 ? 'stored' : `stored, scope ${scopes.join(' ')}`;
  ports.journal.record({ name: 'store', asked: ports.store.kind, came, rule: 'R-5.8b', verdict: 'pass' });
}
