import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { homeWith } from '../../login/status/home-with.js';
import { startHttp } from '../../support/http-server.js';
import { needs } from '../../support/needs.js';
import { runProgram } from '../../support/program.js';
import { findSecrets } from '../../support/secrets-search.js';
import { holdRename, startTraced } from '../../support/strace.js';

const skip = needs('systemd');
const server = 'https://example.com/mcp';

async function scene(...logins: readonly Readonly<Record<string, unknown>>[]) {
  const h = await homeWith(...(logins.length === 0 ? [{ name: 'work', server }] : logins));
  const units = join(h.home.path, 'config', 'systemd', 'user');
  return {
    ...h,
    units,
    records: join(h.home.path, 'state', 'postern', 'services'),
    unitsNow: async () => (await readdir(units).catch(() => [])).sort(),
    service: async (...words: string[]) => JSON.parse((await h.run('proxy', ...words, '--json')).stdout),
  };
}

const keyIn = (address: string) => new URL(address).pathname.split('/')[1] ?? '';

test('where no manager runs, the units are there, and what is left to type is said [A-213] [A-214]', {
  skip,
}, async () => {
  await using s = await scene();
  const made = await s.run('proxy', 'work', '--install');
  assert.equal(made.code, 2);
  assert.match(made.stdout, /^http:\/\/127\.0\.0\.1:\d{5}\/[\w-]{43}\/work\n$/);
  const [socket = ''] = (await s.unitsNow()).filter((name) => name.endsWith('.socket'));
  assert.match(
    made.stderr,
    new RegExp(
      `In a session of yours, type:\\n *systemctl --user daemon-reload\\n *systemctl --user enable --now ${socket}\\n`,
    ),
  );
  assert.match(
    made.stderr,
    /for the host default alone; whoever has it can use the login\. Copy it now: it is not kept here/,
  );
  const key = keyIn(made.stdout.trim());
  assert.deepEqual(await findSecrets({ key }, { folders: [s.home.path], texts: { stderr: made.stderr } }), []);
  for (const folder of [s.units, s.records]) {
    for (const name of await readdir(folder)) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name);
  }
});

test('status says in a few words that a login has a proxy, and in its JSON where', { skip }, async () => {
  await using s = await scene({ name: 'work', server }, { name: 'other', server: 'https://example.com/other' });
  const { origin } = await s.service('work', '--install', '--host', 'cursor');
  const port = Number(new URL(origin).port);
  const rows = (await s.run('status')).stdout.trimEnd().split('\n');
  assert.match(rows.find((row) => row.startsWith('work ')) ?? '', new RegExp(`proxy at 127\\.0\\.0\\.1:${port} `));
  assert.doesNotMatch(rows.find((row) => row.startsWith('other ')) ?? 'proxy', /proxy/);
  const { logins } = JSON.parse((await s.run('status', '--json')).stdout);
  const proxies = logins.map(({ name, proxy }: Record<string, unknown>) => [name, proxy]);
  assert.deepEqual(proxies, [
    ['work', { port, mount: 'work', hosts: ['cursor'] }],
    ['other', null],
  ]);
});

test('a host gets a key of its own, another one with --rotate, none with --uninstall --host', { skip }, async () => {
  await using s = await scene();
  const first = await s.service('work', '--install', '--host', 'cursor');
  const second = await s.service('work', '--install', '--host', 'warp');
  assert.deepEqual(second.service.hosts, ['cursor', 'warp']);
  assert.deepEqual([second.origin, second.service.outcome], [first.origin, 'host-added']);
  assert.notEqual(first.key, second.key);
  const again = await s.service('work', '--install', '--host', 'warp');
  assert.deepEqual([again.key, again.service.outcome], [null, 'rewritten']);
  assert.equal(again.servers[0].url, `${first.origin}/KEY/work`);
  const rotated = await s.service('work', '--rotate', '--host', 'warp');
  assert.match(rotated.key, /^[\w-]{43}$/);
  assert.notEqual(rotated.key, second.key);
  const unclear = await s.run('proxy', 'work', '--rotate');
  assert.match(unclear.stderr, /These hosts have one: cursor, warp/);
  const none = await s.run('proxy', 'work', '--rotate', '--host', 'zed');
  assert.match(none.stderr, /has no key for a host "zed"\. It has: cursor, warp/);
  assert.deepEqual((await s.service('work', '--uninstall', '--host', 'cursor')).service.hosts, ['warp']);
  const record = await readFile(join(s.records, `${first.service.id}.json`), 'utf8');
  for (const key of [first.key, second.key, rotated.key]) assert.ok(!record.includes(key));
});

