import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openOwnScene } from '../support/flows/own-scene.js';
import { type Machine, openMachine } from '../support/machine.js';
import { findSecrets } from '../support/secrets-search.js';

const clientSecret = 'canary-client-secret-1';

/** A login at an authorization server that says back every secret that it knows, wherever it has words of its own. */
async function logInAtAnEcho(machine: Machine, isRefused: boolean, ...more: string[]) {
  await using scene = await openOwnScene();
  const { issuer, server } = scene;
  const secrets: Record<string, string> = { clientSecret };
  issuer.onRegistration = ({ redirect_uris }) => [
    201,
    {
      client_id: `client of ${clientSecret}`,
      client_secret: clientSecret,
      redirect_uris,
      token_endpoint_auth_method: 'client_secret_basic',
    },
  ];
  issuer.onToken = ({ fields }) => {
    for (const name of ['code', 'code_verifier']) secrets[name] = fields.get(name) ?? '';
    const said = Object.values(secrets).join(' ');
    if (isRefused) return [400, { error: 'invalid_grant', error_description: `no such code: ${said}` }];
    const token = 'canary-access-token-1';
    const refresh = 'canary-refresh-token-1';
    Object.assign(secrets, { token, refresh });
    const scope = `read ${Object.values(secrets).join(' of:')}`;
    const claims = {
      iss: issuer.issuer,
      aud: `client of ${clientSecret}`,
      sub: 'ada',
      exp: 9_999_999_999,
      email: `ada ${token}`,
    };
    const id_token = [{ alg: 'none' }, claims, {}]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return [
      200,
      { access_token: token, refresh_token: refresh, id_token, token_type: 'Bearer', expires_in: 300, scope },
    ];
  };
  const finished = await machine.run(['login', server.url, ...more]);
  return { ...finished, secrets };
}

for (const [form, ...options] of [['lines', '-v'], ['--json', '--json'], ['plain lines']] as const) {
  test(`a failure that quotes a server which says back every secret: *** for each, as ${form} [A-252]`, async () => {
    await using machine = await openMachine();
    const { code, stdout, stderr, secrets } = await logInAtAnEcho(machine, true, ...options);
    assert.equal(code, 4, stderr);
    assert.match(stderr, /no such code: \*\*\* \*\*\* \*\*\*/);
    assert.deepEqual(await findSecrets(secrets, { folders: [], texts: { stdout, stderr } }), []);
  });
}

for (const [form, ...options] of [
  ['lines', '-v'],
  ['--json', '--json', '-v'],
] as const) {
  test(`a login that went well, and its status, print no secret that a server put into its words: ${form} [A-252]`, async () => {
    await using machine = await openMachine();
    const { code, stdout, stderr, secrets } = await logInAtAnEcho(machine, false, ...options);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /client identifier client of \*\*\*/);
    assert.match(stdout, /client of \*\*\*/, 'stdout goes through the redactor');
    assert.match(stdout, /put a secret into the names of scope/);
    assert.deepEqual(await findSecrets(secrets, { folders: [], texts: { stdout, stderr } }), []);
    // A client identifier is public, wherever a server has taken it from: all else is kept out of what `status` reads.
    const { clientSecret: _published, ...others } = secrets;
    const shown = await machine.run(['status', ...options]);
    assert.equal(shown.code, 0, shown.stderr);
    assert.doesNotMatch(shown.stdout, /\bada\b/);
    const texts = { stdout: shown.stdout, stderr: shown.stderr };
    assert.deepEqual(await findSecrets(others, { folders: [machine.home.path], texts }), []);
  });
}

test('a client secret that is sent by Basic alone is not printed where an authorization server says it back [A-252]', async () => {
  await using scene = await openOwnScene();
  const { issuer, server } = scene;
  const secret = 'canary of/a client+secret';
  issuer.onToken = () => [400, { error: 'invalid_grant', error_description: `not with ${secret}` }];
  await using machine = await openMachine();
  const file = join(machine.home.path, 'secret');
  await writeFile(file, secret, { mode: 0o600 });
  const words = ['login', server.url, '--client-id', 'tool', '--client-secret-file', file];
  const { code, stdout, stderr } = await machine.run([...words, '--authorization-server', issuer.issuer, '-v']);
  assert.equal(code, 4, stderr);
  assert.match(issuer.forms[0]?.authorization ?? '', /^Basic /);
  assert.ok(!issuer.forms[0]?.fields.has('client_secret'));
  assert.match(stderr, /not with \*\*\*/);
  assert.deepEqual(await findSecrets({ secret }, { folders: [], texts: { stdout, stderr } }), []);
});

test('a random value in the query of a server is in no remedy, and one that tells servers apart is', async () => {
  await using machine = await openMachine();
  const [random, plain] = ['https://example.com/mcp?t=9fK2mQ7xLw4Zr8Vb1Nc5', 'https://example.com/mcp?project=alpha'];
  for (const command of ['token', 'status', 'whoami']) {
    const [of, ofPlain] = [
      await machine.run([command, random, '--json']),
      await machine.run([command, plain, '--json']),
    ];
    assert.ok(!`${of.stdout}${of.stderr}`.includes('9fK2mQ7x'), of.stderr);
    assert.match(JSON.parse(ofPlain.stderr).error.remedy, /postern login 'https:\/\/example\.com\/mcp\?project=alpha'/);
  }
});
