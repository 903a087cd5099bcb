import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { actors, steps } from '../../src/doctor/findings.js';
import { clients as companyClients, companyOptions, loginInBrowser, providerOf } from '../e2e/company.js';
import { openStage } from '../e2e/stage.js';
import { homeWith } from '../login/status/home-with.js';
import { makeHomeWithKey } from '../support/home.js';
import { needs } from '../support/needs.js';
import { runProgram } from '../support/program.js';
import { startSandbox } from '../support/start-sandbox.js';
import { assertFits, schemaOf } from './schemas.js';

test('what doctor prints with --json, of a server, a login, this machine and a finding, is what its schema says', async () => {
  await using sandbox = await startSandbox({ dpop: 'offered' });
  await using sick = await startSandbox({ faults: ['prm-wrong-resource'] });
  await using home = await makeHomeWithKey({ PATH: process.env['PATH'] ?? '' });
  const schema = await schemaOf('doctor');
  for (const line of [
    ['doctor', sandbox.serverUrl],
    ['doctor', sick.serverUrl],
    ['doctor'],
    ['doctor', '--explain', 'list'],
    ['doctor', '--explain', 'resource-mismatch'],
    ['doctor', '--explain', 'bad-token-taken'],
  ]) {
    const { stdout, stderr } = await runProgram(home, [...line, '--json']);
    assert.notEqual(stdout, '', `${line.join(' ')}: ${stderr}`);
    assertFits(schema, stdout, line.join(' '));
  }
  const cause = await runProgram(home, ['doctor', sick.serverUrl, '--field', 'firstCause.id']);
  assert.equal(cause.stdout, 'resource-mismatch\n');
});

test('the schema of doctor knows every step, every actor and every level', async () => {
  const { $defs } = (await schemaOf('doctor')) as unknown as {
    readonly $defs: {
      readonly actor: { readonly enum: readonly string[] };
      readonly finding: { readonly properties: { readonly step: { readonly maximum: number } } };
    };
  };
  const last = Math.max(...Object.values(steps).map(({ number }) => number));
  assert.deepEqual([$defs.finding.properties.step.maximum, $defs.actor.enum], [last, Object.keys(actors)]);
});

test('what is kept with a login is in the JSON of status and login as their schemas say', async () => {
  await using sandbox = await startSandbox({
    dpop: 'required',
    clients: [{ client_id: 'ci', client_secret: 's'.repeat(40), redirect_uris: [] }],
  });
  await using home = await makeHomeWithKey({ A_HEADER: 'X-Tenant: one' });
  await writeFile(join(home.path, 'secret'), 's'.repeat(40), { mode: 0o600 });
  const client = [
    ...['--client-credentials', '--client-id', 'ci', '--client-secret-file', 'secret', '--store', 'file'],
    ...['--authorization-server', sandbox.issuer],
  ];
  const made = await runProgram(home, [
    ...['login', sandbox.serverUrl, '--name', 'bound', ...client],
    ...['--header-env', 'A_HEADER', '--dpop', '--resource', sandbox.serverUrl, '--json'],
  ]);
  assert.equal(made.code, 0, made.stderr);
  assertFits(await schemaOf('login'), made.stdout, 'login');
  for (const line of [
    ['status', '-l'],
    ['status', '--check'],
    ['whoami', '--check'],
  ]) {
    const { stdout } = await runProgram(home, [...line, '--json']);
    assertFits(await schemaOf(line[0] ?? ''), stdout, line.join(' '));
  }
  const headers = await runProgram(home, ['status', 'bound', '--field', 'logins[0].headers']);
  assert.match(headers.stdout, /tenant/i);
  assert.doesNotMatch(headers.stdout, /one/);
});

test('a login by a company’s provider is in the JSON of each command as its schema says', {
  skip: needs('gnome-keyring', 'secret-tool'),
}, async () => {
  await using stage = await openStage({ clients: companyClients });
  const options = await companyOptions(stage);
  const made = await loginInBrowser(stage, [stage.sandbox.serverUrl, '--name', 'corp', ...options, '--json']);
  assertFits(await schemaOf('login'), made.stdout, 'login');
  for (const line of [
    ['status', '-l'],
    ['whoami', 'corp'],
    ['doctor', 'corp'],
    ['logout', '--idp', providerOf(stage)],
  ]) {
    const { stdout, stderr } = await stage.run(...line, '--json');
    assert.notEqual(stdout, '', `${line.join(' ')}: ${stderr}`);
    assertFits(await schemaOf(line[0] ?? ''), stdout, line.join(' '));
  }
});

test('what proxy prints of a service with --json is what its schema says', async () => {
  await using at = await homeWith({ name: 'work', server: 'https://a.example/mcp' });
  const line = ['proxy', 'work', '--port', '8123', '--key-file', '/k', '--print-service', 'launchd'];
  assertFits(await schemaOf('proxy'), (await at.run(...line, '--json')).stdout, line.join(' '));
});
