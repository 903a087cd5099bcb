import { ignoreFailure, isFailure } from '../../core/failure.js';
import type { LoginRecord } from '../../core/records.js';
import type { Secret } from '../../core/secret.js';
import { printable } from '../../core/text/printable.js';
import { authMethodFor } from '../../oauth/client-authentication.js';
import { providerIsIssuer, withoutVouching } from '../../oauth/company/failures.js';
import { findProvider } from '../../oauth/company/find-provider.js';
import { missingForIdJag } from '../../oauth/company/id-jag.js';
import { resourceToSend } from '../../oauth/discover.js';
import { capabilityMissing } from '../../oauth/failures.js';
import type { KeptProvider } from '../../stores/credential-item.js';
import { sameLogin } from '../../tokens/find-login.js';
import { readCredential } from '../../tokens/read-credential.js';
import { manualRegistration } from '../../tokens/registrations.js';
import { providerRefresh } from '../../tokens/valid-token.js';
import { providerLogin, type Vouched, vouch } from '../../tokens/vouch.js';
import { announce, beginLogin, refuseShared } from '../begin-login.js';
import { identifyClient } from '../client/identify-client.js';
import { loginRefused } from '../client/way-out.js';
import { companyClientMissing } from '../failures.js';
import type { BegunLogin, GivenProvider, IdentifiedClient, LoginPorts, LoginRequest, PersonLogin } from '../ports.js';
import { askForToken } from '../redeem.js';
import { saveCredential } from '../save-credential.js';
import { logInAtProvider } from './log-in-at-provider.js';

/**
 * The company's provider that a login is made by: the one named now, else that of the login which it replaces. Nothing that a
 * server says names one.
 * @throws Failure of the index
 */
export async function providerOf(world: LoginPorts, request: LoginRequest): Promise<GivenProvider | undefined> {
  if (request.provider !== undefined) return request.provider;
  const held = sameLogin((await world.index.read()).logins, request);
  if (held?.provider === undefined) return undefined;
  // What the store holds counts: another program could change the index.
  const { provider: kept, providerSecret: secret } = (await readCredential(world, held).catch(ignoreFailure)) ?? {};
  if (kept === undefined) return { ...held.provider, secret: undefined, tokenFile: held.provider.tokenFile };
  const { issuer, clientId, file } = kept;
  return { issuer, clientId, secret, tokenFile: file?.path };
}

/**
 * Logs in by a company's provider (enterprise-managed authorization): discovery as for everybody, then an ID-JAG of the
 * provider, where somebody has logged in once, then the token for it (RFC 7523 section 2.1). A browser opens where the login
 * at the provider is not there, or no longer good.
 * @throws Failure of discovery, of the provider, `capability_missing`, `client_identifier_needed`, or as `askForToken`
 */
export async function companyLogin(
  world: LoginPorts,
  request: PersonLogin,
  given: GivenProvider,
): Promise<LoginRecord> {
  const { signal } = request;
  await refuseShared(world, { ...request, byProvider: true });
  const begun = await beginLogin(world, request, 'assertion');
  const { ports, discovery, meant } = begun;
  const { authorizationServer } = discovery;
  const { issuer } = authorizationServer;
  if (issuer === given.issuer) {
    const others = meant.given?.filter(({ text }) => !text.startsWith('--idp'));
    throw providerIsIssuer(given.issuer, { ...meant, given: others });
  }
  const missing = missingForIdJag(authorizationServer);
  if (missing !== undefined) throw capabilityMissing(issuer, missing, withoutVouching);
  const client = await clientAt(begun);
  const source = given.tokenFile === undefined ? '' : ` (ID token from ${printable(given.tokenFile, 200)})`;
  announce(begun, `by the company’s provider ${printable(given.issuer)}${source}`);
  try {
    const provider = await withSecret(world, given, request);
    const { vouched, kept } = await vouchedBy(world, begun, provider, client.clientId);
    ports.progress.begin('Asking for a token');
    const grant = { assertion: vouched.idJag, scopes: begun.scopes };
    const asked = { ...begun, client, signal };
    const redeemed = await askForToken('jwt_bearer', asked, grant).catch((error: unknown) => {
      throw isFailure(error) ? vouched.explain(error) : error;
    });
    const { identity } = vouched;
    return await saveCredential(begun, {
      ...{ redeemed, identity, way: client.way },
      grant: 'id_jag',
      provider: { ...kept, ...(identity === undefined ? {} : { subject: identity.subject }) },
      providerSecret: kept.file === undefined ? undefined : provider.secret,
    });
  } catch (error) {
    throw loginRefused(begun, error);
  } finally {
    ports.progress.end();
  }
}

