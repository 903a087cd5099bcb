import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { openScene, type Scene } from '../../support/flows/scene.js';
import { walkLogin } from '../../support/product.js';

const redirectUris = (scene: Scene) =>
  scene.sandbox.requests
    .filter(({ path }) => path === '/authorize')
    .map(({ params }) => new Map(params).get('redirect_uri') ?? '');

/** What the program itself sent, to both servers: the browser's own requests are not among them. */
function sentByProgram(scene: Scene): readonly string[] {
  return scene.sandbox.requests
    .filter(({ headers }) => headers['user-agent'] === 'postern-test')
    .map(({ at, method, path }) => `${at} ${method} ${path}`);
}

test('[R-1.8c][R-5.3a] a first login asks four times before the browser and once after the callback', async () => {
  let before = -1;
  const browse = async (url: string) => {
    before = sentByProgram(scene).length;
    await walkLogin(url);
  };
  await using scene: Scene = await openScene({}, { browse });
  await scene.login();
  const sent = sentByProgram(scene);
  assert.deepEqual(sent.slice(0, before), [
    'server POST /mcp',
    'server GET /.well-known/oauth-protected-resource/mcp',
    'authorization GET /.well-known/oauth-authorization-server',
    'authorization POST /register',
  ]);
  assert.deepEqual(sent.slice(before), ['authorization POST /token']);
});

test('[A-59] a second login uses the registration and its port again: three requests before the browser', async () => {
  await using scene = await openScene({ loopbackPorts: 'exact' });
  const first = await scene.login();
  const count = sentByProgram(scene).length;
  const second = await scene.login();
  assert.equal(second.clientId, first.clientId);
  assert.equal(scene.sandbox.stats.registrations, 1);
  assert.equal(sentByProgram(scene).slice(count).length, 3 + 1);
  assert.equal(new Set(redirectUris(scene)).size, 1);
  assert.equal(second.generation, first.generation + 1);
});

test('[A-59][R-2.5d] its port is taken by now: another port, registered anew, so that no browser comes to a dead end', async () => {
  await using scene = await openScene({ loopbackPorts: 'exact' });
  const first = await scene.login();
  const [used = ''] = redirectUris(scene);
  await using _squatter = await take(Number(new URL(used).port));
  const second = await scene.login();
  assert.notEqual(second.clientId, first.clientId);
  assert.equal(scene.sandbox.stats.registrations, 2);
  const [, now = ''] = redirectUris(scene);
  assert.notEqual(now, used);
  const { registrations } = await scene.ports.index.read();
  assert.deepEqual(
    registrations.map(({ clientId, redirectUri }) => [clientId, redirectUri]),
    [[second.clientId, now]],
  );
});

/** Takes a port of 127.0.0.1; 0: any. */
async function take(port: number): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')),
  };
}

async function freePort(): Promise<number> {
  await using taken = await take(0);
  return taken.port;
}

test('[R-2.5d][R-4.5a] the redirect URI that is sent is the one that was registered, character for character, at both endpoints', async () => {
  await using scene = await openScene({ loopbackPorts: 'exact' });
  await scene.login();
  const registered = scene.sandbox.requests.find(({ path }) => path === '/register');
  const [wanted] = (JSON.parse(registered?.body ?? '{}') as { redirect_uris: string[] }).redirect_uris;
  const token = scene.sandbox.requests.find(({ path }) => path === '/token');
  assert.match(wanted ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  assert.deepEqual([redirectUris(scene), new Map(token?.params).get('redirect_uri')], [[wanted], wanted]);
});

test('[R-2.5d][R-4.5a] a client configured with a fixed redirect URI gets exactly that one', async () => {
  const redirectUri = `http://127.0.0.1:${await freePort()}/callback`;
  const clients = [{ client_id: 'fixed', redirect_uris: [redirectUri] }];
  await using scene = await openScene({ registration: false, loopbackPorts: 'exact', clients });
  const client = { clientId: 'fixed', secret: undefined, issuer: scene.sandbox.issuer, redirectUri };
  await scene.login({ clients: [client] });
  assert.deepEqual(redirectUris(scene), [redirectUri]);
});

test('[R-4.5a] a redirect URI that the authorization server does not know ends in an error page and no token', async () => {
  const clients = [{ client_id: 'fixed', redirect_uris: ['http://127.0.0.1:1/callback'] }];
  const options = { registration: false, loopbackPorts: 'exact', clients } as const;
  await using scene = await openScene(options, { msAfterWalk: 20_000 });
  const client = { clientId: 'fixed', secret: undefined, issuer: undefined, redirectUri: undefined };
  const failure = await scene.loginFails('login_timed_out', { client });
  assert.match(failure.message, /Timed out .* login page/);
  assert.match(failure.remedy, /Check --client-id, and add --redirect-port with the port that is registered/);
  assert.doesNotMatch(failure.remedy, /--registration dynamic/);
  assert.equal(scene.sandbox.stats.tokenRequests, 0);
});

test('[A-61] a registration whose secret has expired is made anew, once', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const soon = Math.floor(Date.now() / 1000) + 3600;
  own.issuer.onRegistration = ({ redirect_uris }) => [
    201,
    {
      client_id: `secret-${own.issuer.registrations.length}`,
      client_secret: 'a-secret',
      client_secret_expires_at: soon,
      token_endpoint_auth_method: 'client_secret_post',
      redirect_uris,
    },
  ];
  const wish = { server: own.server.url };
  assert.equal((await scene.login(wish)).clientId, 'secret-1');
  assert.equal((await scene.login(wish)).clientId, 'secret-1');
  scene.ports.advance(2 * 3_600_000);
  own.issuer.onRegistration = ({ redirect_uris }) => [201, { client_id: 'secret-2', redirect_uris }];
  assert.equal((await scene.login(wish)).clientId, 'secret-2');
  assert.equal(own.issuer.registrations.length, 2);
});

test('[A-56] invalid_client at every token request: one registration a login, and others’ registrations stay', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const other = await scene.login();
  own.issuer.onToken = () => [401, { error: 'invalid_client' }];
  for (let count = 1; count <= 2; count += 1) {
    const failure = await scene.loginFails('invalid_client', { server: own.server.url });
    assert.equal(failure.exit, 4);
    assert.equal(own.issuer.registrations.length, count, 'the next login registers anew, and only then');
    assert.equal(own.issuer.forms.length, count);
  }
  const { registrations, logins } = await scene.ports.index.read();
  assert.deepEqual(
    registrations.map(({ clientId }) => clientId),
    [other.clientId],
  );
  assert.deepEqual(
    logins.map(({ key }) => key),
    [other.key],
  );
});

test('[R-4.6b] a client kept from an earlier login whose port is taken: another one is tried', async () => {
  const clients = [{ client_id: 'kept', redirect_uris: ['http://127.0.0.1/callback'] }];
  await using scene = await openScene({ registration: false, clients });
  const client = { clientId: 'kept', secret: undefined, issuer: undefined, redirectUri: undefined };
  await scene.login({ client });
  const [used = ''] = redirectUris(scene);
  await using _squatter = await take(Number(new URL(used).port));
  const second = await scene.login();
  assert.equal(second.clientId, 'kept');
  assert.notEqual(redirectUris(scene)[1], used);
});
