import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrlOf } from '../support/at-stage.js';
import { openPublicScene, type PublicScene, publicHosts } from '../support/flows/public-scene.js';
import { makeHomeWithKey } from '../support/home.js';
import { runHere, startHere } from '../support/in-process.js';
import { enterOwnNetwork } from '../support/own-network.js';

const skip = enterOwnNetwork(publicHosts);

/** A machine without a keychain that trusts the authority of the small internet. */
const openHome = ({ caFile }: PublicScene) => makeHomeWithKey({ POSTERN_CA_FILE: caFile });

const loginAt = (server: string) => ['login', server, '--no-browser', '--store', 'file'];

test('the whole program at public servers: a login, and nothing near is touched [A-6]', { skip }, async () => {
  await using internet = await openPublicScene();
  await using home = await openHome(internet);
  await using program = startHere(home, loginAt(internet.server.url));
  await internet.browse(await authorizationUrlOf(program));
  const { code, stderr } = await program.finished;
  assert.equal(code, 0, stderr);
  const { stdout } = await runHere(home, ['token', internet.server.url]);
  assert.equal(stdout, 'access-1\n');
  assert.equal(internet.nearConnections(), 0);
});

test('the whole program, where a public server names a near address: exit 5, nothing connected to [A-4][A-6][A-34]', {
  skip,
}, async () => {
  for (const host of ['127.0.0.1', 'local.example', 'inside.example', 'half.example']) {
    await using internet = await openPublicScene();
    await using home = await openHome(internet);
    const { server, issuer } = internet;
    const honest = issuer.metadata;
    const near = `https://${host}:${internet.nearPort}`;
    const changes: readonly (() => void)[] = [
      () => {
        server.challenge = `Bearer resource_metadata="${near}/metadata"`;
      },
      () => {
        server.challenge = 'Bearer';
        server.publish({ authorization_servers: [near] });
      },
      () => {
        server.publish({ authorization_servers: [issuer.issuer] });
        issuer.metadata = { ...honest, authorization_endpoint: `${near}/authorize` };
      },
      () => {
        issuer.metadata = { ...honest, token_endpoint: `${near}/token` };
      },
      () => {
        issuer.metadata = { ...honest, registration_endpoint: `${near}/register` };
      },
    ];
    for (const [index, change] of changes.entries()) {
      change();
      const { code, stdout, stderr } = await runHere(home, loginAt(server.url));
      assert.equal(code, 5, `${host}, ${index}: ${stderr}`);
      assert.match(stderr, /named by a public server; nothing was sent/);
      assert.doesNotMatch(`${stdout}${stderr}`, /response_type=code/);
    }
    assert.deepEqual([internet.nearConnections(), issuer.forms, issuer.registrations], [0, [], []]);
  }
});

test('a name with a public and a loopback address lifts no limit for what its server names: nothing here is asked [A-6]', {
  skip,
}, async () => {
  await using internet = await openPublicScene('half.example');
  await using home = await openHome(internet);
  const { server, nearPort } = internet;
  for (const near of [
    `https://127.0.0.1:${nearPort}`,
    `https://local.example:${nearPort}`,
    `http://127.0.0.1:${nearPort}`,
  ]) {
    server.challenge = `Bearer resource_metadata="${near}/metadata"`;
    const { code, stderr } = await runHere(home, loginAt(server.url));
    assert.equal(code, 5, stderr);
    assert.match(stderr, /named by a public server|plain http/);
    assert.equal(internet.nearConnections(), 0);
  }
});
