import assert from 'node:assert/strict';
import { test } from 'node:test';
import { walkLogin } from '../../src/sandbox/walk.js';
import { authorizationUrlOf } from '../support/at-stage.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { type Home, makeHomeWithKey } from '../support/home.js';
import { runHere, startHere } from '../support/in-process.js';
import { findSecrets } from '../support/secrets-search.js';

const clientSecret = 'canary-client-secret-1';

/** A login at an authorization server that says back every secret that it knows, wherever it has words of its own. */
async function logInAtAnEcho(home: Home, isRefused: boolean, ...more: string[]) {
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
  await using program = startHere(home, ['login', server.url, '--no-browser', '--store', 'file', ...more]);
  await walkLogin(await authorizationUrlOf(program));
  const finished = await program.finished;
  return { ...finished, secrets };
}

for (const [form, ...options] of [['lines', '-v'], ['--json', '--json'], ['plain lines']] as const) {
  test(`a failure that quotes a server which says back every secret: *** for each, as ${form} [A-252]`, async () => {
    await using home = await makeHomeWithKey();
    const { code, stdout, stderr, secrets } = await logInAtAnEcho(home, true, ...options);
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
    await using home = await makeHomeWithKey();
    const { code, stdout, stderr, secrets } = await logInAtAnEcho(home, false, ...options);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /client identifier client of \*\*\*/);
    assert.match(stdout, /client of \*\*\*/, 'stdout goes through the redactor');
    assert.match(stdout, /put a secret into the names of scope/);
    assert.deepEqual(await findSecrets(secrets, { folders: [], texts: { stdout, stderr } }), []);
    // A client identifier is public, wherever a server has taken it from: all else is kept out of what `status` reads.
    const { clientSecret: _published, ...others } = secrets;
    const shown = await runHere(home, ['status', ...options]);
    assert.equal(shown.code, 0, shown.stderr);
    assert.doesNotMatch(shown.stdout, /\bada\b/);
    const texts = { stdout: shown.stdout, stderr: shown.stderr };
    assert.deepEqual(await findSecrets(others, { folders: [home.path], texts }), []);
  });
}
