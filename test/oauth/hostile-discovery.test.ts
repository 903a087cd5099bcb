import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { FlowOptions } from '../support/flow-ports.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene, sceneAt } from '../support/flows/scene.js';
import { startSandbox } from '../support/start-sandbox.js';

let shared: ReturnType<typeof startSandbox> | undefined;
after(async () => (await shared)?.close());

/** A new machine in front of the one sandbox, which has this fault. */
async function openFaulty(fault: string, flow: Partial<FlowOptions> = {}) {
  shared ??= startSandbox();
  const sandbox = await shared;
  sandbox.setFaults([fault]);
  return sceneAt(sandbox, flow);
}

/** Fault of the sandbox, what the login must end with, and the rows and rules that this shows. */
type Case = readonly [fault: string, code: string, exit: number, shows: string];

/** Refused before the authorization server is asked anything. */
const beforeIt: readonly Case[] = [
  ['challenge-file-url', 'url_refused', 5, '[A-1]'],
  ['challenge-userinfo', 'url_refused', 5, '[A-9]'],
  ['challenge-cloud-metadata', 'address_refused', 5, '[A-4]'],
  ['challenge-two-bearers', 'challenge_unusable', 5, '[A-11]'],
  ['challenge-huge', 'too_large', 5, '[A-13]'],
  ['challenge-hostile-scope', 'challenge_unusable', 5, '[A-24]'],
  ['challenge-on-500', 'server_failed', 6, '[A-14]'],
  ['prm-wrong-resource', 'resource_mismatch', 5, '[A-17][R-2.1d]'],
  ['prm-resource-sibling', 'resource_mismatch', 5, '[A-18]'],
  ['prm-resource-fragment', 'resource_mismatch', 5, '[A-19]'],
  ['prm-no-servers', 'metadata_unusable', 5, '[A-21][R-2.1a]'],
  ['prm-array', 'discovery_failed', 5, '[A-20]'],
  ['prm-duplicate-keys', 'discovery_failed', 5, '[A-20]'],
  ['prm-html', 'discovery_failed', 5, '[A-16]'],
  ['prm-missing', 'discovery_failed', 5, '[A-23][R-1.8d]'],
  ['prm-redirect-elsewhere', 'redirect_refused', 5, '[A-8]'],
  ['prm-redirect-ring', 'redirect_refused', 5, '[A-8][A-255]'],
];

/** Refused when the authorization server's metadata is read: nothing registered, opened or redeemed. */
const atItsMetadata: readonly Case[] = [
  ['as-issuer-mismatch', 'issuer_mismatch', 5, '[A-31][R-4.3c]'],
  ['as-issuer-case', 'issuer_mismatch', 5, '[A-32]'],
  ['as-protected-resources', 'resource_mismatch', 5, '[A-25][A-50]'],
  ['as-no-pkce', 'pkce_missing', 5, '[A-38][R-5.3b][R-7.3]'],
  ['as-pkce-plain', 'pkce_missing', 5, '[A-39]'],
  ['as-no-code-response-type', 'capability_missing', 5, '[A-40]'],
  ['as-query-pollution', 'metadata_unusable', 5, '[A-37]'],
  ['as-endpoint-script', 'metadata_unusable', 5, '[A-66]'],
  ['as-type-confusion', 'metadata_unusable', 5, '[A-46]'],
  ['as-huge', 'too_large', 5, '[A-45]'],
  ['as-gzip-bomb', 'too_large', 5, '[A-45][A-253]'],
  ['as-deep-json', 'discovery_failed', 5, '[A-45][A-258]'],
];

for (const [fault, code, exit, shows] of [...beforeIt, ...atItsMetadata]) {
  test(`${shows} ${fault}: ${code}, exit ${exit}, nothing opened, registered or stored`, async () => {
    await using scene = await openFaulty(fault);
    const failure = await scene.loginFails(code);
    assert.equal(failure.exit, exit);
    assert.ok(failure.remedy.length > 10);
    assert.ok(
      scene.ports.journal.steps.length > 0 ||
        exit !== 5 ||
        code === 'url_refused' ||
        code === 'address_refused' ||
        code === 'redirect_refused' ||
        code === 'too_large',
    );
    assert.deepEqual(scene.ports.opened, []);
    const { stats } = scene.sandbox;
    assert.equal(stats.registrations + stats.tokenRequests + stats.authorizationRequests, 0);
    if (beforeIt.some(([name]) => name === fault)) assert.deepEqual(scene.askedAuthorizationServer(), []);
    assert.deepEqual(await scene.ports.index.read(), { version: 1, logins: [], registrations: [] });
  });
}

