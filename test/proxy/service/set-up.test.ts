import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { digestOf } from '../../../src/proxy/service/record.js';
import { programs } from '../../../src/setup/programs/programs.js';
import { setupTable } from '../../../src/setup/setup.options.js';
import { homeWith } from '../../login/status/home-with.js';
import { needs } from '../../support/needs.js';

const skip = needs('systemd');
const server = 'https://example.com/mcp';
const urlPrograms = programs.filter(({ byUrl }) => byUrl !== undefined).map(({ name }) => name);

/** A home with a login `work`, for which a proxy is installed. */
async function scene() {
  const h = await homeWith({ name: 'work', server });
  const { service, origin } = JSON.parse((await h.run('proxy', 'work', '--install', '--json')).stdout);
  const record = join(h.home.path, 'state', 'postern', 'services', `${service.id}.json`);
  const cursor = join(h.home.path, '.cursor', 'mcp.json');
  return {
    ...h,
    id: service.id as string,
    origin: origin as string,
    record,
    cursor,
    /** The digests of the keys of a host. */
    digests: async (host: string) => {
      const { hosts } = JSON.parse(await readFile(record, 'utf8'));
      return hosts
        .filter(({ name }: { name: string }) => name === host)
        .map(({ digest }: { digest: string }) => digest);
    },
    /** The key that stands in a file. */
    keyIn: async (path: string) =>
      new RegExp(`${origin}/([\\w-]{43})/work`).exec(await readFile(path, 'utf8'))?.[1] ?? '',
  };
}

test('each program that takes a URL gets one, with a key of its own, in a file that is closed to others [A-213]', {
  skip,
}, async () => {
  await using s = await scene();
  for (const name of urlPrograms) {
    const { file, outcome } = JSON.parse((await s.run('setup', name, 'work', '--proxy', '--write', '--json')).stdout);
    assert.equal(outcome, 'made', name);
    assert.equal((await stat(file)).mode & 0o777, 0o600, name);
    assert.deepEqual(await s.digests(name), [digestOf(await s.keyIn(file))], name);
    assert.doesNotMatch(await readFile(file, 'utf8'), /bridge|credential|headersHelper/, name);
    const again = JSON.parse((await s.run('setup', name, 'work', '--proxy', '--write', '--json')).stdout);
    assert.equal(again.outcome, 'unchanged', name);
  }
  const hosts = JSON.parse((await s.run('status', '--json')).stdout).logins[0].proxy.hosts;
  assert.deepEqual([...hosts].sort(), ['default', ...urlPrograms].sort());
});

test('which programs take no URL is said by help', () => {
  const [note = ''] = setupTable.more.filter((one) => one.includes('take a URL'));
  const others = programs.filter(({ calls, byUrl }) => ['headers', 'bridge'].includes(calls) && byUrl === undefined);
  const [, said = ''] = /: ([\w, -]+) get none/.exec(note) ?? [];
  assert.deepEqual(said.split(/, | and /).sort(), others.map(({ name }) => name).sort());
});

test('OpenCode’s native form is kept for a URL, too', { skip }, async () => {
  await using s = await scene();
  const file = join(s.home.path, 'config', 'opencode', 'opencode.json');
  await mkdir(dirname(file), { recursive: true });
  const before = '{ "mcp": { "servers": { "mine": { "type": "remote", "url": "https://mine.example/mcp" } } } }\n';
  await writeFile(file, before);
  await s.run('setup', 'opencode', 'work', '--proxy', '--write');
  const { mcp } = JSON.parse(await readFile(file, 'utf8'));
  assert.deepEqual(Object.keys(mcp), ['servers']);
  assert.deepEqual(mcp.servers.work, { type: 'remote', url: `${s.origin}/${await s.keyIn(file)}/work` });
  const again = JSON.parse((await s.run('setup', 'opencode', 'work', '--proxy', '--write', '--json')).stdout);
  assert.equal(again.outcome, 'unchanged');
  await s.run('setup', 'opencode', '--undo');
  assert.equal(await readFile(file, 'utf8'), before);
});

