import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import {
  askedOfProvider,
  clients,
  companyOptions,
  companySecret,
  idJagsOf,
  loginInBrowser,
  providerOf,
} from '../e2e/company.js';
import { keysOf } from '../support/at-stage.js';
import { runHere } from '../support/in-process.js';
import { endTokens, openStage } from '../support/stage-here.js';
import { startSandbox } from '../support/start-sandbox.js';

/** What each fault leads to: the exit code, and what is said. */
const faults: Readonly<Record<string, readonly [code: number, said: RegExp]>> = {
  'company-other-audience': [5, /another audience/],
  'company-two-audiences': [5, /several audiences/],
  'company-other-resource': [5, /for another server \(resource\)/],
  'company-other-client': [5, /for another client/],
  'company-expired': [5, /expired/],
  'company-other-issuer': [5, /of another issuer/],
  'company-untyped': [5, /type \(typ\) is not oauth-id-jag\+jwt/],
  'company-unsigned': [5, /not signed/],
  'company-other-type': [5, /no ID-JAG \(issued_token_type\)/],
  'company-refused': [4, /does not vouch.*"access_denied".*administrator/s],
  'company-session-ended': [3, /does not vouch.*Log in there again: postern login one/s],
  'company-page': [5, /not a JSON object/],
  'company-down': [6, /responded 503/],
  'id-jag-refused': [4, /refused to issue a token/],
};

test('[A-62] an ID-JAG that is not for this client, server and authorization server is not sent on; each refusal says what to do, and ends no login', async () => {
  await using stage = await openStage({ clients });
  const options = await companyOptions(stage);
  const login = await loginInBrowser(stage, [stage.sandbox.serverUrl, '--name', 'one', ...options]);
  assert.equal(login.code, 0, login.stderr);
  for (const [name, [code, said]] of Object.entries(faults)) {
    await endTokens(stage, keysOf(stage).logins);
    const before = idJagsOf(stage).length;
    stage.sandbox.setFaults([name]);
    const run = await stage.run('token', 'one');
    stage.sandbox.setFaults([]);
    assert.equal(run.code, code, `${name}: ${run.stderr}`);
    assert.match(run.stderr, said, name);
    assert.match(run.stderr, /postern help company|postern login one|Try again|Run it again|postern doctor/, name);
    if (name !== 'id-jag-refused') assert.equal(idJagsOf(stage).length, before, `${name}: sent on`);
    assert.equal(run.stdout, '', name);
    const after = await stage.run('token', 'one');
    assert.equal(after.code, 0, `${name} is over: ${after.stderr}`);
  }
});

test('the provider brings no ID token at a refresh: its refresh token is shown instead, as often as it takes it', async () => {
  await using stage = await openStage({ clients });
  const options = await companyOptions(stage);
  await loginInBrowser(stage, [stage.sandbox.serverUrl, '--name', 'one', ...options]);
  stage.sandbox.setFaults(['company-no-id-token']);
  for (const _ of [1, 2]) {
    await endTokens(stage, Object.values(keysOf(stage)).flat());
    const run = await stage.run('call', 'one', 'whoami');
    assert.match(run.stdout, /alice/, run.stderr);
  }
  const types = stage.sandbox.requests.flatMap(({ params }) => new Map(params).get('subject_token_type') ?? []);
  assert.deepEqual(
    types.slice(-2).map((type) => type.replace(/^.*:/, '')),
    ['refresh_token', 'refresh_token'],
  );
});

test('somebody else’s ID token at a refresh of the provider’s login is not used', async () => {
  await using stage = await openStage({ clients });
  const options = await companyOptions(stage);
  await loginInBrowser(stage, [stage.sandbox.serverUrl, '--name', 'one', ...options]);
  await endTokens(stage, Object.values(keysOf(stage)).flat());
  stage.sandbox.setFaults(['company-other-person']);
  const other = await stage.run('token', 'one');
  assert.equal(other.code, 5, other.stderr);
  assert.match(other.stderr, /for another user/);
  assert.deepEqual(askedOfProvider(stage).filter((grant) => grant === 'token-exchange').length, 1);
});

test('[A-35] a server that names another authorization server after the login gets no ID-JAG there, nor does that one', async () => {
  await using stage = await openStage({ clients });
  await using other = await startSandbox({ clients, companyIssuer: providerOf(stage) });
  const options = await companyOptions(stage);
  await loginInBrowser(stage, [stage.sandbox.serverUrl, '--name', 'one', ...options]);
  await endTokens(stage, keysOf(stage).logins);
  stage.sandbox.setFaults(['prm-other-issuer']);
  const renewed = await stage.run('token', 'one');
  assert.equal(renewed.code, 0, renewed.stderr);
  const again = await stage.run('login', 'one', '--no-browser', '--force');
  assert.notEqual(again.code, 0);
  const audiences = stage.sandbox.requests.flatMap(({ params }) => new Map(params).get('audience') ?? []);
  assert.deepEqual([...new Set(audiences)], [stage.sandbox.issuer]);
  assert.deepEqual(idJagsOf({ sandbox: other }), []);
});

