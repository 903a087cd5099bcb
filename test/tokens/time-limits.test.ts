import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { validToken } from '../../src/tokens/valid-token.js';
import { keepLogin, openOwnScene } from '../support/flows/own-scene.js';
import { startOwnServer } from '../support/flows/own-server.js';
import { openScene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import { startTcp } from '../support/http-server.js';
import { defaultLimits, type Limits } from '../support/product.js';

/** Generous: whatever is tested here ends much earlier, or never. */
const timeout = 50_000;
const within = (limits: Partial<Limits>) => ({ limits: { ...defaultLimits, ...limits } });

describe('every wait has a limit, which the person can set', { concurrency: true }, () => {
  test('[R-8.1][A-16] a server that never answers: network failure, exit 6, and what was waited for is named', {
    timeout,
  }, async () => {
    await using scene = await openScene({}, within({ metadataSeconds: 1 }));
    await using silent = await startTcp(() => undefined);
    const failure = await scene.loginFails('timed_out', { server: `${silent.origin}/mcp` });
    assert.equal(failure.exit, 6);
    assert.ok(failure.message.includes(new URL(silent.origin).host), failure.message);
    assert.match(failure.message, /\b1 s/);
    assert.equal(silent.connections.opened, 1);
  });

  test('[R-8.1][A-45][A-254] metadata that comes a byte now and then: ended by the limit for one document, not by silence', {
    timeout,
  }, async () => {
    await using scene = await openScene({ faults: ['as-slow'] }, within({ metadataSeconds: 2 }));
    const failure = await scene.loginFails('timed_out');
    assert.equal(failure.exit, 6);
    assert.deepEqual(scene.ports.opened, []);
    assert.equal(scene.sandbox.stats.registrations, 0);
    const { asked, came } = scene.ports.journal.steps.at(-1) ?? {};
    assert.match(`${asked} ${came}`, /openid-configuration.*\b2 s/);
  });

  test('[R-8.1][A-120][A-254] a token endpoint that answers a byte now and then: ended, nothing is kept', {
    timeout,
  }, async () => {
    await using scene = await openScene({ faults: ['token-slow'] }, within({ tokenSeconds: 2 }));
    const failure = await scene.loginFails('timed_out');
    assert.equal(failure.exit, 6);
    assert.match(failure.message, /\b2 s/);
    assert.equal(scene.sandbox.stats.tokenRequests, 1, 'the code is sent once');
    assert.deepEqual((await scene.ports.index.read()).logins, []);
  });

  test('[R-8.1][A-142] a refresh that is answered a byte now and then: ended, the credential stays', {
    timeout,
  }, async () => {
    await using scene = await openScene({}, within({ tokenSeconds: 2 }));
    const login = await scene.login();
    const before = (await scene.ports.store.read(login.key))?.reveal();
    scene.sandbox.setFaults(['refresh-slow']);
    scene.ports.advance(301_000);
    const { signal } = new AbortController();
    const wish = { login, minLifeMs: 0, rejected: undefined, signal };
    const failure = await failureOf(validToken(scene.ports, wish), 'timed_out');
    assert.equal(failure.exit, 6);
    assert.match(failure.message, /\b2 s/);
    assert.equal((await scene.ports.store.read(login.key))?.reveal(), before);
  });

  test('[A-16][R-8.1] all addresses together have a limit: the rest is not asked any more, the steps tell which were', {
    timeout,
  }, async () => {
    await using scene = await openScene({}, within({ discoverySeconds: 2 }));
    await using own = await openOwnScene();
    await using silent = await startTcp(() => undefined);
    own.server.publish({ authorization_servers: [`${silent.origin}/tenant`] });
    const failure = await scene.loginFails('timed_out', { server: own.server.url });
    assert.equal(failure.exit, 6);
    assert.ok(failure.message.includes(own.server.url));
    const asked = scene.ports.journal.steps.map((step) => step.asked);
    assert.ok(asked.some((line) => line.includes('/.well-known/oauth-authorization-server/tenant')));
    assert.equal(silent.connections.opened, 1, 'once the time is up, no other address is tried');
    assert.deepEqual(scene.ports.opened, []);
  });
});

test('[R-8.1] a person who thinks long about the choice of authorization server does not use up the time', async () => {
  await using scene = await openScene({}, { interactive: true });
  await using own = await openOwnScene();
  await using another = await startOwnServer();
  own.server.publish({ authorization_servers: [own.issuer.issuer, another.origin] });
  const { terminal } = scene.ports;
  const choose: typeof terminal.choose = async (...words) => {
    scene.ports.advance(3_600_000);
    return terminal.choose(...words);
  };
  Object.assign(scene.ports, { terminal: { ...terminal, choose } });
  const login = await keepLogin(scene, own);
  assert.equal(login.issuer, own.issuer.issuer);
});

test('[R-8.1][A-110] a login that nobody answers ends after --timeout: exit 6, the listener is closed', async () => {
  let link = '';
  const browse = async (url: string) => {
    link = url;
  };
  await using scene = await openScene({}, { browse, msAfterWalk: 20_000 });
  const failure = await scene.loginFails('login_timed_out');
  assert.equal(failure.exit, 6);
  await assert.rejects(fetch(link), 'nothing listens any more');
});

test('[R-8.1] Ctrl-C ends every wait: discovery, the person’s answer, the redemption', { timeout }, async () => {
  await using silent = await startTcp(() => undefined);
  for (const where of ['discovery', 'answer', 'redemption']) {
    const controller = new AbortController();
    const reason = new Error('Ctrl-C');
    const abortSoon = async () => void setImmediate(() => controller.abort(reason));
    await using scene = await openScene(
      { faults: where === 'redemption' ? ['token-slow'] : [] },
      where === 'answer' ? { browse: abortSoon } : {},
    );
    const server = where === 'discovery' ? `${silent.origin}/mcp` : scene.sandbox.serverUrl;
    const login = scene.login({ server, signal: controller.signal });
    if (where === 'discovery') await abortSoon();
    if (where === 'redemption') {
      while (scene.sandbox.stats.tokenRequests === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      await abortSoon();
    }
    await assert.rejects(login, (error) => error === reason, where);
    assert.deepEqual((await scene.ports.index.read()).logins, []);
  }
});
