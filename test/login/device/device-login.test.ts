import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceLogin } from '../../../src/login/device/device-login.js';
import { callTool } from '../../support/flows/calls.js';
import { hurried } from '../../support/flows/hurried.js';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { openScene, type Scene } from '../../support/flows/scene.js';
import { failureOf } from '../../support/http.js';
import { type PersonLogin, type Walk, walkLogin } from '../../support/product.js';

const request = (scene: Scene): PersonLogin => scene.request({ timeoutMs: 900_000 });

/** What the person does with what the terminal shows. */
async function typeTheCode(scene: Scene, walk: Walk = {}): Promise<void> {
  const told = scene.ports.told.join('\n');
  const address = /^ {2}(http\S+)$/m.exec(told)?.[1] ?? '';
  const userCode = /code there: {2}(\S+)/.exec(told)?.[1] ?? '';
  await walkLogin(address, { ...walk, userCode });
}

const tokenRequests = (scene: Scene) =>
  scene.sandbox.requests.filter(({ path }) => path.endsWith('/token')).map(({ params }) => new Map(params));

test('[R-2.5a] a code typed in a browser anywhere logs in: no browser here, resource sent each time', async () => {
  await using scene = await openScene();
  const { ports, pauses } = hurried(scene.ports, async (pause) => pause === 2 && typeTheCode(scene));
  const login = await deviceLogin(ports, request(scene));
  assert.equal(login.refreshable, true);
  await callTool(scene, login, 'echo', { text: 'hello' });
  assert.deepEqual([scene.ports.opened, pauses], [[], [5000, 5000]]);
  const asked = [...tokenRequests(scene)];
  assert.equal(asked.length, 2);
  assert.ok(asked.every((form) => form.get('resource') === scene.sandbox.serverUrl));
  const [begun] = scene.sandbox.requests.filter(({ path }) => path.endsWith('/device/authorization'));
  assert.equal(new Map(begun?.params).get('resource'), scene.sandbox.serverUrl);
});

test('the person says no: exit 4, and nothing is stored', async () => {
  await using scene = await openScene();
  const { ports } = hurried(scene.ports, (pause) =>
    pause === 1 ? typeTheCode(scene, { decision: 'deny' }) : Promise.resolve(),
  );
  const failure = await failureOf(deviceLogin(ports, request(scene)), 'denied');
  assert.equal(failure.exit, 4);
  assert.deepEqual((await scene.ports.index.read()).logins, []);
});

test('nobody types the code: it ends when the code does, and not before', async () => {
  await using scene = await openScene();
  const { ports, pauses } = hurried(scene.ports, async () => undefined);
  const failure = await failureOf(deviceLogin(ports, request(scene)), 'device_code_expired');
  assert.equal(failure.exit, 6);
  assert.equal(pauses.length, 120, 'ten minutes, five seconds each');
});

test('pending, slow_down and an end are obeyed; without an endpoint nothing is registered, and it is said', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const target = { ...request(scene), server: own.server.url };
  const failure = await failureOf(deviceLogin(scene.ports, target), 'device_flow_missing');
  assert.match(failure.remedy, /--no-browser$/);
  assert.equal(own.issuer.registrations.length, 0);

  const { issuer } = own.issuer;
  own.issuer.metadata = { ...own.issuer.metadata, device_authorization_endpoint: `${issuer}/token` };
  const answers = ['authorization_pending', 'slow_down', 'authorization_pending', 'slow_down', 'expired_token'];
  const verification_uri = `${issuer}/device`;
  own.issuer.onToken = ({ fields }) =>
    fields.has('grant_type')
      ? [400, { error: answers.shift() }]
      : [200, { device_code: 'd', user_code: 'A\u001b[2JB', verification_uri, expires_in: 600, interval: 2 }];
  const { ports, pauses } = hurried(scene.ports, async () => undefined);
  await failureOf(deviceLogin(ports, target), 'device_code_expired');
  assert.deepEqual(pauses, [2000, 2000, 7000, 7000, 12_000]);
  assert.ok(!scene.ports.told.join('\n').includes('\u001b'), 'the code is shown harmless');
});
