import {
  type Exchange,
  type Fault,
  gzipBomb,
  html,
  hugeJson,
  insteadFault,
  type JsonObject,
  jsonFault,
  jsonOf,
  slowJson,
  successFault,
  withText,
} from './fault.js';

const point = 'metadata';

/** B: what the authorization server metadata says, and how it comes. */
export function authorizationMetadataFaults(): readonly Fault[] {
  return [...identity(), ...capabilities(), ...endpoints(), ...delivery()];
}

function identity(): readonly Fault[] {
  return [
    set('as-issuer-mismatch', [31], 'issuer is another', () => ({ issuer: 'https://evil.invalid' })),
    set('as-issuer-slash', [32], 'issuer differs by a slash', ({ issuer }) => ({ issuer: `${issuer}/` })),
    set('as-issuer-case', [32], 'issuer differs by the case of its scheme', ({ issuer }) => ({
      issuer: String(issuer).replace('http', 'HTTP'),
    })),
    set('as-protected-resources', [25, 50], 'lists protected resources without this one', () => ({
      protected_resources: ['https://another.invalid/mcp'],
    })),
  ];
}

function capabilities(): readonly Fault[] {
  return [
    set('as-no-pkce', [38], 'no code_challenge_methods_supported', () => ({
      code_challenge_methods_supported: undefined,
    })),
    set('as-pkce-plain', [39], 'only plain', () => ({ code_challenge_methods_supported: ['plain'] })),
    set('as-pkce-string', [39], 'S256 as a string', () => ({ code_challenge_methods_supported: 'S256' })),
    set('as-pkce-lower-case', [39], 's256 in lower case', () => ({ code_challenge_methods_supported: ['s256'] })),
    set('as-no-code-response-type', [40], 'no response type code', () => ({ response_types_supported: ['token'] })),
    set('as-no-code-grant', [40], 'no authorization code grant', () => ({
      grant_types_supported: ['client_credentials'],
    })),
    set('as-no-refresh-grant', [], 'lists its grants without refresh_token', () => ({
      grant_types_supported: ['authorization_code'],
    })),
    set('as-cimd-string-true', [64], 'client_id_metadata_document_supported is "true"', () => ({
      client_id_metadata_document_supported: 'true',
    })),
    set('as-nulls', [], 'null for what is absent, strings for booleans', () => ({
      scopes_supported: null,
      service_documentation: null,
      userinfo_endpoint: null,
      authorization_response_iss_parameter_supported: 'true',
    })),
  ];
}

function endpoints(): readonly Fault[] {
  let fetched = 0;
  return [
    set('as-endpoint-http-public', [34], 'token endpoint is plain http on a public host', () => ({
      token_endpoint: 'http://evil.example/token',
    })),
    set('as-endpoint-private', [34], 'token endpoint is the cloud metadata address', () => ({
      token_endpoint: 'http://169.254.169.254/token',
    })),
    set('as-authorization-elsewhere', [35], 'authorization endpoint on another site', () => ({
      authorization_endpoint: 'https://login.invalid/authorize',
    })),
    set('as-query-pollution', [37], 'authorization endpoint brings parameters of its own', (document) => ({
      authorization_endpoint: `${document['authorization_endpoint']}?redirect_uri=https%3A%2F%2Fevil.invalid&client_id=evil`,
    })),
    set('as-endpoint-fragment', [37], 'authorization endpoint has a fragment', (document) => ({
      authorization_endpoint: `${document['authorization_endpoint']}#a`,
    })),
    set('as-endpoint-script', [66], 'authorization endpoint is javascript:', () => ({
      authorization_endpoint: 'javascript:alert(1)',
    })),
    set('as-endpoint-shell', [65], 'authorization endpoint with a command in it', (document) => ({
      authorization_endpoint: `${document['authorization_endpoint']}/$(touch%20/tmp/owned)&calc;'id'`,
    })),
    set('as-type-confusion', [46], 'token endpoint is a list', ({ token_endpoint }) => ({
      token_endpoint: [token_endpoint],
    })),
    set('as-unused-endpoints', [47], 'unused endpoints on internal addresses', () => ({
      userinfo_endpoint: 'http://169.254.169.254/userinfo',
      op_policy_uri: 'http://10.0.0.1/policy',
    })),
    set('as-metadata-flips', [48, 49], 'from the second fetch on, another token endpoint', () => {
      fetched += 1;
      return fetched > 1 ? { token_endpoint: 'https://evil.invalid/token' } : {};
    }),
  ];
}

function delivery(): readonly Fault[] {
  const first = (exchange: Exchange): boolean => exchange.path.startsWith('/.well-known/oauth-authorization-server');
  return [
    insteadFault(
      point,
      { name: 'as-first-html', rows: [44], what: 'the first address answers with a page' },
      (exchange) => (first(exchange) ? html(200, '<!doctype html><title>Log in</title>') : undefined),
    ),
    insteadFault(point, { name: 'as-first-500', rows: [44], what: 'the first address answers 500' }, (exchange) =>
      first(exchange) ? html(500, 'oops') : undefined,
    ),
    insteadFault(point, { name: 'as-huge', rows: [45], what: '50 MB of JSON' }, hugeJson),
    insteadFault(point, { name: 'as-gzip-bomb', rows: [45, 253], what: '50 KB that unpack to 50 MB' }, gzipBomb),
    insteadFault(point, { name: 'as-slow', rows: [45, 254], what: 'a byte now and then' }, slowJson),
    successFault(point, { name: 'as-deep-json', rows: [45, 258], what: 'nested 50 000 deep' }, (_exchange, response) =>
      withText(
        response,
        JSON.stringify(jsonOf(response)).replace('{', `{"deep":${'['.repeat(50_000)}${']'.repeat(50_000)},`),
      ),
    ),
  ];
}

function set(name: string, rows: readonly number[], what: string, change: (document: JsonObject) => JsonObject): Fault {
  return jsonFault(point, { name, rows, what }, (document) => ({ ...document, ...change(document) }));
}
