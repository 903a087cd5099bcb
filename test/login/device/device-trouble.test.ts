import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkFailed } from '../../../src/http/network-failures.js';
import { deviceLogin } from '../../../src/login/device/device-login.js';
import { hurried } from '../../support/flows/hurried.js';
import type { OwnIssuer } from '../../support/flows/own-issuer.js';
import { type OwnScene, openOwnScene } from '../../support/flows/own-scene.js';
import { openScene } from '../../support/flows/scene.js';
import { failureOf } from '../../support/http.js';
import { type LoginPorts, Secret } from '../../support/product.js';

const idle = async () => undefined;
const token = { access_token: 'a', refresh_token: 'r', token_type: 'Bearer', expires_in: 300 };

/** An authorization server that offers codes and, but for the test's wishes, nothing else. */
async function deviceOnly(change: Readonly<Record<string, unknown>> = {}): Promise<OwnScene> {
  const own = await openOwnScene();
  const { issuer } = own.issuer;
  const { registration_endpoint } = own.issuer.metadata;
  own.issuer.metadata = {
    ...{ issuer, registration_endpoint, token_endpoint: `${issuer}/token` },
    ...{ device_authorization_endpoint: `${issuer}/token`, ...change },
  };
  return own;
}

/** Gives a code, then these answers, one each time it is asked. */
function answering(issuer: OwnIssuer, answers: readonly (readonly [number, Readonly<Record<string, unknown>>])[]) {
  const left = [...answers];
  const place = `${issuer.issuer}/device`;
  issuer.onToken = ({ fields }) =>
    fields.has('grant_type')
      ? (left.shift() ?? [400, { error: 'authorization_pending' }])
      : [
          200,
          {
            ...{ device_code: 'd', user_code: 'AB-CD', expires_in: 600, interval: 5 },
            ...{ verification_uri: place, verification_uri_complete: `${place}?user_code=AB-CD` },
          },
        ];
}

test('a server that offers codes alone is enough: no authorization endpoint and no PKCE are asked of it', async () => {
  await using scene = await openScene();
  await using own = await deviceOnly();
  answering(own.issuer, [[200, token]]);
  const { ports } = hurried(scene.ports, idle);
  const target = scene.request({ server: own.server.url });
  const record = await deviceLogin(ports, target);
  assert.equal(record.issuer, own.issuer.issuer);
  const told = scene.ports.told.join('\n');
  const order = [
    `Logging in to ${own.server.url}`,
    `at the authorization server ${own.issuer.issuer}`,
    'with the scopes',
    'type this code there:  AB-CD',
    `${own.issuer.issuer}/device?user_code=AB-CD`,
  ].map((text) => told.indexOf(text));
  assert.ok(
    order.every((place, index) => place > (order[index - 1] ?? -1)),
    told,
  );
  await failureOf(scene.login({ server: own.server.url }), 'pkce_missing');
});

test('a server in trouble is asked again, less often each time; then at its own pace', async () => {
  await using scene = await openScene();
  await using own = await deviceOnly();
  const pending = [400, { error: 'authorization_pending' }] as const;
  answering(own.issuer, [pending, [503, {}], [502, {}], pending, [200, token]]);
  let broken = 1;
  const { ports, pauses } = hurried(scene.ports, idle);
  const { http } = ports;
  const send: LoginPorts['http']['send'] = (request) => {
    if (!String(request.body).includes('device_code=') || broken === 0) return http.send(request);
    broken -= 1;
    return Promise.reject(networkFailed({ host: 'as', port: 443, code: 'ECONNRESET' }));
  };
  await deviceLogin(
    { ...ports, http: { ...http, send } },
    scene.request({ server: own.server.url, timeoutMs: 600_000 }),
  );
  assert.deepEqual(pauses, [5000, 10_000, 5000, 10_000, 20_000, 5000]);
});

test('[R-8.1] the time limit of the login ends the wait before the code does, and says so', async () => {
  await using scene = await openScene();
  await using own = await deviceOnly();
  answering(own.issuer, []);
  const { ports, pauses } = hurried(scene.ports, idle);
  const request = scene.request({ server: own.server.url, timeoutMs: 12_000 });
  const failure = await failureOf(deviceLogin(ports, request), 'login_timed_out');
  assert.equal(failure.exit, 6);
  assert.deepEqual(pauses.map(Math.round), [5000, 5000, 2000]);
});

