import { isFailure } from '../../core/failure.js';
import type { HttpResponse } from '../../http/request.js';
import {
  type AuthorizationParameters,
  authorizationRequestParameters,
  authorizationRequestUrl,
  newProof,
} from '../../oauth/authorization-request.js';
import { resourceToSend } from '../../oauth/discover.js';
import { authorizationServerMetadataUrls, metadataLimits } from '../../oauth/discovery-document.js';
import type { FindingId } from '../catalogue/catalogue.js';
import type { Discovered, ExaminePorts, ServerTarget } from '../ports.js';
import type { Report } from '../report.js';
import type { RunHttp } from '../run-http.js';

interface Attempt extends ServerTarget, Discovered {
  readonly http: RunHttp;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
}

/** What an authorization request leads to. */
type Outcome =
  /** Back to a redirect address, which is the one of the request. */
  | { readonly kind: 'back'; readonly hasCode: boolean; readonly error: string | undefined }
  /** Somewhere else: the login page, most likely. */
  | { readonly kind: 'onward' }
  | { readonly kind: 'page' }
  | { readonly kind: 'refused'; readonly status: number };

const behindLogin = 'the login page comes first, and nobody logs in for this';

/**
 * Step 8: what the authorization endpoint does with requests that are wrong, as far as that shows before anybody logs in.
 * @returns whether a correct request leads on
 */
export async function checkAuthorizationEndpoint(
  ports: ExaminePorts,
  attempt: Attempt,
  report: Report,
): Promise<boolean> {
  const { authorizationServer: server } = attempt;
  const { authorizationEndpoint: endpoint } = server;
  if (endpoint === undefined) return true;
  if (server.requiresPushedRequests) {
    report.skip('request', 'wrong requests: it takes pushed requests alone');
    return true;
  }
  const right = await parametersOf(attempt);
  const send = (change: AuthorizationParameters, ...without: readonly string[]) => {
    const parameters = Object.entries({ ...right, ...change }).filter(([name]) => !without.includes(name));
    return visit(attempt, endpoint, Object.fromEntries(parameters));
  };
  try {
    const usual = await send({});
    if (!isUsable(usual, report)) return false;
    await checkRedirects(attempt, usual, send, report);
    await checkPkce(send, report);
    await checkLyingDocument(ports, attempt, send, report);
    return true;
  } catch (error) {
    if (!isFailure(error) || attempt.signal.aborted) throw error;
    report.found('request-failed', error.message);
    return false;
  }
}

type Send = (change: AuthorizationParameters, ...without: readonly string[]) => Promise<Outcome>;

async function parametersOf({
  clientId,
  redirectUri,
  scopes,
  resource,
  held,
}: Attempt): Promise<AuthorizationParameters> {
  const { state, codeChallenge } = await newProof();
  const parameters = { clientId, redirectUri, scopes, state: state.reveal(), codeChallenge };
  const { requestedResource } = held ?? {};
  const sent = resourceToSend({ requestedResource, protectedResource: resource });
  return authorizationRequestParameters({ ...parameters, resource: sent });
}

/** Errors that say what it is about. */
const byError: Readonly<Record<string, FindingId>> = {
  invalid_target: 'resource-unknown',
  invalid_scope: 'scope-unknown',
};

/** Is there something to compare wrong requests with? */
function isUsable(usual: Outcome, report: Report): boolean {
  if (usual.kind === 'back' && usual.error !== undefined) {
    const id = byError[usual.error] ?? 'request-refused';
    report.found(id, `a correct request comes back with the error ${usual.error}`);
    return false;
  }
  if (usual.kind !== 'refused') {
    report.pass('request', 'a correct request leads on');
    return true;
  }
  const { status } = usual;
  const seen = `status ${status} to a correct request`;
  if (status === 400) report.found('request-refused', seen);
  else if ([404, 405, 410].includes(status) || status >= 500) report.found('login-page-broken', seen);
  else report.skip('request', `wrong requests: ${seen}, to programs perhaps`);
  return ![400, 404, 405, 410].includes(status) && status < 500;
}