test('without --write nobody gets a key', { skip }, async () => {
  await using s = await scene();
  const shown = await s.run('setup', 'cursor', 'work', '--proxy');
  assert.match(shown.stdout, new RegExp(`"url": "${s.origin}/KEY/work"`));
  assert.deepEqual(await s.digests('cursor'), []);
  await assert.rejects(stat(s.cursor));
});

test('--rotate writes another key into the host’s file, and the former one holds no more', { skip }, async () => {
  await using s = await scene();
  await s.run('setup', 'cursor', 'work', '--proxy', '--write');
  const first = await s.keyIn(s.cursor);
  const rotated = await s.run('proxy', 'work', '--rotate', '--host', 'cursor');
  assert.deepEqual([rotated.code, rotated.stdout], [0, ''], rotated.stderr);
  assert.ok(!rotated.stderr.includes(await s.keyIn(s.cursor)));
  assert.notEqual(await s.keyIn(s.cursor), first);
  assert.deepEqual(await s.digests('cursor'), [digestOf(await s.keyIn(s.cursor))]);
});

test('where the file cannot be written, the key that is in it goes on to hold', { skip }, async () => {
  await using s = await scene();
  await s.run('setup', 'cursor', 'work', '--proxy', '--write');
  const key = await s.keyIn(s.cursor);
  const text = await readFile(s.cursor, 'utf8');
  await writeFile(s.cursor, text.replace('"url"', '"type": "sse", "url"').replace(s.origin, 'http://127.0.0.1:1'));
  const refused = await s.run('proxy', 'work', '--rotate', '--host', 'cursor');
  assert.notEqual(refused.code, 0);
  assert.deepEqual(await s.digests('cursor'), [digestOf(key)]);
  await writeFile(s.cursor, text);
  assert.equal((await s.run('proxy', 'work', '--rotate', '--host', 'cursor')).code, 0, 'no lock is left');
});

test('of several writes at once the key that stands in the file is the one that holds', { skip }, async () => {
  await using s = await scene();
  await Promise.all(Array.from({ length: 4 }, () => s.run('setup', 'cursor', 'work', '--proxy', '--write')));
  assert.deepEqual(await s.digests('cursor'), [digestOf(await s.keyIn(s.cursor))]);
});

test('--undo gives the file its bytes and its mode back, and withdraws the key', { skip }, async () => {
  await using s = await scene();
  const before = '{\n  // mine\n  "mcpServers": {}\n}\n';
  await mkdir(dirname(s.cursor));
  await writeFile(s.cursor, before);
  await chmod(s.cursor, 0o644);
  await s.run('setup', 'cursor', 'work', '--proxy', '--write');
  assert.equal((await stat(s.cursor)).mode & 0o777, 0o600);
  const undone = await s.run('setup', 'cursor', '--undo');
  assert.equal(undone.code, 0, undone.stderr);
  assert.equal(await readFile(s.cursor, 'utf8'), before);
  assert.equal((await stat(s.cursor)).mode & 0o777, 0o644);
  assert.deepEqual(await s.digests('cursor'), []);
});

test('an entry that starts postern becomes one with an address, and is as before all after an undo', {
  skip,
}, async () => {
  await using s = await scene();
  await s.run('setup', 'cursor', 'work', '--write');
  const changed = JSON.parse((await s.run('setup', 'cursor', 'work', '--proxy', '--write', '--json')).stdout);
  assert.equal(changed.outcome, 'changed');
  assert.doesNotMatch(await readFile(s.cursor, 'utf8'), /bridge|"args"/);
  await s.run('setup', 'cursor', '--undo');
  await assert.rejects(stat(s.cursor));
});

