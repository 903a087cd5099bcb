import { type Exchange, type Fault, faultsAt, gzipBomb, html, hugeJson, jsonOf, slowJson, withText } from './fault.js';

const { patch, success, instead } = faultsAt('metadata');

/** B: what the authorization server metadata says, and how it comes. */
export function authorizationMetadataFaults(): readonly Fault[] {
  return [...identity(), ...capabilities(), ...endpoints(), ...delivery()];
}

function identity(): readonly Fault[] {
  return [
    patch('as-issuer-mismatch', [31], 'issuer is another', () => ({ issuer: 'https://evil.invalid' })),
    patch('as-issuer-slash', [32], 'issuer differs by a slash', ({ issuer }) => ({ issuer: `${issuer}/` })),
    patch('as-issuer-case', [32], 'issuer differs by the case of its scheme', ({ issuer }) => ({
      issuer: String(issuer).replace('http', 'HTTP'),
    })),
    patch('as-protected-resources', [25, 50], 'lists protected resources without this one', () => ({
      protected_resources: ['https://another.invalid/mcp'],
    })),
  ];
}

function capabilities(): readonly Fault[] {
  return [
    patch('as-no-pkce', [38], 'no code_challenge_methods_supported', () => ({
      code_challenge_methods_supported: undefined,
    })),
    patch('as-pkce-plain', [39], 'only plain', () => ({ code_challenge_methods_supported: ['plain'] })),
    patch('as-pkce-string', [39], 'S256 as a string', () => ({ code_challenge_methods_supported: 'S256' })),
    patch('as-pkce-lower-case', [39], 's256 in lower case', () => ({ code_challenge_methods_supported: ['s256'] })),
    patch('as-no-code-response-type', [40], 'no response type code', () => ({ response_types_supported: ['token'] })),
    patch('as-no-code-grant', [40], 'no authorization code grant', () => ({
      grant_types_supported: ['client_credentials'],
    })),
    patch('as-no-refresh-grant', [], 'lists its grants without refresh_token', () => ({
      grant_types_supported: ['authorization_code'],
    })),
    patch('as-cimd-string-true', [64], 'client_id_metadata_document_supported is "true"', () => ({
      client_id_metadata_document_supported: 'true',
    })),
    patch('as-nulls', [], 'null for what is absent, strings for booleans', () => ({
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
    patch('as-endpoint-http-public', [34], 'token endpoint is plain http on a public host', () => ({
      token_endpoint: 'http://evil.example/token',
    })),
    patch('as-endpoint-private', [34], 'token endpoint is the cloud metadata address', () => ({
      token_endpoint: 'http://169.254.169.254/token',
    })),
    patch('as-authorization-elsewhere', [35], 'authorization endpoint on another site', () => ({
      authorization_endpoint: 'https://login.invalid/authorize',
    })),
    patch('as-query-pollution', [37], 'authorization endpoint brings parameters of its own', (document) => ({
      authorization_endpoint: `${document['authorization_endpoint']}?redirect_uri=https%3A%2F%2Fevil.invalid&client_id=evil`,
    })),
    patch('as-endpoint-fragment', [37], 'authorization endpoint has a fragment', (document) => ({
      authorization_endpoint: `${document['authorization_endpoint']}#a`,
    })),
    patch('as-endpoint-script', [66], 'authorization endpoint is javascript:', () => ({
      authorization_endpoint: 'javascript:alert(1)',
    })),
    patch('as-endpoint-shell', [65], 'authorization endpoint with a command in it', (document) => ({
      authorization_endpoint: `${document['authorization_endpoint']}/$(touch%20/tmp/owned)&calc;'id'`,
    })),
    patch('as-type-confusion', [46], 'token endpoint is a list', ({ token_endpoint }) => ({
      token_endpoint: [token_endpoint],
    })),
    patch('as-unused-endpoints', [47], 'unused endpoints on internal addresses', () => ({
      userinfo_endpoint: 'http://169.254.169.254/userinfo',
      op_policy_uri: 'http://10.0.0.1/policy',
    })),
    patch('as-metadata-flips', [48, 49], 'from the second fetch on, another token endpoint', () => {
      fetched += 1;
      return fetched > 1 ? { token_endpoint: 'https://evil.invalid/token' } : {};
    }),
  ];
}

function delivery(): readonly Fault[] {
  const first = (exchange: Exchange): boolean => exchange.path.startsWith('/.well-known/oauth-authorization-server');
  return [
    instead('as-first-html', [44], 'the first address answers with a page', (exchange) =>
      first(exchange) ? html(200, '<!doctype html><title>Log in</title>') : undefined,
    ),
    instead('as-first-500', [44], 'the first address answers 500', (exchange) =>
      first(exchange) ? html(500, 'oops') : undefined,
    ),
    instead('as-huge', [45], '50 MB of JSON', hugeJson),
    instead('as-gzip-bomb', [45, 253], '50 KB that unpack to 50 MB', gzipBomb),
    instead('as-slow', [45, 254], 'a byte now and then', slowJson),
    success('as-deep-json', [45, 258], 'nested 50 000 deep', (_exchange, response) =>
      withText(
        response,
        JSON.stringify(jsonOf(response)).replace('{', `{"deep":${'['.repeat(50_000)}${']'.repeat(50_000)},`),
      ),
    ),
  ];
}
