import type { IncomingMessage } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Allowance } from '../allowance.js';
import type { Addresses, Exchange, Point } from '../faults/fault.js';
import { otherSpelling, resourceRefused, resourceRenamed } from '../faults/insisting.js';
import type { ActiveFaults } from '../faults/table.js';
import type { RequestLog } from '../log.js';
import type { SandboxSettings } from '../options.js';
import type { Handler, LoopbackServer } from '../wire/listen.js';
import { hasHost, parametersOf, readBody, replayed, targetOf } from '../wire/request.js';
import { type HeldResponse, oauthError, type SentResponse, send } from '../wire/response.js';
import type { Approval } from './approval.js';
import { isLoopback, refusedRegistration } from './client-rules.js';
import { isIdJag } from './id-jag-grant.js';
import type { InteractionPages } from './interactions.js';
import { errorPage } from './pages/error-page.js';
import { leavingPage } from './pages/login-page.js';
import { defaultScope } from './scopes.js';
import { OneAtATime, refusedTarget, spentBy } from './token-request.js';
import type { WorkloadIssuer } from './workload-issuer.js';

const bodyLimit = 65_536;

interface FrontParts {
  readonly server: LoopbackServer;
  readonly settings: SandboxSettings;
  readonly log: RequestLog;
  readonly faults: ActiveFaults;
  readonly addresses: Addresses;
  readonly provider: Provider;
  readonly interactions: InteractionPages;
  readonly resources: readonly string[];
  readonly guesses: Allowance;
  readonly workload: WorkloadIssuer;
  /** The company's provider, which is at the same port. */
  readonly company:
    | { readonly provide: ReturnType<Provider['callback']>; readonly interactions: InteractionPages }
    | undefined;
  /** Undefined: a person decides. */
  readonly approval: Approval | undefined;
}

/** One request on its way: what was asked, by path below the issuer, with its body read. */
interface Visit {
  readonly request: IncomingMessage;
  readonly response: HeldResponse;
  readonly url: URL;
  /** Path below the issuer's, or undefined outside of it. */
  readonly below: string | undefined;
  readonly body: Buffer;
  readonly form: URLSearchParams;
}

/**
 * What comes before oidc-provider: the Host check, the size limit, the log, the faults, the metadata
 * addresses, and the few rules that must be decided before it sees a request.
 */
export function front(parts: FrontParts): Handler {
  const spending = new OneAtATime();
  const provide = parts.provider.callback();
  const pass = (visit: Visit, target: string): Promise<void> =>
    Promise.resolve(provide(replayed(visit.request, target, visit.body, parts.settings.issuerPath), visit.response));
  return async (request, response) => {
    const body = await readBody(request, bodyLimit);
    const params = parametersOf(request, body ?? Buffer.alloc(0));
    parts.log.record('authorization', request, response, params, body?.toString('utf8') ?? '');
    if (!hasHost(request, `127.0.0.1:${parts.server.port}`)) {
      send(response, oauthError(421, 'invalid_request', 'this server has another name'));
      return;
    }
    if (body === undefined) {
      response.shouldKeepAlive = false;
      send(response, oauthError(413, 'invalid_request', 'the request is too large'));
      return;
    }
    const visit = describe(request, response, body, params, parts.settings.issuerPath);
    const approval = parts.approval?.isOwn(request) === false ? parts.approval : undefined;
    if (approval !== undefined && request.method === 'GET' && isAuthorization(visit)) {
      send(
        response,
        await approval.authorize(`${parts.addresses.authorizationOrigin}${visit.url.pathname}${visit.url.search}`),
      );
      return;
    }
    const exchange = exchangeOf(parts, visit);
    const instead = parts.faults.instead(exchange);
    if (instead !== undefined) {
      send(response, instead);
      return;
    }
    response.hold(async (reply) => {
      const isDevice = approval !== undefined && visit.below === '/device/authorization';
      return await parts.faults.rewrite(exchange, isDevice ? await approval.allowDevice(reply) : guarded(reply));
    });
    await route(parts, visit, spending, pass);
  };
}

async function route(
  parts: FrontParts,
  visit: Visit,
  spending: OneAtATime,
  pass: (visit: Visit, target: string) => Promise<void>,
): Promise<void> {
  const { url, below, response, form } = visit;
  const { settings } = parts;
  const target = `${below}${url.search}`;
  if (isMetadataPath(url.pathname, settings.issuerPath, settings.metadata)) {
    return pass(visit, '/.well-known/oauth-authorization-server');
  }
  if (below === undefined || below.startsWith('/.well-known/')) return reply(response, notFound());
  if (below === '/upstream/callback') return parts.interactions.returned(visit.request, response, url.searchParams);
  if (below.startsWith('/interaction/'))
    return parts.interactions.handle(replayed(visit.request, target, visit.body), response, form);
  if (visit.request.method === 'GET' && below === '/workload/token') {
    return reply(response, await parts.workload.issue(url.searchParams));
  }
  if (below.startsWith('/company/')) return await toCompany(parts, visit, target.slice('/company'.length));
  const isExchange = below === '/token' && isIdJag(form.get('assertion'));
  if (visit.request.method === 'POST' && (below === '/token' || below === '/revoke') && !isExchange) {
    const exchanged = await parts.workload.exchange(form);
    if (exchanged !== undefined && 'refused' in exchanged) return reply(response, exchanged.refused);
    if (exchanged !== undefined) {
      const { form: changed } = exchanged;
      return exchangedRequest(parts, { ...visit, form: changed, body: Buffer.from(changed.toString()) }, target, pass);
    }
  }
  if (visit.request.method === 'POST' && below === '/token') {
    return spending.run(spentBy(form), async () => {
      const refused = await refusedTarget(parts.provider, knownResources(parts), form);
      return refused === undefined ? pass(visit, target) : reply(response, refused);
    });
  }
  if (visit.request.method === 'POST' && below === '/register') {
    const refused = settings.registration ? refusedRegistration(visit.body) : undefined;
    if (refused !== undefined) return reply(response, refused);
  }
  if (below === '/device' && parts.guesses.isSpent('device')) {
    return reply(response, errorPage(429, 'slow_down', 'too many wrong codes were typed; wait ten minutes'));
  }
  if (visit.request.method === 'POST' && below === '/device/authorization' && !form.has('scope')) {
    return reply(response, oauthError(400, 'invalid_scope', 'a device login names its scope'));
  }
  if (visit.request.method === 'POST' && below === '/pushed' && !form.has('scope')) {
    return reply(response, oauthError(400, 'invalid_scope', 'a pushed request names its scope'));
  }
  if (below === '/authorize' && !url.searchParams.has('request_uri')) return pass(visit, withScope(target, url));
  return pass(visit, target);
}

