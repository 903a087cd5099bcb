import { challengeFaults } from '../../../src/sandbox/faults/challenge.js';
import { resourceMetadataFaults } from '../../../src/sandbox/faults/resource-metadata.js';
import { sandboxApiKey, serverFaults } from '../../../src/sandbox/faults/server.js';
import type { Sandbox } from '../../../src/sandbox/start.js';
import { type Json, tokenOf } from '../client.js';
import { observe, proveFaults, type Seen } from './observe.js';

const initialize = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
  }),
};

function pointsTo(start: string): (seen: { readonly lines: string }) => boolean {
  return ({ lines }) => lines.includes(`resource_metadata="${start}`);
}

proveFaults<{ readonly seen: Seen; readonly lines: string; readonly stray: Seen }>(
  challengeFaults(),
  async (sandbox, arm) => {
    arm();
    const seen = await observe(sandbox.serverUrl, initialize);
    const stray = await observe(`${sandbox.issuer}/stray-resource-metadata`);
    return { seen, stray, lines: seen.header('www-authenticate').join('\n') };
  },
  {
    'challenge-file-url': pointsTo('file:///etc/passwd'),
    'challenge-javascript-url': pointsTo('javascript:'),
    'challenge-other-origin': ({ lines, stray }) => lines.includes('/stray-resource-metadata"') && stray.status === 200,
    'challenge-private-address': pointsTo('http://10.0.0.1/'),
    'challenge-cloud-metadata': pointsTo('http://169.254.169.254/'),
    'challenge-odd-address': pointsTo('http://2130706433/'),
    'challenge-userinfo': pointsTo('http://good.example@127.0.0.1'),
    'challenge-reflects-text': ({ lines }) =>
      lines.startsWith('Basic realm="x, Bearer resource_metadata=\\"https://evil'),
    'challenge-two-bearers': ({ seen }) => seen.header('www-authenticate').length === 2,
    'challenge-repeated-parameter': ({ lines }) =>
      lines.split('resource_metadata=').length === 3 && !lines.includes('\n'),
    'challenge-odd-form': ({ lines }) => lines.startsWith('NewScheme abc==, , bEaReR'),
    'challenge-huge': ({ lines }) => lines.length > 1_000_000,
    'challenge-commas': ({ lines }) => lines.length > 12_000 && lines.endsWith(',,'),
    'challenge-hostile-scope': ({ lines }) => lines.includes('a&resource='),
    'challenge-none': ({ seen, lines }) => seen.status === 401 && lines === '',
    'challenge-no-metadata': ({ lines }) => lines === 'Bearer realm="sandbox"',
    'challenge-on-500': ({ seen, lines }) => seen.status === 500 && lines.startsWith('Bearer '),
  },
);

interface Described {
  readonly seen: Seen;
  readonly document: Json;
  readonly sandbox: Sandbox;
}

proveFaults<Described>(
  resourceMetadataFaults(),
  async (sandbox, arm) => {
    arm();
    const { origin, pathname } = new URL(sandbox.serverUrl);
    const seen = await observe(`${origin}/.well-known/oauth-protected-resource${pathname}`);
    return { seen, sandbox, document: seen.text.startsWith('{') ? JSON.parse(seen.text) : {} };
  },
  {
    'prm-wrong-resource': ({ document }) => document['resource'] === 'https://bank.example/mcp',
    'prm-resource-origin': ({ document, sandbox }) => document['resource'] === new URL(sandbox.serverUrl).origin,
    'prm-resource-sibling': ({ document }) => String(document['resource']).endsWith('/other'),
    'prm-resource-fragment': ({ document }) => String(document['resource']).endsWith('/mcp#a'),
    'prm-no-servers': ({ document }) =>
      document['resource'] !== undefined && document['authorization_servers'] === undefined,
    'prm-empty-servers': ({ document }) =>
      String(document['authorization_servers']) === '' && Array.isArray(document['authorization_servers']),
    'prm-other-issuer': ({ document }) => String(document['authorization_servers']) === 'https://evil.invalid',
    'prm-hostile-names': ({ document }) => String(document['resource_name']).includes('\u001b[2J'),
    'prm-array': ({ seen }) => seen.status === 200 && seen.text.startsWith('[{'),
    'prm-duplicate-keys': ({ seen }) => seen.text.split('"resource"').length === 3,
    'prm-html': ({ seen }) => seen.status === 200 && seen.text.startsWith('<!doctype'),
    'prm-missing': ({ seen }) => seen.status === 404,
    'prm-redirect-elsewhere': ({ seen }) =>
      seen.status === 302 && seen.header('location')[0]?.startsWith('http://169.254.') === true,
    'prm-redirect-ring': ({ seen }) =>
      seen.status === 302 && seen.header('location')[0]?.startsWith('/.well-known/') === true,
  },
);

type Called = 'first' | 'second' | 'keyed' | 'nobody';

proveFaults<Readonly<Record<Called, Seen>> & { readonly challenge: string }>(
  serverFaults(),
  async (sandbox, arm) => {
    const headers = { ...initialize.headers, authorization: `Bearer ${await tokenOf(sandbox)}` };
    arm();
    const first = await observe(sandbox.serverUrl, { ...initialize, headers });
    const second = await observe(sandbox.serverUrl, { ...initialize, headers });
    const keyed = await observe(sandbox.serverUrl, {
      ...initialize,
      headers: { ...headers, 'x-api-key': sandboxApiKey },
    });
    const nobody = await observe(sandbox.serverUrl, initialize);
    return { first, second, keyed, nobody, challenge: first.header('www-authenticate')[0] ?? '' };
  },
  {
    'server-redirects-elsewhere': ({ first }) =>
      first.status === 307 && first.header('location')[0]?.endsWith('/stolen-call') === true,
    'server-redirects-sibling': ({ first }) =>
      first.status === 307 && first.header('location')[0]?.endsWith('/other/mcp') === true,
    'server-401-always': ({ first, challenge }) => first.status === 401 && challenge.includes('error="invalid_token"'),
    'server-403-always': ({ first, second }) =>
      first.status === 403 &&
      first.header('www-authenticate')[0] === second.header('www-authenticate')[0] &&
      second.bytes > 0 &&
      first.header('www-authenticate')[0]?.includes('scope="notes:write"') === true,
    'server-403-treadmill': ({ second }) => second.header('www-authenticate')[0]?.includes('scope="scope:2"') === true,
    'server-403-other-server': ({ challenge }) => challenge.includes('resource_metadata="https://evil.invalid/prm"'),
    'server-403-plain': ({ first, challenge }) =>
      first.status === 403 && challenge === '' && first.text.startsWith('{'),
    'server-403-html': ({ first }) => first.status === 403 && first.text.startsWith('<h1>'),
    'server-500-for-token': ({ first }) => first.status === 500,
    'server-wants-no-login': ({ nobody }) => nobody.status === 200,
    'server-wants-header': ({ first, keyed }) => first.status === 403 && keyed.status === 200,
    'server-session-id': ({ first }) => first.header('mcp-session-id')[0]?.startsWith('a b') === true,
  },
);
