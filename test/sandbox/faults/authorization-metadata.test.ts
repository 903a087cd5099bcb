import { authorizationMetadataFaults } from '../../../src/sandbox/faults/authorization-metadata.js';
import { observe, proveFaults, type Seen } from './observe.js';

/** The document at the RFC 8414 address, asked for twice; the second answer is looked at. */
interface Metadata {
  readonly seen: Seen;
  readonly issuer: string;
  /** A member of the document; undefined when there is none, or no JSON. */
  of(name: string): unknown;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

proveFaults<Metadata>(
  authorizationMetadataFaults(),
  async (sandbox, arm) => {
    arm();
    const address = `${sandbox.issuer}/.well-known/oauth-authorization-server`;
    await observe(address);
    const seen = await observe(address);
    const document = seen.text.startsWith('{') && seen.bytes < 1_000_000 ? JSON.parse(seen.text) : {};
    return { seen, issuer: sandbox.issuer, of: (name) => document[name] };
  },
  {
    'as-issuer-mismatch': ({ of }) => of('issuer') === 'https://evil.invalid',
    'as-issuer-slash': ({ of, issuer }) => of('issuer') === `${issuer}/`,
    'as-issuer-case': ({ of, issuer }) => of('issuer') !== issuer && text(of('issuer')).toLowerCase() === issuer,
    'as-protected-resources': ({ of }) => Array.isArray(of('protected_resources')),
    'as-no-pkce': ({ of }) => of('issuer') !== undefined && of('code_challenge_methods_supported') === undefined,
    'as-pkce-plain': ({ of }) => String(of('code_challenge_methods_supported')) === 'plain',
    'as-pkce-string': ({ of }) => of('code_challenge_methods_supported') === 'S256',
    'as-pkce-lower-case': ({ of }) => String(of('code_challenge_methods_supported')) === 's256',
    'as-no-code-response-type': ({ of }) => String(of('response_types_supported')) === 'token',
    'as-no-refresh-grant': ({ of }) => String(of('grant_types_supported')) === 'authorization_code',
    'as-no-code-grant': ({ of }) => String(of('grant_types_supported')) === 'client_credentials',
    'as-cimd-string-true': ({ of }) => of('client_id_metadata_document_supported') === 'true',
    'as-nulls': ({ of }) =>
      of('scopes_supported') === null && of('authorization_response_iss_parameter_supported') === 'true',
    'as-endpoint-http-public': ({ of }) => of('token_endpoint') === 'http://evil.example/token',
    'as-endpoint-private': ({ of }) => of('token_endpoint') === 'http://169.254.169.254/token',
    'as-authorization-elsewhere': ({ of }) => of('authorization_endpoint') === 'https://login.invalid/authorize',
    'as-query-pollution': ({ of }) => text(of('authorization_endpoint')).includes('?redirect_uri='),
    'as-endpoint-fragment': ({ of }) => text(of('authorization_endpoint')).endsWith('#a'),
    'as-endpoint-script': ({ of }) => of('authorization_endpoint') === 'javascript:alert(1)',
    'as-endpoint-shell': ({ of }) => text(of('authorization_endpoint')).includes('$(touch'),
    'as-type-confusion': ({ of }) => Array.isArray(of('token_endpoint')),
    'as-unused-endpoints': ({ of }) => of('userinfo_endpoint') === 'http://169.254.169.254/userinfo',
    'as-metadata-flips': ({ of }) => of('token_endpoint') === 'https://evil.invalid/token',
    'as-first-html': ({ seen }) => seen.status === 200 && seen.text.startsWith('<!doctype html>'),
    'as-first-500': ({ seen }) => seen.status === 500,
    'as-huge': ({ seen }) => seen.bytes > 50_000_000,
    'as-gzip-bomb': ({ seen }) => seen.header('content-encoding')[0] === 'gzip' && seen.bytes < 100_000,
    'as-slow': ({ seen }) => !seen.ended,
    'as-deep-json': ({ seen }) => seen.text.includes('['.repeat(50_000)) && seen.bytes < 262_144,
  },
);
