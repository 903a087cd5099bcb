import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { bridgeOn, scriptedServer, usualOfBoth } from '../bridge/host.js';
import { sendJson } from '../bridge/translation/newer-only.js';
import {
  askedOfProvider,
  clients,
  companyOptions,
  companySecret,
  loginInBrowser,
  providerOf,
  toolSecret,
} from '../e2e/company.js';
import { keysOf } from '../support/at-stage.js';
import { runHere } from '../support/in-process.js';
import { findSecrets } from '../support/secrets-search.js';
import { endTokens, openStage } from '../support/stage-here.js';
import { startSandbox } from '../support/start-sandbox.js';

test('one login at the provider, two servers: the second needs no browser, in CI either; status shows both; each renews by itself', async () => {
  await using stage = await openStage({ clients });
  const provider = providerOf(stage);
  await using other = await startSandbox({ clients, companyIssuer: provider });
  const options = await companyOptions(stage);
  const first = await loginInBrowser(stage, [stage.sandbox.serverUrl, '--name', 'one', ...options]);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stderr, /by the company’s provider .*\/company/);
  const home = { ...stage.home, env: { ...stage.home.env, CI: 'true' } };
  const second = await runHere(
    home,
    ['login', other.serverUrl, '--name', 'two', ...(await companyOptions(stage, other))],
    '',
    stage,
  );
  assert.equal(second.code, 0, second.stderr);
  assert.deepEqual(stage.browser.all, [], 'no tab');
  await endTokens(stage, Object.values(keysOf(stage)).flat());
  await endTokens(stage, Object.values(keysOf(stage)).flat());
  for (const name of ['one', 'two', 'one']) {
    const who = await runHere(home, ['call', name, 'whoami'], '', stage);
    assert.match(who.stdout, /alice/, who.stderr);
  }
  assert.ok(askedOfProvider(stage).includes('refresh_token'), 'the ID token had ended');
  const status = JSON.parse((await stage.run('status', '--json')).stdout);
  assert.deepEqual(
    status.providers.map((one: Record<string, unknown>) => [one['issuer'], one['identity'], one['logins']]),
    [
      [
        provider,
        'alice@sandbox.example',
        [
          { name: 'one', server: stage.sandbox.serverUrl, account: 'default' },
          { name: 'two', server: other.serverUrl, account: 'default' },
        ],
      ],
    ],
  );
  const long = await stage.run('status', '-l');
  assert.match(long.stdout, /logs in +by the company’s provider/);
  assert.match(long.stdout, /logins +one, two/);
  const logout = await stage.run('logout', 'two');
  assert.equal(logout.code, 0);
  const again = await runHere(
    home,
    ['login', other.serverUrl, '--name', 'two', ...(await companyOptions(stage, other))],
    '',
    stage,
  );
  assert.equal(again.code, 0, `the provider’s login stays: ${again.stderr}`);
  const all = await stage.run('logout', '--idp', provider);
  assert.match(all.stdout, /Logged out of one\.[\s\S]*Logged out of two\.[\s\S]*its refresh token is revoked/);
  const empty = JSON.parse((await stage.run('status', '--json')).stdout);
  assert.deepEqual([empty.logins, empty.providers], [[], []]);
  const nobody = await runHere(home, ['login', other.serverUrl, ...(await companyOptions(stage, other))], '', stage);
  assert.equal(nobody.code, 3, nobody.stderr);
  assert.match(nobody.stderr, /CI=true/);
});

test('[A-300] no token and no secret of a company’s login is on the disk or in what is printed, with -v either', async () => {
  await using stage = await openStage({ clients });
  const { serverUrl } = stage.sandbox;
  const login = await loginInBrowser(stage, [serverUrl, '--name', 'one', '-v', ...(await companyOptions(stage))]);
  assert.equal(login.code, 0, login.stderr);
  for (const words of [
    ['call', 'one', 'whoami', '-v'],
    ['status', '-l'],
  ]) {
    await endTokens(stage, Object.values(keysOf(stage)).flat());
    const run = await stage.run(...words);
    assert.equal(run.code, 0, run.stderr);
  }
  await endTokens(stage, Object.values(keysOf(stage)).flat());
  await using bridge = bridgeOn(stage, 'one');
  const clientInfo = { name: 'host', version: '1.0.0' };
  bridge.send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  assert.equal((await bridge.next()).error, undefined);
  const sent = stage.sandbox.requests.flatMap(({ params }) =>
    params.filter(([name]) => ['assertion', 'subject_token', 'refresh_token', 'code', 'code_verifier'].includes(name)),
  );
  assert.ok(sent.length >= 10, String(sent.length));
  const named = Object.fromEntries(sent.map(([name, value], at) => [`${name} ${at}`, value]));
  await writeFile(join(stage.home.path, 'tool.secret'), 'gone');
  await writeFile(join(stage.home.path, 'company.secret'), 'gone');
  const printed = Object.fromEntries(
    Object.entries(stage.printed).filter(([words]) => !words.includes('credential headers')),
  );
  const found = await findSecrets(
    { ...named, toolSecret, companySecret },
    { folders: [stage.home.path], texts: printed },
  );
  assert.deepEqual(found, []);
});

