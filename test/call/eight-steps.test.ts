import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { listTools } from '../support/flows/calls.js';
import { openScene, type Scene } from '../support/flows/scene.js';

/** The first request of each kind, by what the program and then its browser do at it. */
const kinds: readonly (readonly [step: string, is: (path: string, method: string, at: string) => boolean])[] = [
  ['1 the server without a token', (path, method) => path === '/mcp' && method === 'POST'],
  ['2 protected resource metadata', (path) => path.includes('oauth-protected-resource')],
  ['3 authorization server metadata', (path) => path.includes('oauth-authorization-server')],
  ['5 registration', (path) => path === '/register'],
  ['7 authorization request', (path) => path === '/authorize'],
  ['7 redemption', (path) => path === '/token'],
];

const numberOf = (scene: Scene, is: (typeof kinds)[number][1]) =>
  scene.sandbox.requests.findIndex(({ path, method, at }) => is(path, method, at));

test('[R-5.3a] the eight steps in order, from a 401 to a Bearer call, by what the sandbox was asked', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  await listTools(scene, login);
  const places = kinds.map(([, is]) => numberOf(scene, is));
  assert.ok(
    places.every((place, index) => place > (places[index - 1] ?? -1)),
    places.join(' '),
  );
  assert.equal(scene.sandbox.requests[0]?.status, 401);
  assert.equal(scene.sandbox.requests[0]?.headers['authorization'], undefined);
  const bearer = scene.sandbox.requests.findIndex(({ headers }) =>
    String(headers['authorization']).startsWith('Bearer '),
  );
  assert.ok(bearer > (places.at(-1) ?? 0), 'a token is sent only once there is one');
  assert.equal(scene.sandbox.requests[bearer]?.at, 'server');
});

test('[R-5.3a] the journal tells the same steps in order, each with its rule and what came', async () => {
  await using scene = await openScene();
  await scene.login();
  assert.deepEqual(
    scene.ports.journal.steps.map(({ name, verdict }) => [name, verdict]),
    [
      ['unauthenticated-request', 'pass'],
      ['protected-resource-metadata', 'pass'],
      ['authorization-server-choice', 'pass'],
      ['authorization-server-metadata', 'pass'],
      ['client-registration', 'pass'],
      ['client-identity', 'pass'],
      ['authorization', 'pass'],
      ['redeem', 'pass'],
      ['store', 'pass'],
    ],
  );
  for (const { rule, asked, came } of scene.ports.journal.steps) {
    assert.match(rule, /^R-\d|^RFC \d/);
    assert.ok(asked !== '' && came !== '');
  }
});

test('[Q-6.23][R-5.3a][R-2.5b][R-2.5c] one authorization request with state, PKCE S256 and resource; its verifier redeems the code', async () => {
  await using scene = await openScene();
  await scene.login();
  const request = scene.sandbox.requests.find(({ path }) => path === '/authorize');
  const names = (request?.params ?? []).map(([name]) => name);
  assert.equal(new Set(names).size, names.length, 'each parameter once');
  const asked = new Map(request?.params);
  assert.equal(asked.get('response_type'), 'code');
  assert.equal(asked.get('code_challenge_method'), 'S256');
  assert.ok((asked.get('state') ?? '').length >= 43, 'at least 256 bits');
  const token = new Map(scene.sandbox.requests.find(({ path }) => path === '/token')?.params);
  const verifier = token.get('code_verifier') ?? '';
  assert.equal(createHash('sha256').update(verifier).digest('base64url'), asked.get('code_challenge'));
  assert.equal(token.get('resource'), asked.get('resource'));
});

test('[A-75] state, verifier and link are fresh for each attempt, after an error too', async () => {
  await using scene = await openScene();
  await scene.login();
  scene.sandbox.setFaults(['callback-wrong-iss']);
  await scene.loginFails('issuer_mismatch');
  scene.sandbox.setFaults([]);
  await scene.login();
  const asked = scene.sandbox.requests.filter(({ path }) => path === '/authorize').map(({ params }) => new Map(params));
  assert.equal(asked.length, 3);
  for (const name of ['state', 'code_challenge']) {
    assert.equal(new Set(asked.map((params) => params.get(name))).size, 3, name);
  }
  assert.equal(new Set(scene.ports.opened).size, 3);
  assert.ok(!JSON.stringify(await scene.ports.index.read()).includes(asked[0]?.get('state') ?? '?'));
});

test('[R-7.1] a status that asks for no login each has its own end', async () => {
  for (const [fault, code, exit] of [
    ['challenge-on-500', 'server_failed', 6],
    ['prm-missing', 'discovery_failed', 5],
  ] as const) {
    await using scene = await openScene({ faults: [fault] });
    const failure = await scene.loginFails(code);
    assert.equal(failure.exit, exit);
    assert.deepEqual(scene.ports.opened, []);
  }
});
