import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';

/** A warning is told before the browser, and stands in the record, so that `status` repeats it. */
async function assertWarned(scene: Scene, words: RegExp): Promise<void> {
  const [record] = (await scene.ports.index.read()).logins;
  assert.ok(
    scene.ports.told.some((line) => line.startsWith('Note: ') && words.test(line)),
    scene.ports.told.join('\n'),
  );
  assert.ok(
    record?.warnings?.some((warning) => words.test(warning)),
    JSON.stringify(record),
  );
}

test('[A-3] metadata at another origin is used where every other check holds, without a credential, and is shown', async () => {
  await using scene = await openScene({ faults: ['challenge-other-origin'] });
  await scene.login();
  const fetched = scene.sandbox.requests.find(({ path }) => path === '/stray-resource-metadata');
  assert.equal(fetched?.at, 'authorization');
  for (const name of ['authorization', 'cookie', 'mcp-session-id']) assert.ok(!(name in (fetched?.headers ?? {})));
  await assertWarned(scene, /metadata is published at another origin, http:\/\/127\.0\.0\.1:\d+/);
});

test('[A-3] metadata at another origin that speaks for another server is refused like any other', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  await using elsewhere = await openOwnScene();
  own.server.challenge = `Bearer resource_metadata="${elsewhere.server.origin}/.well-known/oauth-protected-resource/mcp"`;
  const failure = await scene.loginFails('resource_mismatch', { server: own.server.url });
  assert.equal(failure.exit, 5);
  assert.deepEqual([scene.ports.opened, elsewhere.issuer.requests], [[], []]);
});

test('[A-35] a login page on another site than the issuer is shown; the answer’s iss must still be the issuer’s', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  await using elsewhere = await openOwnScene();
  own.issuer.metadata = { ...own.issuer.metadata, authorization_endpoint: `${elsewhere.issuer.issuer}/authorize` };
  const wish = { server: own.server.url };
  await scene.loginFails('issuer_mismatch', wish);
  assert.deepEqual([own.issuer.forms, elsewhere.issuer.forms], [[], []], 'the code goes to nobody');
  elsewhere.issuer.onAuthorization = (answer) => answer.set('iss', own.issuer.issuer);
  await scene.login(wish);
  await assertWarned(scene, new RegExp(`login page is at ${elsewhere.issuer.issuer}, another site`));
  assert.deepEqual([own.issuer.forms.length, elsewhere.issuer.forms], [1, []]);
});

test('[A-18] a resource that is an address above the server is shown as such', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.server.publish({ authorization_servers: [own.issuer.issuer], resource: own.server.origin });
  await scene.login({ server: own.server.url });
  await assertWarned(scene, /valid for the whole of http/);
});

test('[A-129] a JWT that is plainly for another resource: kept, with a warning in record and steps', async () => {
  await using scene = await openScene({ faults: ['token-other-audience'] });
  const { warnings } = await scene.login();
  assert.match(warnings?.join() ?? '', /token says that it is for https:\/\/another\.invalid\/mcp/);
  const redeemed = scene.ports.journal.steps.find(({ name }) => name === 'redeem');
  assert.equal(redeemed?.verdict, 'warning');
});

const jwt = (aud: unknown) => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ sub: 'jürgen', aud })}.c2ln`;
};

for (const [what, token, warned] of [
  ['an opaque token', () => 'opaque', false],
  ['a JWT for this server', (url: string) => jwt(url), false],
  ['a JWT for the whole origin', (url: string) => jwt(new URL(url).origin), false],
  ['a JWT for a sibling path', (url: string) => jwt(`${url}-evil`), true],
] as const) {
  test(`[A-129] ${what}: ${warned ? 'a warning' : 'no warning'}`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    own.issuer.onToken = () => [200, { access_token: token(own.server.url), token_type: 'Bearer' }];
    const { warnings } = await scene.login({ server: own.server.url });
    assert.equal(
      (warnings ?? []).some((warning) => warning.includes('token says')),
      warned,
    );
  });
}
