import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from '../support/at-stage.js';
import { freshToken } from '../support/flows/calls.js';
import { keepLogin, type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';
import { status } from '../support/flows/status.js';
import { failureOf } from '../support/http.js';
import { openMachine } from '../support/machine.js';

const refreshesOf = ({ issuer }: OwnScene) =>
  issuer.forms.filter(({ fields }) => fields.get('grant_type') === 'refresh_token').length;

const day = 24 * 3_600_000;

test('[A-143] invalid_client at a refresh: this issuer’s registration goes, every other stays, one attempt', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const other = await scene.login();
  const login = await scene.login({ server: own.server.url });
  const item = await scene.ports.store.read(login.key);
  const { onToken } = own.issuer;
  own.issuer.onToken = () => [401, { error: 'invalid_client' }];
  scene.ports.advance(299_000);
  const failure = await failureOf(freshToken(scene, login), 'login_expired');
  assert.equal(failure.exit, 3);
  assert.equal(own.issuer.forms.length, 2);
  await failureOf(freshToken(scene, login), 'login_expired');
  assert.equal(own.issuer.forms.length, 2, 'not tried a second time');
  const { registrations, logins } = await scene.ports.index.read();
  assert.deepEqual(
    registrations.map(({ issuer }) => issuer),
    [other.issuer],
  );
  assert.equal(logins.length, 2);
  assert.equal((await scene.ports.store.read(login.key))?.reveal(), item?.reveal());
  own.issuer.onToken = onToken;
  const again = await scene.login({ server: own.server.url });
  assert.notEqual(again.clientId, login.clientId, 'the next login registers anew');
});

test('[A-143] invalid_client at a refresh with a client that the person configured: it stays configured', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const client = { clientId: 'by-hand', secret: undefined, issuer: undefined, redirectUri: undefined };
  const login = await scene.login({ server: own.server.url, client });
  own.issuer.onToken = () => [401, { error: 'invalid_client' }];
  scene.ports.advance(299_000);
  await failureOf(freshToken(scene, login), 'login_expired');
  const { registrations } = await scene.ports.index.read();
  assert.deepEqual(
    registrations.map(({ clientId }) => clientId),
    ['by-hand'],
  );
});

test('[A-145] another scope in the refresh answer is kept as it came, and asked for from then on', async () => {
  await using scene = await openScene({}, {});
  await using own = await openOwnScene();
  own.server.challenge = 'Bearer scope="a b"';
  const login = await scene.login({ server: own.server.url });
  const { onToken } = own.issuer;
  own.issuer.onToken = (form) => [200, { ...onToken(form)[1], scope: 'a' }];
  scene.ports.advance(299_000);
  assert.deepEqual((await freshToken(scene, login)).scopes, ['a']);
  assert.deepEqual((await scene.ports.index.read()).logins[0]?.scopes, ['a']);
  scene.ports.advance(299_000);
  await freshToken(scene, login);
  assert.deepEqual(
    own.issuer.forms.slice(1).map(({ fields }) => fields.get('scope')),
    ['a b', 'a'],
  );
});

test('[A-127] an ID token in an answer is neither kept nor sent to the protected server', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { onToken } = own.issuer;
  const idToken = 'eyJhbGciOiJub25lIn0.eyJhdWQiOiJub2JvZHkifQ.canary';
  own.issuer.onToken = (form) => [200, { ...onToken(form)[1], id_token: idToken }];
  const login = await scene.login({ server: own.server.url });
  const item = (await scene.ports.store.read(login.key))?.reveal() ?? '';
  assert.ok(item.includes('access-1') && !item.includes(idToken));
  assert.equal((await freshToken(scene, login)).accessToken.reveal(), 'access-1');
});

