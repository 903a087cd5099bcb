import { jsonResponse } from '../wire/response.js';
import { type Addresses, type Exchange, type Fault, faultsAt, headerOf, rewriteFault, withHeader } from './fault.js';

/** A: what the 401 says in `WWW-Authenticate`. */
export function challengeFaults(): readonly Fault[] {
  return [
    pointer('challenge-file-url', [1], 'resource_metadata is a file: URL', () => 'file:///etc/passwd'),
    pointer('challenge-javascript-url', [1], 'resource_metadata is a javascript: URL', () => 'javascript:alert(1)'),
    pointer('challenge-other-origin', [3], 'resource_metadata is served by another origin', foreignDocument),
    pointer(
      'challenge-private-address',
      [4, 5],
      'resource_metadata is on a private address',
      () => 'http://10.0.0.1/prm',
    ),
    pointer(
      'challenge-cloud-metadata',
      [4],
      'resource_metadata is the cloud metadata address',
      () => 'http://169.254.169.254/latest/meta-data/',
    ),
    pointer(
      'challenge-odd-address',
      [5],
      'resource_metadata spells 127.0.0.1 as a number',
      () => 'http://2130706433/prm',
    ),
    pointer('challenge-userinfo', [9], 'resource_metadata hides its host behind a user name', ({ serverOrigin }) =>
      serverOrigin.replace('http://', 'http://good.example@'),
    ),
    challenge('challenge-reflects-text', [10], 'quoted text that only looks like parameters', () => [
      'Basic realm="x, Bearer resource_metadata=\\"https://evil.invalid/prm\\"", ' +
        'Bearer error_description="resource_metadata=https://evil.invalid/prm, scope=admin"',
    ]),
    challenge('challenge-two-bearers', [11], 'two Bearer challenges that differ', ({ addresses }) => [
      `Bearer resource_metadata="${honestDocument(addresses)}"`,
      'Bearer resource_metadata="https://evil.invalid/prm"',
    ]),
    challenge('challenge-repeated-parameter', [11], 'resource_metadata twice in one challenge', ({ addresses }) => [
      `Bearer resource_metadata="${honestDocument(addresses)}", resource_metadata="https://evil.invalid/prm"`,
    ]),
    challenge('challenge-odd-form', [12], 'valid, but as no tidy server writes it', ({ addresses }) => [
      `NewScheme abc==, , bEaReR resource_metadata = "${honestDocument(addresses)}" ,scope="mcp:basic",, DPoP algs="ES256"`,
    ]),
    challenge('challenge-huge', [13], 'a header of a megabyte', () => [`Bearer ${','.repeat(1_048_576)}`]),
    challenge('challenge-commas', [13], 'a header of 12 KB of commas and backslashes', () => [
      `Bearer realm="${'\\\\'.repeat(3000)}"${','.repeat(6000)}`,
    ]),
    challenge('challenge-hostile-scope', [24], 'a scope that is none', () => [
      'Bearer scope="a&resource=https://evil.invalid \\"b"',
    ]),
    challenge('challenge-none', [], 'no WWW-Authenticate at all', () => []),
    challenge('challenge-no-metadata', [], 'a challenge without resource_metadata', () => ['Bearer realm="sandbox"']),
    rewriteFault(
      ...(['challenge-on-500', [14], 'the challenge comes with status 500'] as const),
      ({ point }, response) => point === 'protected' && headerOf(response, 'www-authenticate') !== undefined,
      (_exchange, response) => ({ ...response, status: 500 }),
    ),
    faultsAt('other').instead('challenge-other-origin', [3], 'serves the document for it', ({ addresses, path }) =>
      `${addresses.authorizationOrigin}${path}` === foreignDocument(addresses)
        ? jsonResponse(200, { resource: addresses.serverUrl, authorization_servers: [addresses.issuer] })
        : undefined,
    ),
  ];
}

function challenge(
  name: string,
  rows: readonly number[],
  what: string,
  lines: (exchange: Exchange) => readonly string[],
): Fault {
  return rewriteFault(
    ...([name, rows, what] as const),
    ({ point }, { status }) => point === 'protected' && status === 401,
    (exchange, response) => withHeader(response, 'www-authenticate', ...lines(exchange)),
  );
}

function pointer(name: string, rows: readonly number[], what: string, url: (addresses: Addresses) => string): Fault {
  return challenge(name, rows, what, ({ addresses }) => [
    `Bearer resource_metadata="${url(addresses)}", scope="mcp:basic"`,
  ]);
}

/** Where the protected server's own document is. */
export function honestDocument(addresses: Addresses): string {
  return `${addresses.serverOrigin}/.well-known/oauth-protected-resource${new URL(addresses.serverUrl).pathname}`;
}

function foreignDocument(addresses: Addresses): string {
  return `${addresses.authorizationOrigin}/stray-resource-metadata`;
}