/** The client that the provider vouches for, at the server's own authorization server. @throws Failure `client_identifier_needed` */
async function clientAt(begun: BegunLogin): Promise<IdentifiedClient> {
  const { ports, held, discovery, preregistered, kept, meant, request } = begun;
  const { issuer, takesMetadataDocuments } = discovery.authorizationServer;
  const { metadataUrl } = request.client;
  const identify = (way: 'preregistered' | 'metadata') =>
    identifyClient({ begun, way, redirectUri: '', hasFixedPort: false, byCode: false });
  if (preregistered !== undefined) return await identify('preregistered');
  if (held?.provider !== undefined && held.issuer === issuer) {
    const stored = await readCredential(ports, held).catch(ignoreFailure);
    if (stored !== undefined) {
      const { authMethod: method, clientSecret: secret, binding } = stored;
      return { way: held.registration, clientId: binding.clientId, method, secret };
    }
  }
  if (manualRegistration(kept, undefined) !== undefined) return await identify('preregistered');
  if (takesMetadataDocuments && metadataUrl !== undefined) return await identify('metadata');
  throw companyClientMissing(meant, issuer);
}

/** The provider with the secret of the client there: the one given, else the one that its login was made with. */
async function withSecret(
  world: LoginPorts,
  given: GivenProvider,
  { account }: Pick<PersonLogin, 'account'>,
): Promise<GivenProvider> {
  if (given.secret !== undefined) return given;
  const record = await providerLogin(world, { provider: given, account });
  const secret: Secret | undefined = record && (await readCredential(world, record).catch(ignoreFailure))?.clientSecret;
  return { ...given, secret };
}

/** Asks the provider; where its login is not there, or no longer good, somebody logs in there first, once. */
async function vouchedBy(
  world: LoginPorts, // a token of the provider's login is refreshed where that is stored
  begun: BegunLogin<PersonLogin>,
  provider: GivenProvider,
  clientId: string,
) {
  const { discovery, meant, request, scopes } = begun;
  const { account, signal, page } = request;
  const kept = await keptAs(world, provider, signal);
  const target = {
    audience: discovery.authorizationServer.issuer,
    resource: resourceToSend(discovery),
    clientId,
    scopes,
  };
  const ask = async () => {
    world.progress.begin(`Asking ${provider.issuer}`);
    const refresh = providerRefresh(world, signal);
    return await vouch(world, {
      ...{ provider: kept, account, target, login: meant, refresh, signal },
      secret: provider.secret,
    });
  };
  const done = (vouched: Vouched) => {
    if (!vouched.ok) throw vouched.explain();
    return { vouched, kept };
  };
  if (kept.file !== undefined) return done(await ask());
  const seen = await providerLogin(world, { provider, account });
  const isAnew = page?.loginHint !== undefined || (page?.prompts ?? []).length > 0;
  if (seen !== undefined && seen.dead !== true && !isAnew) {
    const first = await ask().catch((error: unknown) => {
      if (!isFailure(error, 'login_expired')) throw error;
      return undefined;
    });
    const isEnded =
      first === undefined ||
      (!first.ok && first.failed.problem === 'refused' && first.failed.error === 'invalid_grant');
    if (!isEnded) return done(first);
  }
  world.progress.end();
  await logInAtProvider(begun, provider, seen);
  return done(await ask());
}

async function keptAs(world: LoginPorts, provider: GivenProvider, signal: AbortSignal): Promise<KeptProvider> {
  const { issuer, clientId, secret, tokenFile: path } = provider;
  if (path === undefined) return { issuer, clientId };
  const { provider: found, zone } = await findProvider(world, { issuer, byBrowser: false, signal });
  const authMethod = authMethodFor(secret !== undefined, found.tokenAuthMethods);
  return { issuer, clientId, file: { path, tokenEndpoint: found.tokenEndpoint, authMethod, zone } };
}