test('a client with a secret: where Basic is refused and the form is not listed, the secret is sent in no form', async () => {
  await using scene = await openScene();
  await using own = await deviceOnly({ token_endpoint_auth_methods_supported: ['client_secret_basic'] });
  own.issuer.onToken = () => [401, { error: 'invalid_client' }];
  const { issuer } = own.issuer;
  const client = { clientId: 'mine', secret: new Secret('s3cret'), issuer, redirectUri: undefined };
  const { ports } = hurried(scene.ports, idle);
  await failureOf(deviceLogin(ports, scene.request({ server: own.server.url, client })), 'invalid_client');
  assert.deepEqual(
    own.issuer.forms.map(({ authorization, fields }) => [authorization === undefined, fields.has('client_secret')]),
    [[false, false]],
    'asked once, by Basic',
  );
});

test('a client with a secret: Basic first, the form where Basic is refused, and kept with what worked', async () => {
  await using scene = await openScene();
  const methods = ['client_secret_basic', 'client_secret_post'];
  await using own = await deviceOnly({ token_endpoint_auth_methods_supported: methods });
  answering(own.issuer, [[200, token]]);
  const { onToken } = own.issuer;
  own.issuer.onToken = (form) =>
    form.authorization === undefined ? onToken(form) : [401, { error: 'invalid_client' }];
  const { issuer } = own.issuer;
  const client = { clientId: 'mine', secret: new Secret('s3cret'), issuer, redirectUri: undefined };
  const { ports } = hurried(scene.ports, idle);
  await deviceLogin(ports, scene.request({ server: own.server.url, client }));
  assert.deepEqual(
    own.issuer.forms.map(({ authorization, fields }) => [authorization === undefined, fields.has('client_secret')]),
    [
      [false, false],
      [true, true],
      [true, true],
    ],
  );
  const again = hurried(scene.ports, idle);
  answering(own.issuer, [[200, token]]);
  await deviceLogin(again.ports, scene.request({ server: own.server.url }));
  assert.equal(own.issuer.forms.at(-1)?.fields.get('client_id'), 'mine');
  assert.equal(own.issuer.forms.length, 5, 'the method that worked is kept');
  assert.deepEqual(own.issuer.registrations, []);
});

test('a registration made for the browser, which asked for no codes, is not taken for one: another is made', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { issuer } = own.issuer;
  own.issuer.metadata = { ...own.issuer.metadata, device_authorization_endpoint: `${issuer}/token` };
  await scene.login({ server: own.server.url });
  answering(own.issuer, [[200, token]]);
  const { ports } = hurried(scene.ports, idle);
  await deviceLogin(ports, scene.request({ server: own.server.url }));
  const asked = own.issuer.registrations.map(({ grant_types }) => grant_types);
  assert.deepEqual(asked, [
    ['authorization_code', 'refresh_token'],
    ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  ]);
});

test('a metadata document, which lists the grants of the browser, is passed over for a code where one can register', async () => {
  await using scene = await openScene();
  const metadataUrl = 'https://client.example/client.json';
  await using own = await deviceOnly({ client_id_metadata_document_supported: true });
  answering(own.issuer, [[200, token]]);
  const { ports } = hurried(scene.ports, idle);
  const record = await deviceLogin(ports, scene.request({ server: own.server.url, metadataUrl }));
  assert.deepEqual([record.registration, own.issuer.registrations.length], ['dynamic', 1]);
});

test('a token that is plainly for another server gets a warning, as at every login', async () => {
  await using scene = await openScene();
  await using own = await deviceOnly();
  const payload = Buffer.from(JSON.stringify({ aud: 'https://elsewhere.example/mcp' })).toString('base64url');
  answering(own.issuer, [[200, { ...token, access_token: `e30.${payload}.c2ln` }]]);
  const { ports } = hurried(scene.ports, idle);
  const record = await deviceLogin(ports, scene.request({ server: own.server.url }));
  assert.match(record.warnings?.join('\n') ?? '', /elsewhere\.example/);
});
