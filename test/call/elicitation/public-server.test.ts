import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startAuthority } from '../../support/certificates.js';
import { startConnectProxy } from '../../support/connect-proxy.js';
import { startHttp } from '../../support/http-server.js';
import { openMachine } from '../../support/machine.js';
import { needs } from '../../support/needs.js';

const name = 'mcp.example.com';

test('[Q-4.7] a public server may not have a page of this computer opened, nor one without https', {
  skip: needs('openssl'),
}, async () => {
  await using authority = await startAuthority();
  const certificate = await authority.issue(`DNS:${name}`);
  let page = '';
  const said: unknown[] = [];
  await using server = await startHttp(async (request, response) => {
    const { id, method, params } = JSON.parse((await text(request)) || '{}');
    const { page: given } = params?.inputResponses ?? {};
    if (given !== undefined) said.push(given.action);
    const asked = { mode: 'url', message: 'Your key, please.', url: page };
    const results: Record<string, object> = {
      'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
      'tools/list': { tools: [{ name: 'tool', inputSchema: { type: 'object' } }] },
      'tools/call':
        given === undefined
          ? {
              resultType: 'input_required',
              inputRequests: { page: { method: 'elicitation/create', params: asked } },
              requestState: '1',
            }
          : { content: [{ type: 'text', text: 'done' }] },
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
  }, certificate);
  await using proxy = await startConnectProxy(server.port);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, POSTERN_CA_FILE: authority.caFile };
  const pages = [
    ['http://127.0.0.1:9/x', 'decline'],
    ['http://localhost:9/x', 'decline'],
    ['http://[::1]:9/x', 'decline'],
    ['http://example.com/x', 'decline'],
    ['https://example.com/x', 'accept'],
  ] as const;
  for (const [url, action] of pages) {
    page = url;
    await using machine = await openMachine({ env, typed: ['y', ''], browse: async () => undefined });
    const words = ['call', `https://${name}/mcp`, 'tool', '--protocol', '2026-07-28'];
    const { code, stdout, stderr } = await machine.run(words);
    assert.deepEqual([code, stdout], [0, 'done\n'], stderr);
    assert.equal(said.at(-1), action, url);
    assert.equal(machine.opened.length, action === 'accept' ? 1 : 0, url);
  }
});
