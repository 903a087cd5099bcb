import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atServer, callTool } from '../../support/flows/calls.js';
import { openScene } from '../../support/flows/scene.js';

test('a stolen access token opens nothing without the key, in whichever scheme it comes', async () => {
  await using scene = await openScene({ dpop: 'required' });
  const login = await scene.login();
  await callTool(scene, login, 'echo', { text: 'x' });
  const { authorization, dpop: old } = atServer(scene).at(-1)?.headers ?? {};
  const status = async (more: Record<string, string>) => {
    const headers = { 'content-type': 'application/json', ...more };
    return (await fetch(scene.sandbox.serverUrl, { method: 'POST', body: '{}', headers })).status;
  };
  const text = String(authorization).replace('DPoP ', '');
  assert.equal(await status({ authorization: `Bearer ${text}` }), 401);
  assert.equal(await status({ authorization: `DPoP ${text}` }), 401);
  assert.ok(old !== undefined);
  assert.equal(await status({ authorization: `DPoP ${text}`, dpop: String(old) }), 401);
});
