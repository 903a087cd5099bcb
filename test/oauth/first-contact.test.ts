import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalResource } from '../../src/core/resource.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';

test('[A-270] a first login says that server and authorization server are new here, a later one does not', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const told = () => scene.ports.told.join('\n');
  await scene.login({ server: own.server.url });
  assert.match(told(), /Both are new here: check that the address is the one you mean\./);
  const before = scene.ports.told.length;
  await scene.login({ server: own.server.url });
  await scene.login({ server: own.server.url, account: 'work' });
  assert.doesNotMatch(scene.ports.told.slice(before).join('\n'), /new here/);
  await using lookalike = await openOwnScene();
  lookalike.server.publish({ authorization_servers: [own.issuer.issuer] });
  await scene.login({ server: lookalike.server.url });
  assert.match(scene.ports.told.slice(before).join('\n'), /The server is new here: check/);
});

test('[A-270] a name in letters that look like others is refused; its A-label is taken, and shown as it is', () => {
  for (const typed of ['https://аррle.example/mcp', 'https://bücher.example/mcp']) {
    assert.equal(canonicalResource(typed).ok, false, typed);
  }
  const label = 'https://xn--le-6kcc4ezb.example/mcp';
  const canonical = canonicalResource(label);
  assert.ok(canonical.ok && canonical.value === label);
});
