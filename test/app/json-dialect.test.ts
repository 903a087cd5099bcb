import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { registry } from '../../src/app/registry.js';
import type { KeeperEvent } from '../../src/fleet/ports.js';
import { eventJson } from '../../src/fleet/render.js';
import { event, scriptedServer, usual } from '../bridge/host.js';
import { authorizationUrlOf } from '../e2e/stage.js';
import { homeWith } from '../login/status/home-with.js';
import { makeHomeWithKey } from '../support/home.js';
import { startHttp } from '../support/http-server.js';
import { Failure, walkLogin } from '../support/product.js';
import { runProgram, startProgram } from '../support/program.js';
import { repositoryRoot } from '../support/repository.js';
import { startSandbox } from '../support/start-sandbox.js';
import { assertFits, folder, type Schema, schemaOf } from './schemas.js';

/** Every name of a member in a schema, and whether a list of it is required. */
function* membersOf(schema: unknown): Generator<readonly [name: string, isList: boolean, isRequired: boolean]> {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties, required } = schema as { properties?: Record<string, Schema>; required?: readonly string[] };
  for (const [name, value] of Object.entries(properties ?? {})) {
    yield [name, value['type'] === 'array', required?.includes(name) === true];
  }
  for (const value of Object.values(schema)) yield* membersOf(value);
}

test('every command with a JSON result has a schema of version 1 in the package, in the one dialect', async () => {
  const files = (await readdir(folder)).map((name) => name.replace('.json', ''));
  const commands = registry.flatMap(({ table }) => (table.noJson === true ? [] : table.name));
  assert.deepEqual(files.sort(), [...commands, 'failure'].sort());
  const { files: packed } = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'));
  assert.ok(packed.includes('dist'));
  for (const file of files) {
    const schema = await schemaOf(file);
    assert.deepEqual([schema['$id'], schema['schemaVersion']], [`postern:schemas/1/${file}`, 1]);
    for (const [name, isList, isRequired] of membersOf(schema)) {
      assert.match(name, /^[a-z]+(?:[A-Z][a-z]*)*$/, `${file}: ${name}`);
      // What comes with --all alone is not a list that is empty without it.
      if (isList && file !== 'logout') assert.ok(isRequired, `${file}: the list ${name} is always there`);
    }
  }
});

