import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Place, startHttp } from '../http-server.js';

type Json = Readonly<Record<string, unknown>>;

/** One form that the token endpoint got. */
export interface TokenForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly authorization: string | undefined;
  /** The proof of a key (RFC 9449). */
  readonly dpop: string | string[] | undefined;
}

/**
 * An authorization server of the test's own: it says yes to every authorization request at once, and everything it
 * publishes and answers can be anything, at any time.
 */
export interface OwnIssuer extends AsyncDisposable {
  readonly issuer: string;
  /** `GET /path`, as they came, with their queries. */
  readonly requests: readonly string[];
  readonly authorizations: readonly URLSearchParams[];
  readonly forms: readonly TokenForm[];
  readonly registrations: readonly Json[];
  /** Its metadata; a member that is undefined is left out. */
  metadata: Json;
  /** Where its metadata are. */
  documentPath: string;
  /** Headers of its metadata. */
  headers: Readonly<Record<string, string>>;
  /** Status and body of the next answers. */
  onToken: (form: TokenForm) => readonly [status: number, body: Json];
  onRegistration: (asked: Json) => readonly [status: number, body: Json];
  onRevocation: (fields: URLSearchParams) => readonly [status: number, body: Json];
  /** Changes the query of the redirect that carries the answer. */
  onAuthorization: (answer: URLSearchParams) => void;
}

/** Starts it on a free port, on loopback where no other place is given. Its tokens are numbered, its clients too. */
export async function startOwnIssuer(place?: Place): Promise<OwnIssuer> {
  const log = { authorizations: [] as URLSearchParams[], forms: [] as TokenForm[], registrations: [] as Json[] };
  const http = await startHttp(
    (request, response) => {
      void answer(own, log, request, response);
    },
    place?.tls,
    place?.address,
  );
  const issuer = place === undefined ? http.origin : `https://${place.name}:${http.port}`;
  const own: OwnIssuer = {
    issuer,
    requests: http.requests,
    ...log,
    metadata: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    },
    documentPath: '/.well-known/oauth-authorization-server',
    headers: {},
    onToken: () => {
      const count = log.forms.length;
      const token = { access_token: `access-${count}`, refresh_token: `refresh-${count}` };
      return [200, { ...token, token_type: 'Bearer', expires_in: 300 }];
    },
    onRegistration: ({ redirect_uris }) => [
      201,
      { client_id: `client-${log.registrations.length}`, redirect_uris, token_endpoint_auth_method: 'none' },
    ],
    onRevocation: () => [200, {}],
    onAuthorization: () => undefined,
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
  return own;
}

interface Log {
  readonly authorizations: URLSearchParams[];
  readonly forms: TokenForm[];
  readonly registrations: Json[];
}

async function answer(own: OwnIssuer, log: Log, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '', own.issuer);
  const body = await text(request);
  const send = ([status, json]: readonly [number, Json], headers = {}) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof json === 'string' ? json : JSON.stringify(json));
  switch (url.pathname) {
    case own.documentPath:
      send([200, own.metadata], own.headers);
      return;
    case '/register':
      log.registrations.push(JSON.parse(body) as Json);
      send(own.onRegistration(log.registrations.at(-1) ?? {}));
      return;
    case '/authorize':
      log.authorizations.push(url.searchParams);
      response.writeHead(302, { location: redirectTo(own, url.searchParams) }).end();
      return;
    case '/token': {
      const { authorization, dpop } = request.headers;
      const form = { fields: new Map(new URLSearchParams(body)), authorization, dpop };
      log.forms.push(form);
      send(own.onToken(form));
      return;
    }
    case '/revoke':
      send(own.onRevocation(new URLSearchParams(body)));
      return;
    default:
      send([404, {}]);
  }
}

function redirectTo(own: OwnIssuer, asked: URLSearchParams): string {
  const target = new URL(asked.get('redirect_uri') ?? '');
  target.searchParams.set('code', `code-${Math.random()}`);
  target.searchParams.set('state', asked.get('state') ?? '');
  target.searchParams.set('iss', own.issuer);
  own.onAuthorization(target.searchParams);
  return target.href;
}