test('an ID token of a file: no person, read anew each time, never stored; gone, or for another client, it is not sent', async () => {
  await using stage = await openStage({ clients });
  const { serverUrl } = stage.sandbox;
  const options = await companyOptions(stage);
  await loginInBrowser(stage, [serverUrl, '--account', 'lender', ...options]);
  const shown = stage.sandbox.requests.flatMap(({ params }) => new Map(params).get('subject_token') ?? []);
  const [idToken = ''] = shown;
  const file = join(stage.home.path, 'id-token.jwt');
  await writeFile(file, `${idToken}\n`);
  const login = await stage.run('login', serverUrl, '--name', 'one', ...options, '--idp-token-file', file);
  assert.equal(login.code, 0, login.stderr);
  const index = await readFile(join(stage.home.env['XDG_STATE_HOME'] ?? '', 'postern', 'logins.json'), 'utf8').catch(
    () => '',
  );
  assert.ok(!index.includes(idToken));
  await endTokens(stage, keysOf(stage).logins);
  assert.ok((await stage.token('one')).length > 20);
  const before = askedOfProvider(stage).length;
  const other = [...idToken.split('.')];
  other[1] = Buffer.from(
    JSON.stringify({ ...JSON.parse(Buffer.from(other[1] ?? '', 'base64url').toString()), aud: 'another' }),
  ).toString('base64url');
  for (const [text, said] of [
    [other.join('.'), /for another client.*not sent/s],
    ['no token at all', /not one token/],
    ['', /empty/],
  ] as const) {
    await writeFile(file, text);
    await endTokens(stage, keysOf(stage).logins);
    const run = await stage.run('token', 'one');
    assert.equal(run.code, 3, run.stderr);
    assert.match(run.stderr, said);
    assert.match(run.stderr, /postern help (company|machines)/);
  }
  assert.equal(askedOfProvider(stage).length, before, 'nothing was sent');
});

test('uninstall lists the logins at a company’s provider, ends them there, and nothing of them is left', async () => {
  await using stage = await openStage({ clients });
  const options = await companyOptions(stage);
  const made = await loginInBrowser(stage, [stage.sandbox.serverUrl, '--name', 'work', ...options]);
  assert.equal(made.code, 0, made.stderr);
  const provider = providerOf(stage);
  const plan = JSON.parse((await stage.run('uninstall', '--json')).stdout);
  assert.deepEqual(plan.providers, [{ issuer: provider, clientId: 'company-tool', account: 'default' }]);
  assert.match((await stage.run('uninstall')).stdout, new RegExp(`provider  ${provider}`));
  const taken = await stage.run('uninstall', '--yes');
  assert.equal(taken.code, 0, taken.stderr);
  assert.match(taken.stdout, new RegExp(provider));
  assert.ok(stage.sandbox.requests.some(({ path }) => path.endsWith('/company/revoke')));
  const after = JSON.parse((await stage.run('uninstall', '--json')).stdout);
  assert.deepEqual([after.logins, after.providers, after.orphans, after.files], [[], [], 0, []]);
});

test('a call by a company’s login declares that to the server', async () => {
  let issuer = '';
  await using server = await scriptedServer((seen, response) => {
    if (seen.method === 'GET') return sendJson(response, { resource: server.url, authorization_servers: [issuer] });
    if (seen.headers.authorization !== undefined) return usualOfBoth(seen, response);
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${server.origin}/metadata"` }).end();
  });
  await using stage = await openStage({ clients, otherResources: [server.url] });
  issuer = stage.sandbox.issuer;
  const login = await loginInBrowser(stage, [server.url, '--name', 'one', ...(await companyOptions(stage))]);
  assert.equal(login.code, 0, login.stderr);
  const called = await stage.run('call', 'one', 'x/y', '--protocol', '2025-11-25');
  assert.equal(called.code, 0, called.stderr);
  const opening = server.seen.findLast(({ message }) => message.method === 'initialize');
  const extensions = { 'io.modelcontextprotocol/enterprise-managed-authorization': {} };
  assert.deepEqual(opening?.message.params?.['capabilities'], { extensions });
});
