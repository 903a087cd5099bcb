import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Stage, stage, token } from '../programs/stage.js';
import { startAuthority } from '../support/certificates.js';
import { needs } from '../support/needs.js';

const bearer = `Bearer ${token}`;

function authorizationsAt(world: Stage, path: string): readonly string[] {
  const seen = world.server.seen.filter(({ url }) => url.startsWith(path));
  return seen.map(({ headers }) => headers.authorization ?? 'none');
}

test('git sends the token to the server of the login, and below its path only', {
  skip: needs('git', 'gnome-keyring'),
}, async () => {
  await using world = await stage();
  const file = join(world.home.path, '.gitconfig');
  // A helper for all servers, which would be asked first, and given our token to keep in clear text.
  writeFileSync(file, '[credential]\n\thelper = store # everything\n');
  assert.equal((await world.setup('git', 'work', '--write')).code, 0);
  const git = (path: string) => world.start('git', ['ls-remote', `${world.server.origin}${path}`]);
  // Our server takes no Basic, which is all that git 2.39 can say.
  const refused = await git('/mcp/repo.git');
  assert.notEqual(refused.code, 0);
  const sent = authorizationsAt(world, '/mcp/repo.git').filter((value) => value !== 'none');
  assert.ok(sent.length > 0, refused.stderr);
  for (const value of sent) {
    const given = value.startsWith('Basic ') ? Buffer.from(value.slice(6), 'base64').toString() : value;
    assert.ok(given.endsWith(token), 'the token came');
  }
  await git('/elsewhere/repo.git');
  assert.deepEqual([...new Set(authorizationsAt(world, '/elsewhere'))], ['none']);
  assert.throws(() => readFileSync(join(world.home.path, '.git-credentials')), { code: 'ENOENT' });
});

test('kubectl and git config lay their files out anew: --check, --write and --undo find the entry', {
  skip: needs('git', 'kubectl', 'gnome-keyring'),
}, async () => {
  await using world = await stage();
  const configs = ['set-cluster k --server=https://k.example', 'set-context k --cluster=k --user=me', 'use-context k'];
  const kubectl = async (words: string) => {
    const { code, stderr } = await world.start('kubectl', ['config', ...words.split(' ')]);
    assert.equal(code, 0, stderr);
  };
  for (const words of configs) await kubectl(words);
  const file = join(world.home.path, '.kube', 'config');
  const before = readFileSync(file, 'utf8');
  assert.equal((await world.setup('kubectl', 'work', '--write')).code, 0);
  await kubectl('set-context --current --user=work'); // as it is recommended
  const checked = await world.setup('kubectl', 'work', '--check');
  assert.match(checked.stdout, /The entry is in [^\n]+config\.[\s\S]+would get a token of/, checked.stderr);
  assert.match((await world.setup('kubectl', 'work', '--write')).stdout, /^Already there/);
  const undone = await world.setup('kubectl', 'work', '--undo');
  assert.match(undone.stderr, /The context "k" still names the user "work"[^\n]+kubectl config set-context k --user/);
  await kubectl('set-context --current --user=me');
  assert.match(undone.stdout, /The entry alone was taken back[^\n]+laid it out anew/, undone.stderr);
  assert.equal(readFileSync(file, 'utf8').replace('users: []', 'users: null'), before);

  assert.equal((await world.setup('git', 'work', '--write')).code, 0);
  const at = `credential.${world.server.url}`;
  await world.start('git', ['config', '--global', `${at}.useHttpPath`, 'true']);
  await world.start('git', ['config', '--global', 'user.name', 'A']);
  assert.match((await world.setup('git', 'work', '--check')).stdout, /^The entry is in/);
  assert.equal((await world.setup('git', 'work', '--undo')).code, 0);
  assert.equal(readFileSync(join(world.home.path, '.gitconfig'), 'utf8'), '[user]\n\tname = A\n');
});

test('kubectl sends the token to the server of the login', {
  skip: needs('kubectl', 'gnome-keyring', 'openssl'),
}, async () => {
  await using authority = await startAuthority();
  await using world = await stage(await authority.issue('IP:127.0.0.1')); // without TLS it sends no credential
  assert.equal((await world.setup('kubectl', 'work', '--write')).code, 0);
  const { url } = world.server;
  const trusted = ['--server', url, '--certificate-authority', authority.caFile];
  await world.start('kubectl', [...trusted, '--user', 'work', 'get', '--raw', '/version']);
  const sent = authorizationsAt(world, '/'); // kubectl 1.20 leaves the path of the server out
  assert.ok(sent.length > 0);
  assert.deepEqual([...new Set(sent)], [bearer]);
});

test('curl takes the token from the pipe that setup prints', { skip: needs('curl', 'gnome-keyring') }, async () => {
  await using world = await stage();
  const { stdout } = await world.setup('curl', 'work');
  await world.start('sh', ['-c', stdout]);
  assert.deepEqual(authorizationsAt(world, '/mcp'), [bearer]);
});