test('what each command prints with --json is what its schema says', async () => {
  await using sandbox = await startSandbox({
    clients: [{ client_id: 'ci', client_secret: 's'.repeat(40), redirect_uris: [] }],
  });
  const { serverUrl } = sandbox;
  await using home = await makeHomeWithKey();
  await writeFile(join(home.path, 'secret'), 's'.repeat(40), { mode: 0o600 });
  const client = [
    ...['--client-credentials', '--client-id', 'ci', '--client-secret-file', 'secret', '--store', 'file'],
    ...['--authorization-server', sandbox.issuer],
  ];
  const document = ['--url', 'https://client.example/client.json', '--out', 'document'];
  const sealed = ['--client-credentials', '--store', 'file'];
  const keyed = [
    ...['--url', 'https://keyed.example/client.json', '--out', 'keyed'],
    ...['--auth', 'private_key_jwt', '--store', 'file'],
  ];
  await using registry = await startHttp((_, response) => response.writeHead(404).end('{}'));
  await writeFile(join(home.path, '.npmrc'), `registry=${registry.origin}/\n`);
  await mkdir(join(home.path, '.cursor'));
  const servers = { mine: { url: serverUrl }, local: { command: 'true' } };
  await writeFile(join(home.path, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: servers }));
  const lines: readonly (readonly string[])[] = [
    ['login', serverUrl, '--name', 'work', ...client],
    ['login', serverUrl, '--name', 'other', '--account', 'b', ...client],
    ['status'],
    ['status', '--check'],
    ['status', '-l'],
    ['whoami'],
    ['login', '--expired'],
    ['rename', 'other', 'third'],
    ['switch', 'third'],
    ['move', 'file'],
    ['token', 'work'],
    ['call', 'work', 'whoami'],
    ['setup', '--list'],
    ['setup', 'claude', 'work'],
    ['setup', 'claude', 'work', '--write'],
    ['setup', 'claude', 'work', '--check'],
    ['setup', 'claude', 'work', '--undo'],
    ['client-metadata', 'init', ...document],
    ['client-metadata', 'check', 'document', '--offline'],
    ['client-metadata', 'show', serverUrl],
    ['client-metadata', 'build', 'document', '--out', 'built'],
    ['client-metadata', 'init', ...keyed],
    ['client-metadata', 'rotate', 'keyed', '--store', 'file'],
    ['client-metadata', 'rotate', 'keyed', '--retire', '--store', 'file'],
    ['client-metadata', 'build', 'keyed'],
    ['login', '--from', 'cursor'],
    ['login', '--from', 'cursor', '--all'],
    ['login', serverUrl, '--generate-key', '--client-id', 'new', '--authorization-server', sandbox.issuer, ...sealed],
    ['config'],
    ['config', 'path'],
    ['config', 'set', 'timeoutSeconds', '60'],
    ['config', 'get', 'timeoutSeconds'],
    ['config', 'unset', 'timeoutSeconds'],
    ['sandbox', '--misbehave', 'list'],
    ['uninstall'],
    ['logout', 'third'],
    ['logout', '--all', '--yes'],
    ['uninstall', '--yes'],
  ];
  for (const line of lines) {
    const { code, stdout, stderr } = await runProgram(home, [...line, '--json']);
    // What is checked is for an address where nobody can host it.
    assert.equal(code, line[1] === 'check' ? 5 : 0, `${line.join(' ')}: ${stderr}`);
    assertFits(await schemaOf(line[0] ?? ''), stdout, line.join(' '));
  }
  const failed = await runProgram(home, ['token', 'nowhere', '--json']);
  assertFits(await schemaOf('failure'), failed.stderr.trim().split('\n').at(-1) ?? '', 'a failure');
  assert.equal((await runProgram(home, ['config', '--field', 'exists'])).stdout, 'false\n');
  assert.equal((await runProgram(home, ['exec', serverUrl, '--field', 'x', '--', 'true'])).code, 2);
});

test('the browser or profile that a login keeps is shown by status', async () => {
  await using at = await homeWith(
    { name: 'work', server: 'https://a.example/mcp', browser: { program: 'firefox', profile: 'Work' } },
    { name: 'path', server: 'https://b.example/mcp', browser: { program: '/opt/chrome' } },
    { name: 'usual', server: 'https://c.example/mcp' },
  );
  const { stdout } = await at.run('status', '-l', '--json');
  assertFits(await schemaOf('status'), stdout, 'status -l');
  const shown = JSON.parse(stdout).logins.map(({ browser }: { browser: unknown }) => browser);
  assert.deepEqual(shown, [{ program: 'firefox', profile: 'Work' }, { program: '/opt/chrome', profile: null }, null]);
  assert.match((await at.run('status')).stdout, /^work .* in firefox, profile “Work”$/m);
  assert.match((await at.run('status', 'work', '-l')).stdout, /\n {2}browser +firefox, profile “Work”\n/);
  assert.match((await at.run('status', 'path', '-l')).stdout, /\n {2}browser +\/opt\/chrome\n/);
  assert.doesNotMatch((await at.run('status', 'usual', '-l')).stdout, /browser/);
});

test('what call --watch prints with --json is what its schema says', async () => {
  await using home = await makeHomeWithKey();
  await using server = await scriptedServer((seen, response) => {
    if (seen.method !== 'GET') usual(seen, response, 'one');
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } }));
    }
  });
  await using watching = startProgram(home, ['call', server.url, '--watch', '--json']);
  const [line] = await watching.waitForStdout(/^\{.*\}$/m);
  const { $defs } = (await schemaOf('call')) as { $defs: { watchLine: Schema } };
  assertFits($defs.watchLine, line, 'call --watch');
});

