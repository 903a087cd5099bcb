import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { listTools } from '../support/flows/calls.js';
import { type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import { startHttp } from '../support/http-server.js';
import type { Failure } from '../support/product.js';

/** What a swindler would have a person do: type his own code at the real page, and so log him in. */
const lureTo = (place: string): string => `Almost done.\nEnter code ABCD-EFGH at ${place}/device to go on\u001b[1m now`;

/** Where each text comes from, and the code of the failure that it comes with. */
const sources: readonly (readonly [source: string, code: string, prepare: (own: OwnScene, lure: string) => void])[] = [
  [
    'the authorization server, in its answer to the login',
    'denied',
    ({ issuer }, lure) => {
      issuer.onAuthorization = (answer) => {
        answer.delete('code');
        answer.set('error', 'access_denied');
        answer.set('error_description', lure);
      };
    },
  ],
  [
    'its token endpoint',
    'invalid_grant',
    ({ issuer }, error_description) => {
      issuer.onToken = () => [400, { error: 'invalid_grant', error_description }];
    },
  ],
  [
    'its registration endpoint',
    'registration_refused',
    ({ issuer }, error_description) => {
      issuer.onRegistration = () => [400, { error: 'invalid_client_metadata', error_description }];
    },
  ],
];

function assertIsQuotedOnly(failure: Failure, scene: Scene, place: string): void {
  const said = failure.message.indexOf('"Almost done.');
  assert.ok(said > 0 && failure.message.slice(said).includes('ABCD-EFGH'), failure.message);
  assert.ok(!failure.message.slice(0, said).includes('ABCD'));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line or colour of its own would look like ours
  assert.doesNotMatch(failure.message, /[\n\u001b]/);
  const ours = [failure.remedy, ...scene.ports.told, ...scene.ports.opened].join('\n');
  assert.doesNotMatch(ours, /ABCD/);
  assert.ok(!ours.includes(place));
}

for (const [source, code, prepare] of sources) {
  test(`[A-83] "enter code ABCD at …", says ${source}: quoted as its words, and nothing is done about it`, async () => {
    await using elsewhere = await startHttp((_, response) => void response.writeHead(200).end());
    await using own = await openOwnScene();
    const { issuer } = own.issuer;
    own.issuer.metadata = { ...own.issuer.metadata, device_authorization_endpoint: `${issuer}/device` };
    prepare(own, lureTo(elsewhere.origin));
    await using scene = await openScene();
    const failure = await scene.loginFails(code, { server: own.server.url });
    assertIsQuotedOnly(failure, scene, elsewhere.origin);
    assert.deepEqual(elsewhere.requests, []);
    assert.ok(own.issuer.requests.every((line) => !line.includes('/device')));
  });
}

test('[A-83] "enter code ABCD at …", says the protected server, in a challenge or an error: likewise', async () => {
  await using elsewhere = await startHttp((_, response) => void response.writeHead(200).end());
  await using own = await openOwnScene();
  await using scene = await openScene();
  const login = await scene.login({ server: own.server.url });
  const lure = lureTo(elsewhere.origin);
  const inHeader = lure.replaceAll('\n', ' ').replaceAll('\u001b', ' ');
  own.server.whenAuthorized = (_, response) => {
    const challenge = `Bearer error="insufficient_scope", scope="more", error_description="${inHeader}"`;
    response.writeHead(403, { 'www-authenticate': challenge }).end();
  };
  const tellsOfScope = await failureOf(listTools(scene, login), 'insufficient_scope');
  assertIsQuotedOnly(tellsOfScope, scene, elsewhere.origin);
  own.server.whenAuthorized = async (request, response) => {
    const { id } = JSON.parse(await text(request)) as { id: number };
    const error = { code: -32000, message: lure };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
  };
  const refused = await failureOf(listTools(scene, login), 'call_failed');
  assertIsQuotedOnly(refused, scene, elsewhere.origin);
  assert.deepEqual(elsewhere.requests, []);
});
