import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callTool } from '../support/flows/calls.js';
import { keepLogin, openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import { defaultLimits, type Limits } from '../support/product.js';

/** Generous, for a machine that is busy; what is measured here has limits that would be longer by far. */
const timeout = 30_000;
const with_ = (limits: Partial<Limits>) => ({ limits: { ...defaultLimits, ...limits } });

test('[R-8.1] the size of a metadata document, and of a token answer, is what the person has set', async () => {
  await using scene = await openScene({}, with_({ metadataKiB: 16, tokenKiB: 4 }));
  await using own = await openOwnScene();
  const filler = (kib: number) => 'x'.repeat(kib * 1024);
  const { onToken, metadata } = own.issuer;
  own.issuer.onToken = (form) => [200, { ...onToken(form)[1], filler: filler(5) }];
  await scene.loginFails('too_large', { server: own.server.url });
  own.issuer.onToken = onToken;
  own.issuer.metadata = { ...metadata, filler: filler(17) };
  const failure = await scene.loginFails('discovery_failed', { server: own.server.url });
  assert.match(failure.message, /too large/);
  own.issuer.metadata = { ...metadata, filler: filler(14) };
  await scene.login({ server: own.server.url });
});

test('[Q-3.6][R-8.1] the time for the head of a protocol answer is what the person has set', { timeout }, async () => {
  await using scene = await openScene({}, with_({ answerSeconds: 1 }));
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  own.server.whenAuthorized = () => undefined; // never answers
  const failure = await failureOf(callTool(scene, login, 'echo', {}), 'timed_out');
  assert.match(failure.message, /longer than 1 s/);
});