test('two installs at once make one service, and each its host’s key', { skip: skip || needs('strace') }, async () => {
  await using s = await scene();
  // The first is held where it has seen that there is none, and its own is not there yet.
  const words = ['proxy', 'work', '--install', '--json', '--host', 'a'];
  await using first = startTraced(s.home, [...holdRename(1, 3), '-o', '/dev/null'], words);
  while ((await readdir(s.records).catch(() => [])).length === 0) await wait(2);
  const second = await s.service('work', '--install', '--host', 'b');
  const { origin, service } = JSON.parse((await first.finished).stdout);
  assert.deepEqual([second.origin, service.outcome, second.service.outcome], [origin, 'made', 'host-added']);
  assert.deepEqual((await readdir(s.records)).length, 1);
  assert.deepEqual((await s.service('work', '--install', '--host', 'a')).service.hosts.sort(), ['a', 'b']);
});

test('two logins, and two accounts of one server, have services of their own', { skip }, async () => {
  await using s = await scene(
    { name: 'work', server },
    { name: 'second', server, account: 'second' },
    { server: 'https://other.example/mcp' },
  );
  const all = await Promise.all(
    ['work', 'second', 'https://other.example/mcp'].map((name) => s.service(name, '--install')),
  );
  assert.equal(new Set(all.map(({ origin }) => origin)).size, 3);
  assert.deepEqual(
    all.map(({ servers }) => servers[0].name),
    ['work', 'second', 'other.example'],
  );
  assert.equal((await s.unitsNow()).length, 6);
  await s.service('second', '--uninstall');
  assert.equal((await s.unitsNow()).length, 4);
});

test('a port that is taken is told with who has it, and nothing is left behind', { skip }, async () => {
  await using s = await scene();
  await using other = await startHttp((_, response) => void response.end());
  const { code, stderr } = await s.run('proxy', 'work', '--install', '--port', String(other.port));
  assert.equal(code, 2);
  assert.match(
    stderr,
    new RegExp(`Port ${other.port} of 127\\.0\\.0\\.1 is in use by "\\S+" \\(process ${process.pid}\\)`),
  );
  assert.deepEqual([await s.unitsNow(), await readdir(s.records).catch(() => [])], [[], []]);
  const made = await s.service('work', '--install');
  const port = Number(new URL(made.origin).port);
  const squatter = createServer().listen(port, '127.0.0.1');
  await once(squatter, 'listening');
  const run = await s.run('proxy', made.service.id, '--service');
  assert.equal(run.code, 2);
  assert.match(run.stderr, new RegExp(`Port ${port} .* is in use by "\\S+" \\(process ${process.pid}\\)`));
  squatter.close();
});

test('nothing of somebody else’s at the place of a unit is replaced, followed, stopped or removed', {
  skip,
}, async () => {
  await using s = await scene();
  const made = await s.service('work', '--install');
  const [socket = '', service = ''] = made.service.files;
  await s.service('work', '--uninstall');
  await writeFile(service, '[Service]\nExecStart=/bin/true\n');
  const refused = await s.run('proxy', 'work', '--install');
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /something is there that postern did not write/);
  assert.deepEqual(await s.unitsNow(), [service.slice(s.units.length + 1)]);
  assert.deepEqual(await readdir(s.records), []);
  const victim = join(s.home.path, 'victim');
  await writeFile(victim, 'precious');
  await writeFile(service, '');
  await symlink(victim, socket);
  assert.equal((await s.run('proxy', 'work', '--install')).code, 2, 'a link');
  assert.equal(await readFile(victim, 'utf8'), 'precious');
});