async function toCompany({ company, settings }: FrontParts, visit: Visit, target: string): Promise<void> {
  const { request, response, body, form } = visit;
  if (company === undefined) {
    return reply(response, oauthError(404, 'not_found', 'no client of this sandbox has a company'));
  }
  const mounted = replayed(request, target, body, `${settings.issuerPath}/company`);
  if (target.startsWith('/interaction/')) return await company.interactions.handle(mounted, response, form);
  await company.provide(mounted, response);
}

/** What a platform's token stands for, as the client would ask for it with a secret. */
async function exchangedRequest(
  parts: FrontParts,
  visit: Visit,
  target: string,
  pass: (visit: Visit, target: string) => Promise<void>,
): Promise<void> {
  const isToken = visit.below === '/token';
  const refused = isToken ? await refusedTarget(parts.provider, knownResources(parts), visit.form) : undefined;
  return refused === undefined ? pass(visit, target) : reply(visit.response, refused);
}

/** The resources that token requests may name now, and whether they may name none. */
function knownResources({ resources, faults }: FrontParts) {
  const own = faults.isOn(resourceRenamed) ? [otherSpelling] : resources;
  return { resources: own, mayLack: faults.isOn(resourceRefused) };
}

const points: ReadonlyMap<string, Point> = new Map([
  ['authorize', 'authorization'],
  ['token', 'token'],
  ['register', 'registration'],
  ['revoke', 'revocation'],
  ['pushed', 'pushed'],
]);

function exchangeOf(parts: FrontParts, visit: Visit): Exchange {
  const { url, below, request } = visit;
  const isMetadata = isMetadataPath(url.pathname, parts.settings.issuerPath, parts.settings.metadata);
  return {
    point: isMetadata ? 'metadata' : (points.get(below?.split('/')[1] ?? '') ?? 'other'),
    method: request.method ?? '',
    path: url.pathname,
    params: new Map(visit.form),
    body: visit.body.toString('utf8'),
    authorized: request.headers.authorization !== undefined,
    addresses: parts.addresses,
  };
}

const isAuthorization = ({ below }: Visit) => below === '/authorize' || below === '/company/authorize';

function describe(
  request: IncomingMessage,
  response: HeldResponse,
  body: Buffer,
  params: readonly (readonly [string, string])[],
  issuerPath: string,
): Visit {
  const url = targetOf(request);
  const inside = url.pathname === issuerPath || url.pathname.startsWith(`${issuerPath}/`);
  const form = new URLSearchParams(params.map(([name, value]) => [name, value]));
  return { request, response, url, below: inside ? url.pathname.slice(issuerPath.length) : undefined, body, form };
}

/** The default scope for a request that names none, or an empty one (RFC 6749 sections 3.1 and 3.3). */
function withScope(target: string, url: URL): string {
  if ((url.searchParams.get('scope') ?? '') !== '') return target;
  return `${target}${url.search === '' ? '?' : '&'}scope=${encodeURIComponent(defaultScope)}`;
}

/** No redirect leaves this computer without the person's own click [OAuth 2.1 section 7.12.2]. */
function guarded(reply: SentResponse): SentResponse {
  const location = reply.headers.find(([name]) => name === 'location')?.[1];
  if (location === undefined || location.startsWith('/') || isLoopback(location)) return reply;
  const kept = reply.headers.filter(([name]) => name === 'set-cookie');
  const page = leavingPage(location);
  return { ...page, headers: [...page.headers, ...kept] };
}

function notFound(): SentResponse {
  return oauthError(404, 'not_found', 'nothing is here');
}

async function reply(response: HeldResponse, reply: SentResponse): Promise<void> {
  send(response, reply);
}

const oauthMetadata = '/.well-known/oauth-authorization-server';

const openidMetadata = '/.well-known/openid-configuration';

/**
 * Whether a path is one of the metadata addresses of this issuer (RFC 8414 section 3, OpenID Connect
 * Discovery 1.0 section 4) that answer. All give the same document.
 */
function isMetadataPath(path: string, issuerPath: string, which: SandboxSettings['metadata']): boolean {
  const responding: Readonly<Record<typeof which, readonly string[]>> = {
    both: [oauthMetadata + issuerPath, openidMetadata + issuerPath, issuerPath + openidMetadata],
    oauth: [oauthMetadata + issuerPath],
    openid: [openidMetadata + issuerPath, issuerPath + openidMetadata],
    'openid-appended': [issuerPath + openidMetadata],
    none: [],
  };
  return responding[which].includes(path);
}
