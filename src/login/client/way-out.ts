import {
  type ChosenRedirectUri,
  readRedirectUri,
  redirectUriIn,
  redirectUriText,
  usualRedirectUri,
} from '../../core/configuration/redirect-uri.js';
import { isFailure } from '../../core/failure.js';
import { loginCommand } from '../../core/login-command.js';
import type { RegistrationWay } from '../../core/records.js';
import { printable, shellWord } from '../../core/text/printable.js';
import { fixedPorts } from '../../oauth/client-metadata/redirect-uris.js';
import type { BegunLogin, IdentifiedClient } from '../ports.js';

export interface ClientRequest {
  readonly begun: BegunLogin;
  readonly way: RegistrationWay;
  readonly redirectUri: string;
  /** Did an option or a setting fix its port? */
  readonly hasFixedPort: boolean;
  /** Is the login by a code (RFC 8628), with no redirect at all? */
  readonly byCode: boolean;
  /** Undefined: not identified yet, and about to register itself. */
  readonly client?: IdentifiedClient | undefined;
}

/**
 * The redirect URI to try where an authorization server refuses this one: the one that it names, else the same with the
 * other host. Some take `localhost` alone, and some 127.0.0.1 alone. `said`: the authorization server's words.
 */
function otherRedirectUri({ redirectUri, hasFixedPort, way }: ClientRequest, said: string): string {
  const named = redirectUriIn(said, redirectUri);
  if (named !== undefined) return redirectUriText(named);
  const read = readRedirectUri(redirectUri);
  const { host, port, path } = read.ok ? read.value : usualRedirectUri;
  const wantsName = host === '127.0.0.1' || (host === '[::1]' && /localhost/.test(said));
  const other: ChosenRedirectUri['host'] = wantsName ? 'localhost' : '127.0.0.1';
  // A client that was registered by hand lists one port, a metadata document some; otherwise any free port will do.
  const listed = port !== undefined && fixedPorts.includes(port) ? port : fixedPorts[0];
  const isByHand = way === 'preregistered' || way === 'ask';
  return redirectUriText({
    host: other,
    port: hasFixedPort || isByHand ? port : way === 'metadata' ? listed : undefined,
    path,
  });
}

function otherRedirectCommand(tried: ClientRequest, said = ''): string {
  const login = { ...tried.begun.meant, grant: undefined };
  return loginCommand(login, '--redirect-uri', shellWord(otherRedirectUri(tried, said)));
}

export function redirectRemedy(tried: ClientRequest, said: string): string {
  return `It does not take the redirect address ${tried.redirectUri}. Try another one, which is kept if it works: ${otherRedirectCommand(tried, said)}`;
}

const entra = /^login\.(?:microsoftonline\.(?:com|us)|partner\.microsoftonline\.cn|windows\.net)$|\.ciamlogin\.com$/;

/** What to do where the login page shows an error: it sends no response then (RFC 6749 section 4.1.2.1). */
export function pageAdvice(tried: ClientRequest): string {
  const { authorizationServer, requestedResource } = tried.begun.discovery;
  const isEntra = requestedResource === undefined && entra.test(new URL(authorizationServer.issuer).hostname);
  const resource = isEntra
    ? 'If it says AADSTS9010010 (the resource does not match the scopes), add --no-resource, or --resource with the spelling that it knows. '
    : '';
  return `Does the page show an error? ${resource}${otherClient(tried)}`;
}

function otherClient(tried: ClientRequest): string {
  const { way, client, redirectUri, hasFixedPort } = tried;
  const other = `If it is about the redirect address, run: ${otherRedirectCommand(tried)}`;
  switch (way) {
    case 'metadata':
      return documentAdvice(tried);
    case 'preregistered':
    case 'ask':
      return hasFixedPort
        ? `Check --client-id, and that ${redirectUri} is registered there; if another one is, add --redirect-uri with that.`
        : 'Check --client-id, and add --redirect-port with the port that is registered there, or --redirect-uri with the whole redirect address.';
    default:
      return client?.isKept === true
        ? `Add --registration dynamic, which registers a new client. ${other}`
        : `Register a client there and pass it with --client-id. ${other}`;
  }
}