test('--uninstall leaves a unit that was put in the place of ours', { skip }, async () => {
  await using s = await scene();
  const made = await s.service('work', '--install');
  const [socket = '', service = ''] = made.service.files;
  await writeFile(service, '[Service]\nExecStart=/bin/true\n');
  const gone = await s.run('proxy', 'work', '--uninstall');
  assert.equal(gone.code, 0, gone.stderr);
  assert.match(gone.stderr, /Left, as postern did not write it: .*\.service/);
  assert.equal(await readFile(service, 'utf8'), '[Service]\nExecStart=/bin/true\n');
  await assert.rejects(lstat(socket));
});

test('the service of another state folder is another’s', { skip }, async () => {
  await using s = await scene();
  const made = await s.service('work', '--install');
  const other = { ...s.home, env: { ...s.home.env, POSTERN_STATE_DIR: join(s.home.path, 'other') } };
  await mkdir(join(s.home.path, 'other'), { mode: 0o700 });
  const index = join('postern', 'logins.json');
  await writeFile(join(s.home.path, 'other', 'logins.json'), await readFile(join(s.home.path, 'state', index)), {
    mode: 0o600,
  });
  const refused = await runProgram(other, ['proxy', 'work', '--install']);
  assert.match(refused.stderr, /something is there that postern did not write/);
  assert.equal((await s.service('work', '--install')).service.id, made.service.id);
});

test('a folder that others may write to gets no unit', { skip }, async () => {
  await using s = await scene();
  await mkdir(s.units, { recursive: true });
  await chmod(s.units, 0o777);
  const { stderr, code } = await s.run('proxy', 'work', '--install');
  assert.equal(code, 2);
  assert.match(stderr, /everybody on this machine may write to it/);
});

test('what cannot be meant is refused', { skip }, async () => {
  await using s = await scene();
  await s.service('work', '--install', '--read-only');
  const refusals: readonly (readonly [args: readonly string[], code: number, shows: RegExp])[] = [
    [['work', '--install', '--rotate'], 2, /--install and --rotate cannot be used together/],
    [['work', '--install', '--socket', '/x'], 2, /--install and --socket cannot be used together/],
    [['work', '--install', '--no-key'], 2, /--install and --no-key cannot be used together/],
    [['work', 'work', '--install'], 2, /A service is for one login/],
    [['work', '--install', '--host', '../x'], 2, /--host takes letters/],
    [['work', '--host', 'x'], 2, /--host goes with --install/],
    [['work', '--install', '--timeout', '5'], 2, /with another port or other options/],
    [['nope', '--install'], 3, /No login named "nope"/],
    [['nope', '--uninstall'], 2, /No proxy is installed for "nope"/],
    [['work-00000000', '--service'], 2, /No proxy is installed/],
    [['../../logins', '--service'], 2, /No proxy is installed/],
  ];
  for (const [args, code, shows] of refusals) {
    const refused = await s.run('proxy', ...args);
    assert.deepEqual([refused.code, refused.stdout], [code, ''], `${args.join(' ')}: ${refused.stderr}`);
    assert.match(refused.stderr, shows, args.join(' '));
  }
});

test('a token of the environment is for no service', { skip }, async () => {
  await using s = await scene();
  const env = { ...s.home.env, POSTERN_TOKEN: 'a', POSTERN_TOKEN_SERVER: 'https://tok.example/mcp' };
  const { code, stderr } = await runProgram({ ...s.home, env }, ['proxy', 'https://tok.example/mcp', '--install']);
  assert.equal(code, 2);
  assert.match(stderr, /cannot use a token of this shell’s environment/);
});