test('[A-145] whose login it is, is shown where it is told; a refresh for somebody else is not used, nothing is stored', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { onToken } = own.issuer;
  const idToken = (sub: string, iss = own.issuer.issuer) => {
    const claims = { iss, aud: ['client-1'], sub, exp: Date.now() / 1000 + 600, email: `${sub}@example.com` };
    return `eyJhbGciOiJSUzI1NiJ9.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
  };
  let token = idToken('alice');
  own.issuer.onToken = (form) => [200, { ...onToken(form)[1], id_token: token }];
  const login = await scene.login({ server: own.server.url });
  assert.equal(login.identity, 'alice@example.com');
  scene.ports.advance(299_000);
  await freshToken(scene, login);
  const before = await scene.ports.store.read(login.key);
  scene.ports.advance(299_000);
  token = idToken('mallory');
  const failure = await failureOf(freshToken(scene, login), 'token_unusable');
  assert.equal(failure.exit, 5);
  assert.doesNotMatch(failure.message, /mallory|alice/);
  assert.equal((await scene.ports.store.read(login.key))?.reveal(), before?.reveal());
  token = idToken('mallory', 'https://elsewhere.example'); // says nothing: it is not this issuer's
  await freshToken(scene, login);
});

test('[A-140] the clock is set back by a day: nobody knows when the token ends, so it is refreshed, once', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  scene.ports.advance(-day);
  const first = await freshToken(scene, login);
  const second = await freshToken(scene, login);
  assert.equal(first.accessToken.reveal(), second.accessToken.reveal());
  assert.equal(refreshesOf(own), 1);
});

test('[A-140] the clock is set back by half a minute, as time servers do: nothing is refreshed', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  scene.ports.advance(-30_000);
  await freshToken(scene, login);
  assert.equal(refreshesOf(own), 0);
});

test('[Q-6.18][A-140] the clock is set back and the authorization server is out of order, or there is no refresh token: the token is used', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await scene.login();
  const { onToken } = own.issuer;
  own.issuer.onToken = (form) => [200, { ...onToken(form)[1], refresh_token: undefined }];
  const lasting = await keepLogin(scene, own);
  scene.sandbox.setFaults(['refresh-500']);
  scene.ports.advance(-day);
  await freshToken(scene, login);
  assert.equal((await freshToken(scene, lasting)).accessToken.reveal(), 'access-1');
});

for (const [where, at] of [
  ['1970', 0],
  ['2038', Date.UTC(2038, 0, 19, 3, 14, 8)],
] as const) {
  test(`[A-140] in ${where}, the server’s 401 decides: one refresh for a token that it refuses, no loop`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    const login = await keepLogin(scene, own);
    scene.ports.advance(at - Date.now());
    const held = await freshToken(scene, login);
    const refreshes = refreshesOf(own);
    const next = await freshToken(scene, login, held.accessToken);
    assert.notEqual(next.accessToken.reveal(), held.accessToken.reveal());
    assert.equal(refreshesOf(own), refreshes + 1);
    assert.equal((await freshToken(scene, login)).accessToken.reveal(), next.accessToken.reveal());
  });
}

test('why a refresh was refused is told by whoever asks, now and later, cleaned and cut; a secret that is said back is not', async () => {
  for (const [body, said] of [
    [
      { error: 'invalid_grant', error_description: `revoked\u001b[31m by Bob ${'x'.repeat(900)}` },
      'invalid_grant: revoked\\x1b[31m by Bob x',
    ],
    [{ message: 'Refresh token is over' }, '400: Refresh token is over'],
    [{ error: 'invalid_grant', error_description: 'no such token: refresh-1-of-this-login' }, 'invalid_grant'],
  ] as const) {
    await using scene = await openScene();
    await using own = await openOwnScene();
    const token = { access_token: 'access-1', refresh_token: 'refresh-1-of-this-login', token_type: 'Bearer' };
    own.issuer.onToken = () => [200, { ...token, expires_in: 300 }];
    const login = await keepLogin(scene, own);
    own.issuer.onToken = () => [400, body];
    scene.ports.advance(299_000);
    for (const _ of ['now', 'later']) {
      const { message } = await failureOf(freshToken(scene, login), 'login_expired');
      assert.ok(message.includes(`refused to refresh it (${said}`), message);
      assert.ok(message.length < 500 && !message.includes('refresh-1'));
    }
    const [{ problem } = {}] = await status(scene.ports);
    assert.ok(problem?.startsWith(`the authorization server refused its refresh token (${said}`), problem);
  }
});

test('[A-122] a firewall’s page in the place of an answer ends no login, and its title is told', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  const { onToken } = own.issuer;
  own.issuer.onToken = () => [403, '<!DOCTYPE html><title>Just a moment...</title>' as never];
  scene.ports.advance(301_000);
  const failure = await failureOf(freshToken(scene, login), 'token_endpoint_failed');
  assert.match(failure.message, /responded 403 with a web page \("Just a moment\.\.\."\); the login is unchanged/);
  assert.match(failure.remedy, /firewall/);
  own.issuer.onToken = onToken;
  await freshToken(scene, login);
});

test('when a login ends for good is kept and shown, and follows each refresh; the end of the whole stays where none is said', async () => {
  await using machine = await openMachine({ columns: 0, env: { NO_COLOR: '1' } });
  await using own = await openOwnScene();
  const { onToken } = own.issuer;
  const saying = (more: object) => (form: Parameters<typeof onToken>[0]) =>
    [200, { ...onToken(form)[1], ...more }] as const;
  const { url } = own.server;
  own.issuer.onToken = saying({ refresh_token_timeout: 2_592_000, authorization_expires_in: 7_776_000 });
  assert.equal((await machine.run(['login', url])).code, 0);
  const begun = recordOf(machine).obtainedAt;
  const lasts = () => {
    const { refreshExpiresAt: refresh = 0, authorizationExpiresAt: whole = 0, obtainedAt } = recordOf(machine);
    return [Math.round((refresh - obtainedAt) / day), Math.round((whole - begun) / day)];
  };
  assert.deepEqual(lasts(), [30, 90]);
  const shown = (await machine.run(['status', '--long'])).stdout;
  assert.match(shown, /lasts +until \d{4}-\d\d-\d\d \((?:89|90) days\), (?:29|30) days without use/);
  own.issuer.onToken = saying({ refresh_token_timeout: 864_000 });
  machine.advance(day);
  assert.equal((await machine.run(['token', url])).code, 0);
  assert.deepEqual(lasts(), [10, 90]);
  const { logins } = JSON.parse((await machine.run(['status', url, '--json'])).stdout);
  assert.equal(Math.round((Date.parse(logins[0].authorizationExpiresAt) - begun) / day), 90);
});