test('a check sends no key to who has taken the port, and says what does not hold any more', { skip }, async () => {
  await using s = await scene();
  await s.run('setup', 'cursor', 'work', '--proxy', '--write');
  const { startHttp } = await import('../../support/http-server.js');
  await using other = await startHttp((_, response) => void response.end('{}'));
  await writeFile(
    s.record,
    (await readFile(s.record, 'utf8')).replace(`"port":${new URL(s.origin).port}`, `"port":${other.port}`),
    { mode: 0o600 },
  );
  await writeFile(s.cursor, (await readFile(s.cursor, 'utf8')).replace(s.origin, other.origin));
  const key = /([\w-]{43})\/work/.exec(await readFile(s.cursor, 'utf8'))?.[1] ?? 'none';
  const check = await s.run('setup', 'cursor', '--check');
  assert.equal(check.code, 6, check.stdout);
  assert.match(check.stdout, /Its proxy does not answer/);
  assert.ok(other.requests.length > 0 && other.requests.every((request) => !request.includes(key)));
  await s.run('proxy', 'work', '--uninstall', '--host', 'cursor');
  const gone = await s.run('setup', 'cursor', '--check');
  assert.equal(gone.code, 2, gone.stdout);
  assert.match(gone.stdout, /its key does not hold any more/);
});

test('what cannot be set up so is refused', { skip }, async () => {
  await using s = await scene();
  const refusals: readonly (readonly [args: readonly string[], shows: RegExp])[] = [
    [['claude-desktop', 'work', '--proxy'], /Claude Desktop is not set up by a URL here/],
    [['git', 'work', '--proxy', '--write'], /git is not set up by a URL here/],
    [['cursor', 'work', '--proxy', '--project', '--write'], /--proxy and --project cannot be used together/],
  ];
  for (const [args, shows] of refusals) assert.match((await s.run('setup', ...args)).stderr, shows, args.join(' '));
  await s.run('proxy', 'work', '--uninstall');
  assert.match(
    (await s.run('setup', 'cursor', 'work', '--proxy', '--write')).stderr,
    /No proxy is installed for "?work/,
  );
});

test('rename and logout say what becomes of the proxy, and uninstall takes it back', { skip }, async () => {
  await using s = await scene();
  await s.run('setup', 'cursor', 'work', '--proxy', '--write');
  assert.match((await s.run('rename', 'work', 'other')).stderr, new RegExp(`${s.origin}/…/work`));
  assert.match(
    (await s.run('status', 'other', '-l')).stdout,
    new RegExp(`${s.origin}/…/work \\(for default, cursor\\)`),
  );
  const again = JSON.parse((await s.run('proxy', 'other', '--install', '--host', 'x', '--json')).stdout);
  assert.deepEqual([again.service.id, again.servers[0].name], [s.id, 'work']);
  const { stderr } = await s.run('logout', 'other');
  assert.match(stderr, new RegExp(`To take it back: postern proxy ${s.id} --uninstall`));
  const plan = JSON.parse((await s.run('uninstall', '--json')).stdout);
  assert.deepEqual(
    plan.services.map(({ id }: { id: string }) => id),
    [s.id],
  );
  const { code, stdout, stderr: said } = await s.run('uninstall', '--yes');
  assert.equal(code, 0, said);
  assert.match(stdout, /The proxy for https:\/\/example\.com\/mcp .* is taken back/);
  await assert.rejects(stat(s.cursor));
  assert.deepEqual(await readdir(join(s.home.path, 'config', 'systemd', 'user')), []);
});

test('doctor finds a unit that is gone, and a proxy that does not run', { skip }, async () => {
  await using s = await scene();
  const { stdout } = await s.run('doctor', '--json');
  const step = JSON.parse(stdout).findings?.find?.(({ id }: { id?: string }) => id === 'service-not-installed');
  assert.ok(step !== undefined || stdout.includes('service-not-installed'), 'nobody has enabled it');
});
