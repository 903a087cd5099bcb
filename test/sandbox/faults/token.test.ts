import { tokenFaults } from '../../../src/sandbox/faults/token.js';
import { claimsOf, type Json, listenForCallback, loggedIn, registerNative } from '../client.js';
import { form, observe, proveFaults, type Seen } from './observe.js';

/** What a code was redeemed for. */
interface Redeemed {
  readonly seen: Seen;
  readonly token: Json;
}

const ok = ({ seen, token }: Redeemed): boolean => seen.status === 200 && token['access_token'] !== undefined;
const length = (value: unknown): number => (typeof value === 'string' ? value.length : 0);

proveFaults<Redeemed>(
  tokenFaults(),
  async (sandbox, arm) => {
    await using callback = await listenForCallback();
    const { redemption } = await loggedIn(sandbox, callback, await registerNative(sandbox));
    arm();
    const fields = { ...redemption, resource: sandbox.serverUrl } as Record<string, string>;
    const seen = await observe(`${sandbox.issuer}/token`, form(fields));
    const isJson = /^\{.*\}$/.test(seen.text) && seen.bytes < 2_000_000;
    return { seen, token: isJson ? JSON.parse(seen.text) : {} };
  },
  {
    'token-type-mac': ({ token }) => token['token_type'] === 'mac',
    'token-type-missing': (all) => ok(all) && all.token['token_type'] === undefined,
    'token-type-space': ({ token }) => token['token_type'] === 'Bearer ',
    'token-lowercase-type': ({ token }) => token['token_type'] === 'bearer',
    'token-missing': ({ seen, token }) =>
      seen.status === 200 && token['access_token'] === undefined && length(token['token_type']) > 0,
    'token-empty': ({ token }) => token['access_token'] === '',
    'token-array': ({ token }) => Array.isArray(token['access_token']),
    'token-bad-chars': ({ token }) => String(token['access_token']).includes('\r\n'),
    'token-not-ascii': ({ token }) => String(token['access_token']).includes('\u2019'),
    'token-huge': ({ token }) => length(token['access_token']) === 1_048_576,
    'token-long': ({ token }) => length(token['access_token']) === 20_000,
    'token-refresh-empty': ({ token }) => token['refresh_token'] === '',
    'token-refresh-number': ({ token }) => token['refresh_token'] === 1,
    'token-other-audience': ({ token }) =>
      length(token['access_token']) > 0 && claimsOf(token['access_token'])['aud'] === 'https://another.invalid/mcp',
    'token-extra': ({ token }) => token['extra1999'] === 1999,
    'token-expires-string': ({ token }) => token['expires_in'] === '3600',
    'token-expires-negative': ({ token }) => token['expires_in'] === -1,
    'token-expires-huge': ({ token }) => token['expires_in'] === 1e308,
    'token-expires-garbage': ({ token }) => token['expires_in'] === '3600abc',
    'token-expires-missing': (all) => ok(all) && all.token['expires_in'] === undefined,
    'token-scope-narrower': ({ token }) => token['scope'] === 'mcp:basic',
    'token-scope-wider': ({ token }) => String(token['scope']).endsWith(' admin'),
    'token-scope-absent': (all) => ok(all) && all.token['scope'] === undefined,
    'token-scope-array': ({ token }) => Array.isArray(token['scope']),
    'token-scope-control': ({ token }) => String(token['scope']).includes('\u001b'),
    'token-html': ({ seen }) =>
      seen.header('content-type')[0]?.startsWith('text/html') === true && seen.text.includes('access_token=ey'),
    'token-form-encoded': ({ seen }) => new URLSearchParams(seen.text).get('token_type') === 'Bearer',
    'token-duplicate-keys': ({ seen }) => seen.text.split('"access_token"').length === 3,
    'token-trailing': ({ seen }) => seen.text.endsWith('} trailing'),
    'token-error-200': ({ seen, token }) => seen.status === 200 && token['error'] === 'invalid_grant',
    'token-slow': ({ seen }) => !seen.ended,
    'token-bomb': ({ seen }) => seen.header('content-encoding')[0] === 'gzip' && seen.bytes < 100_000,
    'token-redirect-307': ({ seen }) =>
      seen.status === 307 && seen.header('location')[0]?.endsWith('/stolen-token') === true,
    'token-redirect-302-elsewhere': ({ seen }) => seen.status === 302 && seen.header('location').length === 1,
    'token-429': ({ seen }) => seen.status === 429 && seen.header('retry-after')[0] === '1000000000',
    'token-500': ({ seen }) => seen.status === 500,
    'token-400-empty': ({ seen }) => seen.status === 400 && seen.bytes === 0,
    'token-hostile-error': ({ seen, token }) =>
      seen.status === 400 && String(token['error_description']).includes('\u001b]52'),
  },
);