/** A refusal of the request, or of one more request. */
function refused(status: number, what: string, report: Report): void {
  const seen = `status ${status} to ${what}`;
  if (status === 429 || status === 503) report.skip('request', `${seen}: it is busy, and says nothing of that`);
  else report.pass('request', seen);
}

/** Addresses that were not registered, two of them nearly so. */
function wrongAddresses(redirectUri: string): readonly (readonly [what: string, uri: string])[] {
  const { port, pathname } = new URL(redirectUri);
  return [
    ['an unregistered redirect address', 'https://postern-doctor.invalid/callback'],
    ['a redirect address with a longer path', `${redirectUri}/more`],
    ['a redirect address with a longer host', `http://127.0.0.1.postern-doctor.invalid:${port}${pathname}`],
  ];
}

async function checkRedirects({ redirectUri }: Attempt, usual: Outcome, send: Send, report: Report): Promise<void> {
  for (const [what, uri] of wrongAddresses(redirectUri)) {
    const outcome = await send({ redirect_uri: uri });
    if (outcome.kind === 'back') report.found('redirect-unchecked', `${what}, ${uri}, is redirected to`);
    else if (outcome.kind === 'refused') refused(outcome.status, what, report);
    else if (outcome.kind === usual.kind) report.skip('request', `${what}: ${behindLogin}`);
    else report.pass('request', `a page, and no login, to ${what}`);
  }
}

async function checkPkce(send: Send, report: Report): Promise<void> {
  const requests = [
    ['PKCE with the method plain', await send({ code_challenge_method: 'plain' })],
    ['no PKCE', await send({}, 'code_challenge', 'code_challenge_method')],
  ] as const;
  for (const [what, outcome] of requests) {
    if (outcome.kind === 'refused') refused(outcome.status, what, report);
    else if (outcome.kind === 'back' && outcome.hasCode) report.found('pkce-unchecked', `a code to ${what}`);
    else if (outcome.kind === 'back') report.pass('request', `error ${outcome.error ?? ''} to ${what}`);
    else report.skip('request', `${what}: ${behindLogin}`);
  }
}

/** The issuer's own metadata is JSON at a public host, and speaks for no client. */
async function checkLyingDocument({ http }: ExaminePorts, attempt: Attempt, send: Send, report: Report): Promise<void> {
  const { authorizationServer: server } = attempt;
  const what = 'a client’s document that does not name itself';
  if (!server.takesMetadataDocuments) return;
  const url = authorizationServerMetadataUrls(server.issuer).find((one) => http.documentAt(one) !== undefined);
  if (url === undefined || attempt.probed.zone !== 'public' || !url.startsWith('https:')) {
    report.skip('request', `${what}: needs a public host, and this server is not public`);
    return;
  }
  const outcome = await send({ client_id: url });
  if (outcome.kind === 'back') report.found('lying-document-taken', url);
  else if (outcome.kind === 'refused') refused(outcome.status, what, report);
  else report.skip('request', `${what}: ${behindLogin}`);
}

/** Sends a request as a browser would that nobody is logged in with; no redirect is followed. */
async function visit(
  { http, probed, signal }: Attempt,
  endpoint: string,
  parameters: AuthorizationParameters,
): Promise<Outcome> {
  const url = authorizationRequestUrl(endpoint, parameters);
  const headers = [['accept', 'text/html,application/xhtml+xml']] as const;
  const { zone: namedBy } = probed;
  await using response = await http.send({
    ...{ method: 'GET', url, headers, namedBy, redirects: 'report', limits: metadataLimits, signal },
  });
  return outcomeOf(response, parameters['redirect_uri'] ?? '');
}

function outcomeOf({ status, headers, url }: HttpResponse, redirectUri: string): Outcome {
  if (status >= 400) return { kind: 'refused', status };
  const location = headers.find(([name]) => name === 'location')?.[1];
  if (status < 300 || location === undefined) return { kind: 'page' };
  const target = URL.parse(location, url);
  const wanted = new URL(redirectUri);
  if (target === null || target.origin !== wanted.origin || target.pathname !== wanted.pathname)
    return { kind: 'onward' };
  const { searchParams } = target;
  const error = searchParams.get('error') ?? undefined;
  return { kind: 'back', hasCode: error === undefined && searchParams.has('code'), error };
}
