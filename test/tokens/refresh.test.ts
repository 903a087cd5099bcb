import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FlowPorts, flowPorts } from '../support/flow-ports.js';
import { freshToken } from '../support/flows/calls.js';
import { keepLogin, type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import type { LoginRecord } from '../support/product.js';
import { temporaryFolder } from '../support/temporary.js';

const refreshesOf = ({ issuer }: OwnScene) =>
  issuer.forms.filter(({ fields }) => fields.get('grant_type') === 'refresh_token').length;

const ask = (ports: FlowPorts, login: LoginRecord, minLifeMs = 60_000) =>
  freshToken({ ports }, login, undefined, minLifeMs);

const refreshRequests = (scene: Scene) =>
  scene.sandbox.requests.filter(({ params }) =>
    params.some(([name, value]) => name === 'grant_type' && value === 'refresh_token'),
  );

test('a token that lives is handed out without a request, and without a lock that others would wait for', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  const { authorizationServerRequests } = scene.sandbox.stats;
  const acquire = () => assert.fail('a lock is taken for a token that lives');
  const first = await ask({ ...scene.ports, locks: { acquire } }, login);
  assert.equal((await ask(scene.ports, login)).accessToken.reveal(), first.accessToken.reveal());
  assert.equal(scene.sandbox.stats.authorizationServerRequests, authorizationServerRequests);
});

test('[R-5.8a][R-2.5a] a token about to expire is refreshed with resource and scope, and the newest of both is kept', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  const before = await ask(scene.ports, login);
  scene.ports.advance(299_000);
  const after = await ask(scene.ports, login);
  assert.notEqual(after.accessToken.reveal(), before.accessToken.reveal());
  const [request] = refreshRequests(scene);
  const params = new Map(request?.params);
  assert.equal(params.get('resource'), login.resource);
  assert.equal(params.get('scope'), login.scopes.join(' '));
  scene.ports.advance(299_000);
  await ask(scene.ports, login);
  const [first, second] = refreshRequests(scene);
  const sent = [first, second].map((seen) => new Map(seen?.params).get('refresh_token'));
  assert.notEqual(sent[0], sent[1], 'the rotated refresh token was used the second time');
});

test('[A-134] twenty that ask at once make one refresh, and all get its token', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  await using folder = await temporaryFolder();
  const login = await keepLogin(scene, own);
  scene.ports.advance(299_000);
  const others = await Promise.all(
    Array.from({ length: 20 }, async () => ({
      ...(await flowPorts({ folder: folder.path, store: scene.ports.store })),
      index: scene.ports.index,
      locks: scene.ports.locks,
      clock: scene.ports.clock,
    })),
  );
  const tokens = await Promise.all(others.map((ports) => ask(ports, login)));
  assert.equal(refreshesOf(own), 1);
  assert.equal(new Set(tokens.map(({ accessToken }) => accessToken.reveal())).size, 1);
  for (const ports of others) {
    await ports.http[Symbol.asyncDispose]();
  }
});

test('whoever wants more life than a token has gets a fresh one each time: that is no refusal, and not counted as one', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  for (let time = 0; time < 5; time += 1) await ask(scene.ports, login, 3_600_000);
  assert.equal(refreshesOf(own), 5);
});

test('[A-144] no refresh token in the answer: the old one stays', async () => {
  await using scene = await openScene({ faults: ['refresh-no-rotation'] });
  const login = await scene.login();
  const token = async () =>
    JSON.parse((await scene.ports.store.read(login.key))?.reveal() ?? '{}') as Record<string, unknown>;
  const before = JSON.stringify(await token());
  scene.ports.advance(299_000);
  await ask(scene.ports, login);
  const after = await token();
  assert.notEqual(JSON.stringify(after), before);
  assert.ok(before.includes(JSON.stringify(after['refreshToken'])), 'the refresh token is the one from the login');
});

test('a refresh whose answer says back in its scope what was sent: the list of logins has nothing of it [A-252]', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.onToken = ({ fields }) => {
    const isRefresh = fields.get('grant_type') === 'refresh_token';
    const token = { access_token: isRefresh ? 'canary-second' : 'canary-first', refresh_token: 'canary-refresh' };
    const rest = { token_type: 'Bearer', expires_in: 300, scope: isRefresh ? 'a canary-first' : 'a' };
    return [200, isRefresh ? { ...rest, access_token: token.access_token } : { ...rest, ...token }];
  };
  const login = await keepLogin(scene, own);
  scene.ports.advance(299_000);
  const token = await ask(scene.ports, login);
  assert.equal(token.accessToken.reveal(), 'canary-second');
  assert.deepEqual(token.scopes, ['a']);
  assert.doesNotMatch(JSON.stringify(await scene.ports.index.read()), /canary/);
});

test('[A-141] a refresh token refused for good: exit 3 with the command, marked dead, no storm', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  scene.sandbox.setFaults(['refresh-invalid-grant']);
  scene.ports.advance(301_000);
  const failure = await failureOf(ask(scene.ports, login), 'login_expired');
  assert.equal(failure.exit, 3);
  assert.match(failure.remedy, /^Run: postern login http/);
  const asked = refreshRequests(scene).length;
  await failureOf(ask(scene.ports, login), 'login_expired');
  assert.equal(refreshRequests(scene).length, asked, 'the second time nothing is sent');
  assert.ok((await scene.ports.store.read(login.key)) !== undefined, 'nothing is deleted');
  assert.equal((await scene.ports.index.read()).registrations.length, 1, 'the client is as good as before');
});

test('[A-142] a refresh that fails for now: a token that still lives is used, nothing is lost, and later all is well', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  const before = await ask(scene.ports, login);
  scene.sandbox.setFaults(['refresh-500']);
  scene.ports.advance(280_000);
  assert.equal((await ask(scene.ports, login)).accessToken.reveal(), before.accessToken.reveal());
  scene.ports.advance(40_000);
  const outcome = await ask(scene.ports, login).catch((error: unknown) => error as { exit?: number });
  assert.ok(
    'exit' in outcome && (outcome.exit === 6 || outcome.exit === 5),
    'expired by now, and no login is asked for',
  );
  scene.sandbox.setFaults([]);
  assert.notEqual((await ask(scene.ports, login)).accessToken.reveal(), before.accessToken.reveal());
});