test('[A-10] text inside a quoted string never becomes a parameter: the login goes the well-known way', async () => {
  await using scene = await openFaulty('challenge-reflects-text');
  await scene.login();
  assert.ok(scene.sandbox.requests.some(({ path }) => path === '/.well-known/oauth-protected-resource/mcp'));
});

for (const fault of [
  'challenge-odd-form',
  'as-first-html',
  'as-unused-endpoints',
  'as-cimd-string-true',
  'prm-hostile-names',
]) {
  const shows: Readonly<Record<string, string>> = {
    'challenge-odd-form': '[A-12]',
    'as-first-html': '[A-44]',
    'as-unused-endpoints': '[A-47]',
    'as-cimd-string-true': '[A-64]',
    'prm-hostile-names': '[A-27]',
  };
  test(`${shows[fault] ?? ''} ${fault}: an honest server may be like that, and the login works`, async () => {
    await using scene = await openFaulty(fault);
    const record = await scene.login();
    assert.equal(record.issuer, scene.sandbox.issuer);
    assert.equal(scene.ports.opened.length, 1);
  });
}

test('[A-18] a resource that names the whole origin is taken as spelled, and the person is told', async () => {
  await using scene = await openFaulty('prm-resource-origin');
  const outcome = await scene.login().catch((error: unknown) => error);
  const warned = scene.ports.told.some((line) => line.includes('valid for the whole of'));
  assert.ok(warned, String(outcome));
});

test('[A-22] a server that names another authorization server for an existing login: exit 3, nothing sent there', async () => {
  await using scene = await openScene();
  await scene.login();
  const before = JSON.stringify((await scene.ports.index.read()).logins);
  const { stats } = scene.sandbox;
  scene.sandbox.setFaults(['prm-other-issuer']);
  const failure = await scene.loginFails('authorization_server_changed');
  assert.equal(failure.exit, 3);
  assert.match(failure.remedy, /postern login .* --authorization-server /);
  assert.equal(scene.sandbox.stats.tokenRequests, stats.tokenRequests);
  assert.equal(scene.sandbox.stats.authorizationServerRequests, stats.authorizationServerRequests);
  assert.equal(JSON.stringify((await scene.ports.index.read()).logins), before);
});

test('[A-65][A-67] an endpoint full of shell characters: the opener gets our own one-time address and nothing of it', async () => {
  await using scene = await openFaulty('as-endpoint-shell', { msAfterWalk: 20_000 });
  await scene.loginFails('login_timed_out');
  assert.equal(scene.ports.opened.length, 1);
  assert.match(scene.ports.opened[0] ?? '', /^http:\/\/127\.0\.0\.1:\d+\/go\/[A-Za-z0-9_-]+$/);
});

test('[R-4.6c] no registration offered nobody to ask: the error says what to pass', async () => {
  await using scene = await openScene({ registration: false });
  const failure = await scene.loginFails('client_identifier_needed');
  assert.equal(failure.exit, 2);
  assert.match(failure.remedy, /--client-id/);
  assert.match(failure.remedy, /http:\/\/127\.0\.0\.1:\d+\/callback/);
  assert.deepEqual(scene.ports.opened, []);
});

test('[A-15] a server that sends the question elsewhere: not followed, so no other server’s challenge starts a login', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { serverUrl } = scene.sandbox;
  own.server.whenAnonymous = (_request, response) => void response.writeHead(307, { location: serverUrl }).end();
  const failure = await scene.loginFails('redirect_refused', { server: own.server.url });
  assert.equal(failure.exit, 5);
  assert.equal(scene.sandbox.requests.length, 0, 'the other server sees nothing');
  assert.deepEqual(scene.ports.opened, []);
});

test('[A-42] the first document that holds is taken whole: the other one is not even asked for', async () => {
  await using scene = await openScene({ metadata: 'both' });
  await scene.login();
  const documents = scene.askedAuthorizationServer().filter((path) => path.includes('.well-known'));
  assert.deepEqual(documents, ['/.well-known/oauth-authorization-server']);
});