test('a server names no provider: one that names the provider for its authorization server, or in its metadata, gets nothing by it', async () => {
  await using stage = await openStage({ clients });
  const provider = providerOf(stage);
  const options = await companyOptions(stage);
  await loginInBrowser(stage, [stage.sandbox.serverUrl, '--name', 'one', ...options]);
  const before = askedOfProvider(stage).length;
  await using hostile = await serverNaming(provider);
  const named = await stage.run('login', hostile.url, ...(await companyOptions(stage, { issuer: provider })));
  assert.equal(named.code, 4, named.stderr);
  assert.match(named.stderr, /names the company’s provider .* as its own authorization server/);
  const plain = await runHere(
    { ...stage.home, env: { ...stage.home.env, CI: 'true' } },
    ['login', hostile.url],
    '',
    stage,
  );
  assert.notEqual(plain.code, 0, 'without --idp it is a login as every other one');
  assert.equal(askedOfProvider(stage).length, before, 'the provider was not asked');
});

test('somebody else logs in at the provider: the servers of the one before are not renewed as the other', async () => {
  await using stage = await openStage({ clients });
  const options = await companyOptions(stage);
  const { serverUrl } = stage.sandbox;
  await using other = await startSandbox({ clients, companyIssuer: providerOf(stage) });
  await loginInBrowser(stage, [serverUrl, '--name', 'one', ...options]);
  const bob = await loginInBrowser(
    stage,
    [other.serverUrl, '--name', 'two', '--prompt', 'login', ...(await companyOptions(stage, other))],
    'bob',
  );
  assert.equal(bob.code, 0, bob.stderr);
  await endTokens(stage, keysOf(stage).logins);
  const one = await stage.run('token', 'one');
  assert.equal(one.code, 3, one.stderr);
  assert.match(one.stderr, /A different user is now logged in/);
  const again = await stage.run('login', 'one', '--no-browser');
  assert.equal(again.code, 0, `the person has said so: ${again.stderr}`);
  assert.match((await stage.run('call', 'one', 'whoami')).stdout, /bob/);
});

test('the provider’s login has ended: a script says which command helps, and a login by that name opens the provider’s page', async () => {
  await using stage = await openStage({ clients });
  const options = await companyOptions(stage);
  await loginInBrowser(stage, [stage.sandbox.serverUrl, '--name', 'one', ...options]);
  await endTokens(stage, Object.values(keysOf(stage)).flat());
  assert.ok(await stage.token('one'));
  const [spent = ''] = stage.sandbox.requests.flatMap(({ params }) => new Map(params).get('refresh_token') ?? []);
  // Somebody shows the spent token: the provider ends the login.
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: spent });
  const authorization = `Basic ${Buffer.from(`company-tool:${companySecret}`).toString('base64')}`;
  await fetch(`${providerOf(stage)}/token`, { method: 'POST', body, headers: { authorization } });
  await endTokens(stage, Object.values(keysOf(stage)).flat());
  for (const words of [
    ['token', 'one'],
    ['call', 'one', 'whoami'],
  ]) {
    const nobody = await stage.run(...words);
    assert.equal(nobody.code, 3, nobody.stderr);
    assert.match(nobody.stderr, /no longer good.*once for all its servers: postern login one/s);
  }
  const anew = await loginInBrowser(stage, ['one']);
  assert.equal(anew.code, 0, anew.stderr);
  assert.ok(await stage.token('one'), 'by its name alone');
});

test('options that do not go together are refused before anything is sent', async () => {
  await using stage = await openStage({ clients });
  const { serverUrl } = stage.sandbox;
  const idp = ['--idp', 'https://idp.example', '--idp-client-id', 'x'];
  for (const options of [
    ['--idp', 'https://idp.example'],
    ['--idp-client-id', 'x'],
    ['--idp-token-file', 'x'],
    ['--idp', 'http://idp.example', '--idp-client-id', 'x'],
    ['--idp', 'idp.example', '--idp-client-id', 'x'],
    ['--idp', 'https://idp.example/?a=b', '--idp-client-id', 'x'],
    ['--idp', 'https://me:secret@idp.example', '--idp-client-id', 'x'],
    [...idp, '--client-credentials'],
    [...idp, '--device'],
    [...idp, '--registration', 'dynamic'],
    [...idp, '--idp-token-file', '-'],
  ]) {
    const refused = await stage.run('login', serverUrl, ...options);
    assert.equal(refused.code, 2, `${options.join(' ')}: ${refused.stderr}`);
  }
  const unknown = await stage.run('logout', '--idp', 'https://idp.example');
  assert.equal(unknown.code, 3);
  assert.deepEqual(stage.sandbox.requests, []);
});

/** A server whose metadata names that issuer for its authorization server, and for everything else. */
async function serverNaming(issuer: string) {
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/mcp`;
    if (request.url?.includes('/.well-known/oauth-protected-resource')) {
      const document = { resource: url, authorization_servers: [issuer], idp: issuer, provider: issuer };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
      return;
    }
    response.statusCode = 401;
    response.setHeader('www-authenticate', 'Bearer').end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