/** What to do where an authorization server does not take our metadata document, or its redirect URI. */
function documentAdvice(tried: ClientRequest): string {
  const { discovery, request } = tried.begun;
  const { registrationEndpoint } = discovery.authorizationServer;
  const otherWay = registrationEndpoint === undefined ? '--client-id ID' : '--registration dynamic';
  const uri = `--redirect-uri ${shellWord(otherRedirectUri(tried, ''))}`;
  const redirect = hasListedPort(tried) ? uri : `--redirect-port ${fixedPorts[0]} or ${uri}`;
  const check = `postern client-metadata check ${shellWord(request.client.metadataUrl ?? 'URL')}`;
  return `To identify another way, add ${otherWay}; if it minds the redirect address, add ${redirect} (documents made here list that, unless others were chosen); to see what is wrong with the document: ${check}`;
}

function hasListedPort({ hasFixedPort, redirectUri }: ClientRequest): boolean {
  return hasFixedPort || fixedPorts.includes(Number(new URL(redirectUri).port));
}

/** The redirect URI to keep with a client: without its port where a document leaves that open. */
export function redirectUriToKeep(tried: ClientRequest): string {
  const { way, redirectUri } = tried;
  return way !== 'metadata' || hasListedPort(tried) ? redirectUri : redirectUri.replace(/:[0-9]+/, '');
}

const documentRefusals = ['authorization_refused', 'invalid_client', 'unauthorized_client', 'grant_refused'];

/**
 * The failure of a login, with the options that change what was refused: nothing is ever left out, or spelled otherwise,
 * without one of them. `isOwn`: the login is the client's own.
 */
export function loginRefused(begun: BegunLogin, error: unknown, { tried, isOwn = false }: Refused = {}): unknown {
  if (!isFailure(error)) return error;
  // The options of a client's login that another command makes are not known here.
  const isForeign = isOwn && begun.meant.given === undefined;
  const command = (...options: readonly string[]) =>
    isForeign ? `add ${options.join(' ')}` : loginCommand({ ...begun.meant, grant: undefined }, ...options);
  if (error.code === 'invalid_scope' && begun.scopes.length === 0) {
    return error.withRemedy(scopeRemedy(begun, command), !isForeign);
  }
  if (error.code === 'invalid_target') return error.withRemedy(resourceRemedy(begun, command), !isForeign);
  if (tried?.way !== 'metadata' || !documentRefusals.includes(error.code)) return error;
  return error.withRemedy(documentAdvice(tried));
}

interface Refused {
  readonly tried?: ClientRequest;
  readonly isOwn?: boolean;
}

type CommandWith = (...options: readonly string[]) => string;

/** Scopes that say nothing of a server (OpenID Connect Core 1.0, sections 5.4 and 11). */
const openidScopes = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'];

function scopeRemedy({ discovery }: BegunLogin, command: CommandWith): string {
  const known = discovery.authorizationServer.scopesSupported.filter((scope) => !openidScopes.includes(scope));
  const [only = 'SCOPE'] = known.length === 1 ? known : [];
  const list = known.length > 1 ? ` It knows ${printable(known.join(', '), 300)}.` : '';
  return `No scope was asked for.${list} Ask for one: ${command('--scope', shellWord(only))}`;
}

function resourceRemedy({ discovery }: BegunLogin, command: CommandWith): string {
  const { requestedResource, protectedResource, authorizationServer } = discovery;
  if (requestedResource === null) {
    return `It wants to hear for what the token is, in its own spelling: ${command('--resource', 'AS_SPELLED')}`;
  }
  const resource = requestedResource ?? protectedResource.resource;
  const cost = `Without one the token may be valid at other services of ${printable(authorizationServer.issuer, 200)}, where this server could use it; to leave it out all the same: ${command('--no-resource')}`;
  return `It does not take the resource ${printable(resource, 300)}, or not with these scopes. If its operator names another spelling, add --resource AS_SPELLED. ${cost}`;
}
