import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { recordOf } from '../support/at-stage.js';
import { type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { type Machine, openMachine } from '../support/machine.js';

/** A person's machine and servers of the test's own, and the login there. */
async function open() {
  const [machine, own] = [await openMachine(), await openOwnScene()];
  const login = (...more: readonly string[]) => machine.run(['login', own.server.url, '--force', ...more]);
  return {
    ...{ machine, own, login },
    [Symbol.asyncDispose]: async () => {
      await own[Symbol.asyncDispose]();
      await machine[Symbol.asyncDispose]();
    },
  };
}

/** Nothing was opened, and nothing but documents was asked for. */
function assertNothingBegun(machine: Machine, { issuer }: OwnScene): void {
  assert.deepEqual([machine.opened, issuer.registrations, issuer.authorizations, issuer.forms], [[], [], [], []]);
}

test('[A-33][A-21] an issuer with a query, a fragment, a user or another scheme is refused before anything is asked there', async () => {
  await using at = await open();
  const { machine, own, login } = at;
  const { issuer } = own.issuer;
  const user = issuer.replace('http://', 'http://user@');
  for (const named of [`${issuer}?x=1`, `${issuer}#f`, user, 'javascript:alert(1)', 'not a url', '', 7, null]) {
    for (const list of [[named], [issuer, named]]) {
      own.server.publish({ authorization_servers: list });
      const { code, stderr } = await login();
      assert.equal(code, 5, `${JSON.stringify(list)}: ${stderr}`);
      assert.match(stderr, /authorization_servers/);
    }
  }
  assert.deepEqual(own.issuer.requests, []);
  assertNothingBegun(machine, own);
});

test('[A-43] metadata of another tenant, or of the root for a tenant, are refused: the issuer is compared as a string', async () => {
  await using at = await open();
  const { machine, own, login } = at;
  const { issuer, metadata } = own.issuer;
  own.server.publish({ authorization_servers: [`${issuer}/t1`] });
  own.issuer.documentPath = '/.well-known/oauth-authorization-server/t1';
  for (const named of [`${issuer}/t2`, issuer, `${issuer}/T1`, `${issuer}/%741`, `${issuer}/t1?`, `${issuer}/t1//`]) {
    own.issuer.metadata = { ...metadata, issuer: named };
    const { code, stderr } = await login();
    assert.equal(code, 5, `${named}: ${stderr}`);
    assert.match(stderr, /issuer_mismatch/, named);
  }
  assertNothingBegun(machine, own);
});

test('[A-26][A-28] scopes that the server lists are asked for where nothing else says which, --scope narrows them, and no signed metadata is used', async () => {
  await using at = await open();
  const { own, login } = at;
  const all = ['a', 'admin', '*'];
  const forged = Buffer.from(JSON.stringify({ authorization_servers: ['https://evil.example'] })).toString('base64url');
  const document = { authorization_servers: [own.issuer.issuer], signed_metadata: `eyJhbGciOiJub25lIn0.${forged}.` };
  own.server.publish({ ...document, scopes_supported: all });
  const { code, stderr } = await login();
  assert.equal(code, 0, stderr);
  own.server.publish({ ...document, scopes_supported: all });
  assert.equal((await login('--scope', 'a')).code, 0);
  own.server.publish({ ...document, scopes_supported: [] });
  assert.equal((await login('--account', 'other')).code, 0);
  const scopes = own.issuer.authorizations.map((query) => query.get('scope'));
  assert.deepEqual(scopes, ['a admin *', 'a', null]);
  own.server.publish({ ...document, scopes_supported: ['a"b'] });
  assert.equal((await login('--account', 'third')).code, 5);
});

test('[R-2.4a][A-10][A-259] a Bearer challenge is found among others, in several lines, in any letter case, quoted or not; what is within quotes is text', async () => {
  for (const [challenge, scope] of [
    ['Basic realm="simple, x", Newauth realm="apps", type=1, bEaReR realm=x, SCOPE = a', 'a'],
    [['Basic realm="a"', 'Bearer error="x"', 'scope="a b"'], 'a b'],
    [['Bearer realm="never closed, scope=x', 'Bearer scope="b"'], undefined],
    [String.raw`Bearer realm="\"", scope="\a b", DPoP algs="ES256"`, 'a b'],
    ['Bearer error_description="no, scope=evil, Bearer scope=evil", scope=mine', 'mine'],
    ['NEGOTIATE  YWJj/+-._~==\t, ,,Bearer scope=a ,,', 'a'],
    [`Bearer scope=a, x="${'\\"'.repeat(500)}`, undefined],
    [`Bearer ${'a=" '.repeat(1_500)}`, undefined],
  ] as const) {
    await using at = await open();
    const { own, login } = at;
    own.server.whenAnonymous = (_request, response) =>
      void response.writeHead(401, { 'www-authenticate': challenge as string | string[] }).end();
    const { code, stderr } = await login();
    const asked = own.issuer.authorizations[0]?.get('scope');
    if (scope === undefined) assert.ok([0, 5].includes(code ?? -1), stderr);
    else assert.deepEqual([code, asked], [0, scope], `${challenge}: ${stderr}`);
    assert.ok(!asked?.includes('evil'));
  }
});

test('[Q-6.11][A-41][A-76][R-2.5c] a public native client registers and uses no secret; each parameter is sent once, whatever characters it has', async () => {
  await using at = await open();
  const { own, login } = at;
  const methods = ['client_secret_basic', 'private_key_jwt', 'none', 'none'];
  own.issuer.metadata = {
    ...own.issuer.metadata,
    token_endpoint_auth_methods_supported: methods,
    authorization_endpoint: `${own.issuer.issuer}/authorize?tenant=7`,
  };
  own.server.challenge = 'Bearer scope="a&state=x b=c#d +%0a"';
  const { code, stderr } = await login();
  assert.equal(code, 0, stderr);
  const [registration = {}] = own.issuer.registrations;
  assert.deepEqual(
    [registration['application_type'], registration['token_endpoint_auth_method'], registration['response_types']],
    ['native', 'none', ['code']],
  );
  const [query = new URLSearchParams()] = own.issuer.authorizations;
  const names = [...query.keys()];
  assert.deepEqual(names, [...new Set(names)]);
  assert.deepEqual([query.get('scope'), query.get('tenant')], ['a&state=x b=c#d +%0a', '7']);
  const [form] = own.issuer.forms;
  const challenge = createHash('sha256')
    .update(form?.fields.get('code_verifier') ?? '')
    .digest('base64url');
  assert.deepEqual([query.get('code_challenge_method'), query.get('code_challenge')], ['S256', challenge]);
  assert.deepEqual([form?.authorization, form?.fields.has('client_secret')], [undefined, false]);
  assert.equal(recordOf(at.machine).registration, 'dynamic');
});

test('[Q-6.4][Q-6.24][A-89] an answer that another issuer signs is refused before all else: nothing is redeemed, and nothing of its error is shown', async () => {
  await using at = await open();
  const { own, login } = at;
  for (const named of ['https://evil.example', `${own.issuer.issuer}/`, own.issuer.issuer.toUpperCase()]) {
    for (const error of [undefined, 'access_denied']) {
      own.issuer.onAuthorization = (answer) => {
        answer.set('iss', named);
        if (error === undefined) return;
        answer.delete('code');
        answer.set('error', error);
        answer.set('error_description', 'canary of the description');
      };
      at.machine.advance(3_700_000); // few tabs an hour are opened in vain
      const { code, stderr } = await login();
      assert.equal(code, 5, stderr);
      assert.match(stderr, /issuer_mismatch/);
      assert.doesNotMatch(stderr, /canary|access_denied/);
    }
  }
  assert.deepEqual(own.issuer.forms, []);
});
