import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from '../support/at-stage.js';
import { type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { pathForm, rootForm } from '../support/flows/own-server.js';
import { openMachine } from '../support/machine.js';

/** A person's machine, and servers of the test's own. */
async function open() {
  const [machine, own] = [await openMachine(), await openOwnScene()];
  const login = async (typed: string, ...more: readonly string[]) => {
    const { code, stderr } = await machine.run(['login', typed, ...more]);
    assert.equal(code, 0, stderr);
    return recordOf(machine);
  };
  return {
    ...{ machine, own, login },
    [Symbol.asyncDispose]: async () => {
      await own[Symbol.asyncDispose]();
      await machine[Symbol.asyncDispose]();
    },
  };
}

/** The `resource` parameters that were sent, in order: authorization requests, then token requests. */
const resourcesSent = ({ issuer }: OwnScene) => [
  ...issuer.authorizations.flatMap((query) => query.getAll('resource')),
  ...issuer.forms.map(({ fields }) => fields.get('resource')),
];

test('[R-4.8a][R-4.8b][R-4.8d][A-30] scheme and host typed in upper case, and dot segments: the login is for the canonical address, path kept, and resource says so to whoever says nothing of it', async () => {
  await using at = await open();
  const { machine, own, login } = at;
  assert.ok(!JSON.stringify(own.issuer.metadata).includes('resource'));
  const { host } = new URL(own.server.url);
  const { server, resource } = await login(`HTTP://${host.toUpperCase()}/./x/%2E%2e/mcp`);
  assert.deepEqual([server, resource], [own.server.url, own.server.url]);
  machine.advance(299_000);
  assert.equal((await machine.run(['token', own.server.url])).code, 0);
  assert.deepEqual(resourcesSent(own), Array(3).fill(own.server.url));
});

for (const [how, spell] of [
  ['with its scheme in upper case', (url: string) => url.replace('http', 'HTTP')],
  ['as an ancestor with a slash at its end', (url: string) => url.replace(/\/mcp$/, '/')],
] as const) {
  test(`[R-4.8a][R-2.5a] resource spelled ${how} is sent so, at the authorization request, the redemption and the refresh`, async () => {
    await using at = await open();
    const { machine, own, login } = at;
    const resource = spell(own.server.url);
    own.server.publish({ authorization_servers: [own.issuer.issuer], resource });
    assert.equal((await login(own.server.url)).resource, resource);
    machine.advance(299_000);
    assert.equal((await machine.run(['token', own.server.url])).code, 0);
    assert.deepEqual(resourcesSent(own), [resource, resource, resource]);
  });
}

test('[R-4.8a] no slash is added to a resource without a path, which URL parsers would do', async () => {
  await using at = await open();
  const { own, login } = at;
  const { origin } = own.server;
  own.server.endpoints = ['/'];
  own.server.documents = { [rootForm]: { resource: origin, authorization_servers: [own.issuer.issuer] } };
  own.server.challenge = `Bearer resource_metadata="${origin}${rootForm}"`;
  const { server, resource } = await login(`${origin}/`);
  assert.deepEqual([server, resource], [origin, origin]);
  assert.deepEqual(resourcesSent(own), Array(2).fill(origin));
});

test('[A-19] a resource that differs by the case of its host is taken; by a slash after a path it is not', async () => {
  await using at = await open();
  const { machine, own, login } = at;
  const resource = own.server.url.replace(/^http:\/\/[^/]+/, (origin) => origin.toUpperCase());
  own.server.documents = { [pathForm]: { resource, authorization_servers: [own.issuer.issuer] } };
  await login(own.server.url);
  assert.deepEqual(resourcesSent(own), [resource, resource]);
  own.server.publish({ authorization_servers: [own.issuer.issuer], resource: `${own.server.url}/` });
  const { stderr } = await machine.run(['login', own.server.url, '--force']);
  assert.match(stderr, /resource_mismatch, exit 5/);
  assert.ok(stderr.includes(`${own.server.url}/"`), stderr);
});

test('[R-4.8c][A-30][A-167] an address without a scheme, with a fragment, a user or a secret is refused with the reason, and not said back', async () => {
  await using machine = await openMachine();
  const spelled = ['accessToken', 'ACCESSTOKEN', 'apiKey', 'clientSecret', 'userPassword', 'to%6ben', 'access%5Ftoken'];
  spelled.push('API%2dKEY', '%2574oken', 'to%00ken', 'token[]', 'token[a]', 'access.token', 'access+token', '+token');
  spelled.push('token+', '%20token', 'api%20key', 'access_token', 'API_KEY', 'x-api-key', 'client_secret', 'Password');
  const rows: readonly (readonly [why: RegExp, typed: readonly string[]])[] = [
    [/no scheme/, ['//host/mcp', 'https:host', 'https:/host/x']],
    [/fragment/, ['https://host.example#canary', 'https://host.example/mcp#', 'https://host.example/?x#y']],
    [
      /user name|password|host or port/,
      ['https://canary:canary@h.example/', 'https://canary@h.example/mcp', 'https://canary:can/ary@h.example/'],
    ],
    [
      /secret|credential|token|password|key/i,
      spelled.flatMap((name) => [`https://h.example/?${name}=canary`, `https://h.example/mcp?a=1;${name}=canary`]),
    ],
    [
      /./,
      [
        'ftp://h/',
        'javascript://h/',
        'https://',
        'https:///x',
        'https://h:99999/',
        'https://h/a b',
        'https://127.1/',
      ].concat(
        ['https://0x7f.1/', 'https://2130706433/', 'https://h\\@evil/', 'https://h/\t', 'https://hé/', 'https://h%6d/'],
        ['https://h/%zz', 'https://h/<x>', ' https://h', `https://h/${'x'.repeat(3000)}`],
      ),
    ],
  ];
  for (const [why, all] of rows) {
    for (const typed of all) {
      const { code, stdout, stderr } = await machine.run(['login', typed]);
      assert.deepEqual([code, stdout], [2, ''], typed);
      assert.match(stderr, why, typed);
      assert.doesNotMatch(stderr, /canary|can\/ary/, typed);
    }
  }
  assert.deepEqual(machine.opened, []);
});