test('what proxy and sandbox print with --json once they listen is what their schemas say', async () => {
  await using home = await makeHomeWithKey({ POSTERN_TOKEN: 'a', POSTERN_TOKEN_SERVER: 'http://127.0.0.1:9/mcp' });
  for (const line of [
    ['proxy', 'http://127.0.0.1:9/mcp'],
    ['proxy', 'http://127.0.0.1:9/mcp', '--no-key'],
    ['sandbox'],
  ]) {
    await using program = startProgram(home, [...line, '--json']);
    const [text] = await program.waitForStdout(/^\{.*\}$/m);
    assertFits(await schemaOf(line[0] ?? ''), text, line.join(' '));
  }
});

/** One of each: another one does not compile until it stands here. */
const keeperEvents: { readonly [Name in KeeperEvent['event']]: Extract<KeeperEvent, { readonly event: Name }> } = {
  started: { event: 'started', metrics: 'http://127.0.0.1:9090/metrics', store: 'redis:rediss://cache.example' },
  leading: { event: 'leading' },
  standing_by: { event: 'standing_by', leader: 'host-a (process 7)' },
  stepped_down: { event: 'stepped_down' },
  refreshed: { event: 'refreshed', login: 'work', expiresAt: 1_700_000_000_000 },
  refresh_failed: {
    ...{ event: 'refresh_failed', login: 'work', retryInMs: 1_234 },
    failure: new Failure({ code: 'x', exit: 6, message: 'It is away.', remedy: 'Try again.' }),
  },
  store_failed: {
    ...{ event: 'store_failed', retryInMs: 0 },
    failure: new Failure({ code: 'x', exit: 7, message: 'It is away.', remedy: 'Try again.' }),
  },
  store_back: { event: 'store_back' },
  clock_set_back: { event: 'clock_set_back', byMs: 3_600_000 },
  ended: { event: 'ended' },
};

test('whatever happens to a keeper, its line is what the schema says; an event without what belongs to it is none', async () => {
  const schema = await schemaOf('keeper');
  const { started, refreshed, refresh_failed: failed } = keeperEvents;
  const others = [
    { ...started, metrics: null, store: null },
    { ...refreshed, expiresAt: null },
    { ...failed, retryInMs: null },
  ];
  for (const one of [...Object.values(keeperEvents), ...others]) {
    assertFits(schema, JSON.stringify(eventJson(one, 0)), one.event);
  }
  const { leader: _, ...leaderless } = eventJson(keeperEvents.standing_by, 0);
  for (const wrong of [leaderless, { at: new Date(0).toISOString(), event: 'slept' }, { event: 'leading' }]) {
    assert.throws(() => assertFits(schema, JSON.stringify(wrong), 'a planted one'));
  }
});

test('what keeper prints with --json, from its start to its end, is what its schema says', async () => {
  await using sandbox = await startSandbox({ accessTokenSeconds: 6 });
  await using home = await makeHomeWithKey();
  const login = ['login', sandbox.serverUrl, '--name', 'work', '--store', 'file', '--no-browser'];
  await using person = startProgram(home, login);
  await walkLogin(await authorizationUrlOf(person));
  assert.equal((await person.finished).code, 0);
  await using keeper = startProgram(home, ['--json', 'keeper', '--listen', '127.0.0.1:0']);
  await keeper.waitForStdout(/"event":"refreshed"/);
  sandbox.setFaults(['refresh-invalid-grant']);
  await keeper.waitForStdout(/"event":"refresh_failed"/);
  keeper.kill('SIGTERM');
  const { code, stdout, stderr } = await keeper.finished;
  assert.equal(code, 0, stderr);
  const lines = stdout.trimEnd().split('\n');
  const schema = await schemaOf('keeper');
  for (const line of lines) assertFits(schema, line, 'keeper');
  const seen = new Set(lines.map((line) => JSON.parse(line).event));
  assert.deepEqual([...seen], ['started', 'leading', 'refreshed', 'refresh_failed', 'ended']);
});
