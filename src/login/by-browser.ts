import { isFailure } from '../core/failure.js';
import { keepChosenRedirectUri } from '../tokens/registrations.js';
import { authorize } from './authorize.js';
import { openListener, planRedirect } from './browser/open-listener.js';
import { hasToRegister, identifyClient, LazyClient } from './client/identify-client.js';
import { forgetRefusedClient } from './client/known-client.js';
import type { UsedRedirect } from './client/redirect-refused.js';
import type { IdentifiedClient } from './client/register.js';
import { loginRefused } from './client/way-out.js';
import type { BegunLogin, BrowserAvailability, LoggedIn, LoginConsent, Overtaking, PersonLogin } from './ports.js';
import { type Redeemed, redeem } from './redeem.js';

/** What differs between a login at a server and one at a company's provider. */
export interface BrowserLogin<Kept> {
  /** What a person is to agree to first; undefined: a person typed the login, or knows server and issuer. */
  readonly consent: LoginConsent | undefined;
  readonly overtaken: Overtaking | undefined;
  /** Says in the terminal who asks for what. */
  readonly announce: (client: IdentifiedClient | undefined, redirect: UsedRedirect) => void;
  /** Stores what came of it: only then does the browser show success. */
  readonly keep: (redeemed: Redeemed, client: IdentifiedClient, redirect: UsedRedirect) => Promise<Kept>;
}

/** A login by a person in the browser, from the callback listener to the stored token. @throws Failure of each step */
export async function byBrowser<Kept extends LoggedIn>(
  begun: BegunLogin,
  request: PersonLogin,
  { consent, overtaken, announce, keep }: BrowserLogin<Kept>,
): Promise<Kept> {
  const { ports, discovery } = begun;
  const { person } = request;
  const plan = planRedirect(begun, request.client, person);
  await using listener = await openListener(ports, plan, person.listenAddress);
  const { redirectUri } = listener;
  const redirect = { redirectUri, hasFixedPort: plan.hasFixedPort };
  const client = await clientOf(begun, request, redirect, consent);
  announce(client.found, redirect);
  try {
    const authorized = await authorize(begun, request, { client, listener, redirect, consent, overtaken });
    const identified = await client.get();
    const redeemed =
      'token' in authorized
        ? authorized
        : await redeem(begun, { ...authorized, client: identified, redirectUri, signal: request.signal });
    const kept = await keep(redeemed, identified, redirect);
    const { issuer } = discovery.authorizationServer;
    if (person.redirectUri !== undefined) await keepChosenRedirectUri(ports, issuer, person.redirectUri);
    await listener.finish('stored', kept);
    return kept;
  } catch (error) {
    await listener.finish(isFailure(error, 'denied') ? 'declined' : 'failed');
    if (client.found !== undefined) await forgetRefusedClient(begun, client.found, error);
    throw loginRefused(begun, error, { client: client.found, redirect });
  } finally {
    ports.progress.end();
  }
}

/** Where a browser is likely to be opened: elsewhere a code is offered with the address. */
const opensBrowsers: readonly BrowserAvailability[] = ['desktop', 'wsl'];

/** Who asks. Where a person has to agree first, the authorization server hears of nobody before. */
async function clientOf(
  begun: BegunLogin,
  { client: { way: forced, metadataUrl }, person, signal }: PersonLogin,
  redirect: UsedRedirect,
  consent: LoginConsent | undefined,
): Promise<LazyClient> {
  const isOffered = person.mode === 'no-browser' || !opensBrowsers.includes(person.availability);
  const userCode = isOffered ? 'offered' : 'none';
  const asked = { ...redirect, begun, forced, metadataUrl, userCode, signal } as const;
  const client = new LazyClient(() => identifyClient(asked));
  const isLazy = consent !== undefined && person.mode === 'browser' && (await hasToRegister(asked));
  if (!isLazy) await client.get();
  return client;
}
