import assert from 'node:assert/strict';
import { test } from 'node:test';
import { login } from '../../../src/login/log-in.js';
import { callTool } from '../../support/flows/calls.js';
import { hurried } from '../../support/flows/hurried.js';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { openScene, type Scene, type WantedLogin } from '../../support/flows/scene.js';
import { failureOf } from '../../support/http.js';
import { type LoginPorts, walkLogin } from '../../support/product.js';

const logIn = (scene: Scene, ports: LoginPorts, change: Partial<WantedLogin> = {}) =>
  login(ports, scene.request({ mode: 'no-browser', ...change }));

/** What the terminal showed: the address of the login page, and where to type which code. */
function shown(scene: Scene) {
  const told = scene.ports.told.join('\n');
  return {
    told,
    address: /^http\S+response_type=code\S*$/m.exec(told)?.[0] ?? '',
    place: /^ {2}(http\S+device)$/m.exec(told)?.[1] ?? '',
    userCode: /code there: {2}(\S+)/.exec(told)?.[1] ?? '',
  };
}

const typeTheCode = (scene: Scene, decision: 'allow' | 'deny' = 'allow') => {
  const { place, userCode } = shown(scene);
  return walkLogin(place, { userCode, decision });
};

const grants = (scene: Scene) =>
  scene.sandbox.requests.filter(({ path }) => path === '/token').map(({ params }) => new Map(params).get('grant_type'));
const askedForCodes = (scene: Scene) =>
  scene.sandbox.requests.filter(({ path }) => path.endsWith('/device/authorization')).length;

test('without a browser a code stands beside the address; typed, it logs in, and the listener closes', async () => {
  await using scene = await openScene();
  const { ports } = hurried(scene.ports, async (pause) => pause === 2 && typeTheCode(scene));
  const record = await logIn(scene, ports);
  await callTool(scene, record, 'echo', { text: 'hello' });
  const { address } = shown(scene);
  const redirectUri = new URL(address).searchParams.get('redirect_uri') ?? '';
  await assert.rejects(fetch(redirectUri), 'nobody listens any more');
  assert.ok(!grants(scene).includes('authorization_code'));
});

test('the answer in the browser comes first: no more is asked about the code, one token is issued', async () => {
  await using scene = await openScene();
  const { ports, pauses } = hurried(scene.ports, async (pause) => {
    if (pause === 2) await walkLogin(shown(scene).address);
  });
  const record = await logIn(scene, ports);
  assert.equal(record.generation, 1);
  assert.equal(pauses.length, 2);
  assert.deepEqual(grants(scene), ['urn:ietf:params:oauth:grant-type:device_code', 'authorization_code']);
});

test('a no to the code ends the login: exit 4, nothing stored', async () => {
  await using scene = await openScene();
  const { ports } = hurried(scene.ports, async (pause) => pause === 2 && typeTheCode(scene, 'deny'));
  const failure = await failureOf(logIn(scene, ports), 'denied');
  assert.equal(failure.exit, 4);
  assert.deepEqual((await scene.ports.index.read()).logins, []);
});

test('[A-111] interrupted, the person goes on all the same: neither the code nor the page leaves anything behind', async () => {
  await using scene = await openScene();
  const interruption = new AbortController();
  const { ports } = hurried(scene.ports, async (pause) => pause === 2 && interruption.abort(new Error('C')));
  await assert.rejects(logIn(scene, ports, { signal: interruption.signal }), /C/);
  await typeTheCode(scene);
  await assert.rejects(walkLogin(shown(scene).address));
  const { logins } = await scene.ports.index.read();
  assert.deepEqual([logins, scene.sandbox.stats.tokenRequests], [[], 1], 'asked before the end, not after');
});

test('where a browser opens, no code is asked for and none is shown', async () => {
  await using scene = await openScene();
  await scene.login();
  assert.equal(askedForCodes(scene), 0);
  assert.equal(shown(scene).userCode, '');
});

test('a browser that cannot be opened counts as none: the code is shown, and the tab is not held against anyone', async () => {
  await using scene = await openScene();
  const { ports } = hurried(scene.ports, async (pause) => pause === 2 && typeTheCode(scene));
  const browser = { open: async () => 'unavailable' as const };
  await logIn(scene, { ...ports, browser }, { mode: 'browser', availability: 'ssh' });
  assert.equal(await scene.ports.attempts.take(`tab ${scene.sandbox.serverUrl}`, 1), true);
});

/** A server of the test's own that offers codes at its token endpoint, and says no to everybody there. */
async function refusing() {
  const own = await openOwnScene();
  const { issuer } = own.issuer;
  own.issuer.metadata = { ...own.issuer.metadata, device_authorization_endpoint: `${issuer}/token` };
  const { onToken } = own.issuer;
  own.issuer.onToken = (form) =>
    form.fields.has('grant_type') ? onToken(form) : [400, { error: 'unauthorized_client' }];
  return own;
}

test('a code that is refused is not missed: the login goes on by its address', async () => {
  await using scene = await openScene();
  await using own = await refusing();
  const tell = (line: string) => {
    scene.ports.terminal.tell(line);
    if (/response_type=code/.test(line)) walkLogin(line).catch(() => undefined);
  };
  const ports = { ...scene.ports, terminal: { ...scene.ports.terminal, tell } };
  const record = await logIn(scene, ports, { server: own.server.url });
  assert.equal(record.issuer, own.issuer.issuer);
  assert.equal(own.issuer.forms.length, 2, 'asked for a code once, then the redemption');
  assert.doesNotMatch(shown(scene).told, /code there/);
});

test('a client that was not registered for codes does not ask for one', async () => {
  await using scene = await openScene();
  await using own = await refusing();
  const { onRegistration } = own.issuer;
  own.issuer.onRegistration = (asked) => {
    const [status, body] = onRegistration(asked);
    return [status, { ...body, grant_types: ['authorization_code', 'refresh_token'] }];
  };
  const tell = (line: string) => {
    scene.ports.terminal.tell(line);
    if (/response_type=code/.test(line)) walkLogin(line).catch(() => undefined);
  };
  const ports = { ...scene.ports, terminal: { ...scene.ports.terminal, tell } };
  await logIn(scene, ports, { server: own.server.url });
  assert.equal(own.issuer.forms.length, 1, 'the redemption alone');
});
