import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProtectedServerOptions } from '../../../src/sandbox/protected-server/options.js';
import { issuer, runProtected } from './protected.js';
import { initialize, post, TestSession } from './session.js';

const wellKnown = '/.well-known/oauth-protected-resource';

/** Status of both well-known addresses, and the path of the document that the challenge tells. */
async function found(options: Partial<ProtectedServerOptions>): Promise<readonly unknown[]> {
  await using running = await runProtected(options);
  const withPath = await fetch(`${running.origin}${wellKnown}/mcp`);
  const root = await fetch(`${running.origin}${wellKnown}`);
  const refused = await post(running.url, undefined, initialize);
  const told = / ?resource_metadata="([^"]*)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1];
  if (told !== undefined) {
    const document = await (await fetch(told)).json();
    assert.equal(document.resource, running.url, 'what the challenge tells is the document');
  }
  return [withPath.status, root.status, told?.slice(running.origin.length)];
}

test('[R-4.2c] [R-1.8d] header and well-known discovery both work, and each can be turned off', async () => {
  assert.deepEqual(await found({}), [200, 200, `${wellKnown}/mcp`]);
  assert.deepEqual(await found({ discovery: 'header' }), [404, 404, '/resource-metadata']);
  assert.deepEqual(await found({ discovery: 'well-known' }), [200, 200, undefined]);
  assert.deepEqual(await found({ wellKnown: 'path' }), [200, 404, `${wellKnown}/mcp`]);
  assert.deepEqual(await found({ wellKnown: 'root' }), [404, 200, wellKnown]);
  assert.deepEqual(await found({ wellKnown: 'root', discovery: 'well-known' }), [404, 200, undefined]);
});

test('[R-2.1a] [R-2.1c] [R-2.1d] the document names the resource, its authorization server and the minimal scope', async () => {
  await using running = await runProtected();
  const response = await fetch(`${running.origin}${wellKnown}/mcp`);
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.deepEqual(await response.json(), {
    resource: running.url,
    authorization_servers: [issuer],
    scopes_supported: ['mcp:basic'],
    bearer_methods_supported: ['header'],
    resource_name: 'Postern sandbox',
  });
});

test('[R-2.1c] a scope outside scopes_supported can be challenged, and works', async () => {
  await using running = await runProtected();
  const session = await TestSession.open(running.url, await running.token());
  const refused = await session.call('note_add', { text: 'one' });
  assert.match(refused.headers.get('www-authenticate') ?? '', /scope="mcp:basic notes:write"/);
  session.token = await running.token({ scope: 'mcp:basic notes:write' });
  assert.equal(await session.textOf('note_add', { text: 'one' }), 'Kept as note 1.');
});
