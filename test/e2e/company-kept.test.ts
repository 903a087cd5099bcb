import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { letExpire } from '../endurance/expiry.js';
import { keysOf } from '../support/at-stage.js';
import { startRedis } from '../support/engines.js';
import { startOwnIssuer } from '../support/flows/own-issuer.js';
import { startOwnServer } from '../support/flows/own-server.js';
import { needs } from '../support/needs.js';
import { runProgram } from '../support/program.js';
import { findSecrets } from '../support/secrets-search.js';
import { startSandbox } from '../support/start-sandbox.js';
import { askedOfProvider, clients, companyOptions, loginInBrowser, providerOf } from './company.js';
import { openStage, type Stage } from './stage.js';

const keyOf = ({ home }: Stage): string =>
  JSON.parse(readFileSync(join(home.path, 'state/postern/logins.json'), 'utf8')).logins[0].key;

test('a refresh token that an authorization server gives beside an ID-JAG is not kept, neither by the login nor later: the provider is asked each time', {
  skip: needs('gnome-keyring', 'secret-tool'),
}, async () => {
  await using stage = await openStage({ clients });
  await using issuer = await startOwnIssuer();
  const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  issuer.metadata = { ...issuer.metadata, grant_types_supported: ['authorization_code', grant] };
  issuer.onToken = () => {
    const number = issuer.forms.length;
    const token = { access_token: `an-access-token-${number}`, refresh_token: `a-refresh-token-${number}` };
    return [200, { ...token, token_type: 'Bearer', expires_in: 1 }];
  };
  await using server = await startOwnServer();
  server.publish({ resource: server.url, authorization_servers: [issuer.issuer] });
  const login = await loginInBrowser(stage, [server.url, '--name', 'one', ...(await companyOptions(stage, issuer))]);
  assert.equal(login.code, 0, login.stderr);
  const { code, stdout, stderr } = await stage.run('token', 'one', '--min-ttl', '400');
  assert.deepEqual([code, stdout], [0, 'an-access-token-2\n'], stderr);
  assert.deepEqual(
    issuer.forms.map(({ fields }) => [fields.get('grant_type'), fields.get('refresh_token')]),
    [
      [grant, undefined],
      [grant, undefined],
    ],
  );
  const item = (await stage.keyring.lookup(keyOf(stage))) ?? '';
  assert.ok(item.includes('an-access-token-2'));
  const given = { first: 'a-refresh-token-1', second: 'a-refresh-token-2' };
  assert.deepEqual(await findSecrets(given, { folders: [stage.home.path], texts: { item } }), []);
});

test('a login by a company’s provider is not moved to a store that machines share, and works as before', {
  skip: needs('gnome-keyring', 'secret-tool', 'redis'),
}, async () => {
  await using stage = await openStage({ clients });
  await using engine = await startRedis();
  const options = await companyOptions(stage);
  const login = await loginInBrowser(stage, [stage.sandbox.serverUrl, '--name', 'one', ...options]);
  assert.equal(login.code, 0, login.stderr);
  const key = async () => (await stage.keyring.lookup(keyOf(stage))) ?? '';
  const before = await key();
  const file = (name: string) => {
    writeFileSync(join(stage.home.path, name), randomBytes(32), { mode: 0o600 });
    return join(stage.home.path, name);
  };
  const keys = { POSTERN_STORE_KEY_FILE: file('readers'), POSTERN_STORE_REFRESH_KEY_FILE: file('refreshers') };
  const home = { ...stage.home, env: { ...stage.home.env, ...keys } };
  const moved = await runProgram(home, ['move', engine.address(), '--json']);
  const { failures } = JSON.parse(moved.stdout) as { failures: { what: string; code: string }[] };
  assert.deepEqual([moved.code, await key()], [7, before], moved.stderr);
  assert.ok(
    failures.some(({ what, code }) => what.includes('one') && code === 'store_refused'),
    moved.stdout,
  );
  assert.equal((await engine.tool('--raw', 'keys', 'postern/*/access/*/item')).trim(), '');
  assert.equal((await stage.run('token', 'one')).code, 0);
});

test('a token of the provider is refreshed in the store that has it, whichever store a server’s login goes into', {
  skip: needs('gnome-keyring', 'secret-tool'),
}, async () => {
  await using stage = await openStage({ clients });
  await using other = await startSandbox({ clients, companyIssuer: providerOf(stage) });
  await loginInBrowser(stage, [stage.sandbox.serverUrl, '--name', 'one', ...(await companyOptions(stage))]);
  const [key = ''] = keysOf(stage).providers;
  await letExpire(stage, key, 0);
  const before = await stage.keyring.lookup(key);
  const keyFile = join(stage.home.path, 'sealing');
  writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
  const home = { ...stage.home, env: { ...stage.home.env, POSTERN_STORE_KEY_FILE: keyFile } };
  const options = ['--name', 'two', '--store', 'file', ...(await companyOptions(stage, other))];
  const login = await runProgram(home, ['login', other.serverUrl, ...options]);
  assert.equal(login.code, 0, login.stderr);
  assert.deepEqual(askedOfProvider(stage).slice(-2), ['refresh_token', 'token-exchange']);
  assert.notEqual(await stage.keyring.lookup(key), before, 'the next refresh token is kept where the last one was');
});
