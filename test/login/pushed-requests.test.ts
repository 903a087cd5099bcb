import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { callTool } from '../support/flows/calls.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { Secret, walkLogin } from '../support/product.js';

const asked = (scene: Scene, path: string) => scene.sandbox.requests.filter((request) => request.path === path);

test('a server that takes pushed requests alone gets them: the browser carries a client and a request_uri, nothing else', async () => {
  await using scene = await openScene({ pushedRequests: 'required' });
  const login = await scene.login();
  await callTool(scene, login, 'echo', { text: 'hello' });
  const pushed = new Map(asked(scene, '/pushed')[0]?.params);
  assert.equal(pushed.get('resource'), scene.sandbox.serverUrl);
  assert.equal(pushed.get('code_challenge_method'), 'S256');
  assert.match(pushed.get('redirect_uri') ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const opened = asked(scene, '/authorize').map(({ params }) => params.map(([name]) => name));
  assert.deepEqual(opened[0], ['client_id', 'request_uri']);
});

test('a confidential client authenticates at the pushed endpoint as it does at the token endpoint', async () => {
  const secret = 'a-secret-of-the-client';
  const clients = [{ client_id: 'known', client_secret: secret, redirect_uris: ['http://127.0.0.1/callback'] }];
  await using scene = await openScene({ pushedRequests: 'required', clients });
  const { issuer } = scene.sandbox;
  const client = { clientId: 'known', secret: new Secret(secret), issuer, redirectUri: undefined };
  await scene.login({ client });
  const sent = ['/pushed', '/token'].map((path) => asked(scene, path)[0]?.headers['authorization']);
  assert.equal(sent[0], `Basic ${btoa(`known:${secret}`)}`);
  assert.equal(sent[1], sent[0]);
});

test('where pushed requests are only offered, the request goes in the address, which then does not run out', async () => {
  await using scene = await openScene();
  await scene.login();
  assert.deepEqual([asked(scene, '/pushed').length, asked(scene, '/authorize').length > 0], [0, true]);
});

test('where they are offered, a request that is too long for an address is pushed', async () => {
  await using own = await openOwnScene();
  await using scene = await openScene({ otherResources: [own.server.url] });
  own.server.challenge = `Bearer scope="notes:write ${':'.repeat(3_900)}"`;
  own.server.publish({ authorization_servers: [scene.sandbox.issuer] });
  await scene.login({ server: own.server.url });
  const opened = asked(scene, '/authorize').map(({ params }) => params.map(([name]) => name));
  assert.deepEqual([asked(scene, '/pushed').length, opened[0]], [1, ['client_id', 'request_uri']]);
});

test('without a browser the person is told that the address runs out', async () => {
  await using scene = await openScene({ pushedRequests: 'required' });
  const tell = (line: string) => {
    scene.ports.terminal.tell(line);
    if (/request_uri=/.test(line)) walkLogin(line).catch(() => undefined);
  };
  const walking = { ...scene.ports, terminal: { ...scene.ports.terminal, tell } };
  const { login } = await import('../../src/login/log-in.js');
  await login(walking, scene.request({ mode: 'no-browser' }));
  assert.ok(scene.ports.told.some((line) => /opened within \d+ seconds/.test(line)));
});

test('a pushed request that is refused is told in the server’s words, and no browser opens', async () => {
  await using scene = await openScene({ pushedRequests: 'required', faults: ['pushed-refused'] });
  const failure = await scene.loginFails('authorization_refused');
  assert.match(failure.message, /this client may not ask for that scope/);
  scene.sandbox.setFaults(['pushed-no-uri']);
  assert.equal((await scene.loginFails('callback_unusable')).exit, 5);
  scene.sandbox.setFaults(['pushed-redirect']);
  await scene.loginFails('redirect_refused');
  assert.ok(!scene.sandbox.requests.some(({ path }) => path.startsWith('/stolen')));
  assert.deepEqual(scene.ports.opened, []);
});

/** Opens one of our links as the browser with that cookie. */
async function visit(link: string, cookie = '') {
  const [response] = (await once(get(link, { headers: { cookie }, agent: false }), 'response')) as [IncomingMessage];
  const [line = ''] = response.headers['set-cookie'] ?? [];
  const { statusCode: status, headers } = response;
  return { status, location: headers.location ?? '', html: await text(response), cookie: line.split(';')[0] };
}

test('each browser, and each reload, has a pushed request of its own: a request_uri that was used up keeps nobody out', async () => {
  const opened: string[] = [];
  await using scene = await openScene(
    { pushedRequests: 'required' },
    {
      browse: async (link) => {
        const first = await visit(link);
        const stopBefore = '/callback';
        await walkLogin(first.location, { stopBefore }); // used up, and its code is lost
        const again = await visit(link, first.cookie);
        opened.push(first.location, again.location);
        await walkLogin(again.location);
      },
    },
  );
  await scene.login();
  assert.equal(new Set(opened).size, 2);
  const sent = asked(scene, '/pushed').map(({ params }) => new Map(params));
  for (const name of ['state', 'code_challenge'] as const) {
    assert.equal(new Set(sent.map((one) => one.get(name))).size, 2, name);
  }
});

test('a pushed request for a reload fails: our page and the terminal say so, and the login goes on', async () => {
  const pages: { readonly status: number | undefined; readonly html: string }[] = [];
  await using scene = await openScene(
    { pushedRequests: 'required' },
    {
      browse: async (link) => {
        const first = await visit(link);
        scene.sandbox.setFaults(['pushed-refused']);
        pages.push(await visit(link, first.cookie));
        scene.sandbox.setFaults([]);
        await walkLogin(first.location);
      },
    },
  );
  await scene.login();
  assert.equal(pages[0]?.status, 502);
  assert.match(pages[0]?.html ?? '', /could not be opened/);
  assert.match(scene.ports.told.join('\n'), /was not opened again.*may not ask for that scope/s);
});

for (const [endpoint, code] of [
  [undefined, 'metadata_unusable'],
  ['ftp://as.example/pushed', 'metadata_unusable'],
  ['https://169.254.169.254/pushed', 'address_refused'],
] as const) {
  test(`[A-34] pushed requests are demanded, and the endpoint is ${endpoint ?? 'missing'}: refused before anything is sent`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    own.issuer.metadata = {
      ...own.issuer.metadata,
      require_pushed_authorization_requests: true,
      pushed_authorization_request_endpoint: endpoint,
    };
    const failure = await scene.loginFails(code, { server: own.server.url });
    assert.equal(failure.exit, 5);
    assert.deepEqual([scene.ports.opened, own.issuer.registrations], [[], []]);
  });
}
