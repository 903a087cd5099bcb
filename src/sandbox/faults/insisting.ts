import { jsonResponse, type SentResponse } from '../wire/response.js';
import { type Exchange, type Fault, faultsAt, html, redirect } from './fault.js';

/** The names that the authorization server asks for: whatever it insists on, it has to take the rest. */
export const resourceRefused = 'resource-refused';

export const resourceRenamed = 'resource-renamed';

/** What the sandbox's resource is called with `resource-renamed`. */
export const otherSpelling = 'api://postern-sandbox';

/** The one redirect URI that `registration-fixed-redirect` takes: no system gives its port away by itself. */
const fixedRedirect = 'http://127.0.0.1:23418/oauth/done';

/** What real authorization servers insist on, against the standards or beyond them: each login works with one option. */
export function insistingFaults(): readonly Fault[] {
  return [
    registrationFault('registration-localhost-only', 'no redirect URI but on localhost', (uri) =>
      hostOf(uri) === 'localhost' ? undefined : 'redirect_uris must use the host localhost',
    ),
    registrationFault('registration-no-localhost', 'no redirect URI but on 127.0.0.1', (uri) =>
      hostOf(uri) === '127.0.0.1' ? undefined : 'redirect_uris must use the loopback address, not a name (RFC 8252)',
    ),
    registrationFault('registration-fixed-redirect', `no redirect URI but ${fixedRedirect}`, (uri) =>
      uri === fixedRedirect ? undefined : `redirect_uris must be ${fixedRedirect}`,
    ),
    faultsAt('authorization').instead(
      'authorization-localhost-only',
      [],
      'an error page for each redirect URI but on localhost',
      ({ params }) => {
        const uri = params.get('redirect_uri');
        return uri === undefined || hostOf(uri) === 'localhost' ? undefined : html(400, refusalPage);
      },
    ),
    scopeFault(),
    resourceFault(resourceRefused, 'any resource is refused, as Entra does', () => false),
    resourceFault(resourceRenamed, `no resource is known but ${otherSpelling}`, (one) => one === otherSpelling),
  ];
}

const refusalPage =
  '<!doctype html><title>Error</title><h1>invalid_request</h1><p>The redirect_uri is not one that this client may use.</p>';

function hostOf(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).hostname : '';
}

/** @param problem Why a redirect URI is not taken; undefined: it is. */
function registrationFault(name: string, what: string, problem: (uri: string) => string | undefined): Fault {
  return faultsAt('registration').instead(name, [], what, ({ body }) => {
    const [why] = redirectUrisOf(body).flatMap((uri) => problem(uri) ?? []);
    return why === undefined ? undefined : jsonResponse(400, { error: 'invalid_redirect_uri', error_description: why });
  });
}

function redirectUrisOf(body: string): readonly string[] {
  try {
    const { redirect_uris: uris } = JSON.parse(body) as { readonly redirect_uris?: unknown };
    return Array.isArray(uris) ? uris.map(String) : [];
  } catch {
    return [];
  }
}

/** As authorization servers do that hold a client to the scopes of its registration. */
function scopeFault(): Fault {
  let registered: readonly string[] = [];
  return {
    name: 'registration-binds-scope',
    rows: [],
    what: 'no scope but those that a client was registered with last',
    instead: (exchange) => {
      const { params, point, body } = exchange;
      if (point === 'registration') registered = /"scope":"([^"]*)"/.exec(body)?.[1]?.split(' ') ?? [];
      const asked = params.get('scope')?.split(' ') ?? [];
      if (point !== 'authorization' || asked.every((scope) => registered.includes(scope))) return undefined;
      return sentBack(exchange, { error: 'invalid_scope', error_description: 'Client was not registered with scope' });
    },
  };
}

/** Refuses a resource in Entra's words, where a request first names it. */
function resourceFault(name: string, what: string, isKnown: (resource: string) => boolean): Fault {
  return {
    name,
    rows: [],
    what,
    instead: (exchange) => {
      const { params, point, path } = exchange;
      const resource = params.get('resource');
      if (resource === undefined || isKnown(resource)) return undefined;
      if (point === 'authorization') return sentBack(exchange, notMatching);
      const isEndpoint = point === 'token' || point === 'pushed' || path.endsWith('/device/authorization');
      return isEndpoint ? jsonResponse(400, notMatching) : undefined;
    },
  };
}

const notMatching = {
  error: 'invalid_target',
  error_description:
    'AADSTS9010010: The resource parameter provided in the request doesn’t match with the requested scopes.',
};

/** The refusal at the redirect URI, if that is on this machine; all else the honest server refuses by itself. */
function sentBack({ params, addresses }: Exchange, refusal: typeof notMatching): SentResponse | undefined {
  const uri = params.get('redirect_uri') ?? '';
  if (!['localhost', '127.0.0.1', '[::1]'].includes(hostOf(uri))) return undefined;
  const target = new URL(uri);
  const parameters = { ...refusal, state: params.get('state') ?? '', iss: addresses.issuer };
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  return redirect(303, target.href);
}
