import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { needs } from '../support/needs.js';
import { repositoryRoot } from '../support/repository.js';
import { gitInput, type Seeded, seed, token, work } from './seeded.js';

const skip = needs('git', 'gnome-keyring', 'dbus');

/** A git server that takes one credential for everything. */
async function gitServer(challenge: string) {
  const seen: { url: string; authorization: string }[] = [];
  const server = createServer((request, response) => {
    const authorization = request.headers.authorization ?? 'none';
    seen.push({ url: request.url ?? '', authorization });
    const basic = `Basic ${Buffer.from(`oauth2:${token}`).toString('base64')}`;
    if (authorization !== basic && authorization !== `Bearer ${token}`) {
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    response.end(
      '001e# service=git-upload-pack\n0000003d1111111111111111111111111111111111111111 refs/heads/main\n0000',
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, seen, [Symbol.asyncDispose]: async () => void server.close() };
}

/** git in `seeded`'s home, with postern as its helper and an askpass program that leaves a mark. */
async function runGit(seeded: Seeded, url: string, helper: string) {
  const bin = join(seeded.home.path, 'bin');
  await mkdir(bin, { recursive: true });
  const link = join(bin, 'git-credential-postern');
  await symlink(join(repositoryRoot, 'bin', 'git-credential-postern.js'), link).catch(() => undefined);
  const askpass = join(bin, 'askpass');
  await writeFile(askpass, `#!/bin/sh\necho "$1" >> ${bin}/asked\n`, { mode: 0o700 });
  const options = [`credential.helper=${helper}`, 'credential.useHttpPath=true'];
  const child = spawn('git', [...options.flatMap((one) => ['-c', one]), 'ls-remote', url], {
    cwd: seeded.home.path,
    env: { ...seeded.home.env, PATH: `${bin}:${seeded.home.env['PATH']}`, GIT_ASKPASS: askpass },
  });
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => void said.push(text));
  child.stdout.resume();
  const [code] = await once(child, 'close');
  const asked = await readFile(join(bin, 'asked'), 'utf8').catch(() => '');
  return { code, said: said.join(''), asked };
}

test('[A-180] where the login is over, git is told to quit, and asks nobody for a user name', { skip }, async () => {
  await using remote = await gitServer('Basic realm="git"');
  await using seeded = await seed(work({ server: `${remote.origin}/mcp`, expiresAt: Date.now() - 1000 }));
  const { code, said, asked } = await runGit(seeded, `${remote.origin}/mcp/repo.git`, 'postern');
  assert.equal(code, 128);
  assert.match(said, /postern: [^\n]+ Run: postern login work \[login_expired, exit 3\]\n.*quit/s);
  assert.equal(asked, '');
  const elsewhere = await runGit(seeded, `${remote.origin}/other/repo.git`, 'postern');
  assert.match(elsewhere.asked, /Username/, 'what is not ours is left to git');
});

test('git that asks for another user than the account of its helper gets nothing', { skip }, async () => {
  await using remote = await gitServer('Basic realm="git"');
  const server = `${remote.origin}/mcp`;
  await using seeded = await seed(
    work({ server, account: 'me', name: 'mine' }),
    work({ server, account: 'you', name: 'yours' }),
  );
  const { host } = new URL(server);
  const input = (...more: string[]) => ({
    input: gitInput('protocol=http', `host=${host}`, 'path=mcp/repo.git', ...more),
  });
  const asMe = ['git', '--account', 'me', 'get'];
  assert.match((await seeded.ask(asMe, input('username=me'))).stdout, /^username=.*\npassword=/);
  for (const whole of [false, true]) {
    const other = await seeded.ask(asMe, { ...input('username=you'), whole });
    assert.deepEqual([other.code, other.stdout, other.stderr], [0, '', '']);
  }
  const url = `http://you@${host}/mcp/repo.git`;
  const ran = await runGit(seeded, url, '!git-credential-postern --account me');
  assert.match(ran.asked, /Password for .*you@/);
  assert.ok(remote.seen.every(({ authorization }) => !authorization.includes(token)));
});

test('git finds git-credential-postern on the PATH, and gets in with the token, at the path of the login alone', {
  skip,
}, async () => {
  await using remote = await gitServer('Basic realm="git"');
  await using seeded = await seed(work({ server: `${remote.origin}/mcp` }));
  const bin = join(seeded.home.path, 'bin');
  await mkdir(bin);
  await symlink(join(repositoryRoot, 'bin', 'git-credential-postern.js'), join(bin, 'git-credential-postern'));
  const git = async (path: string, ...config: string[]) => {
    const options = ['credential.helper=postern', ...config].flatMap((one) => ['-c', one]);
    const child = spawn('git', [...options, 'ls-remote', `${remote.origin}${path}`], {
      cwd: seeded.home.path,
      env: { ...seeded.home.env, PATH: `${bin}:${seeded.home.env['PATH']}`, GIT_TERMINAL_PROMPT: '0' },
    });
    const said: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => void said.push(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => void said.push(text));
    const [code] = await once(child, 'close');
    return { code, said: said.join('') };
  };
  const full = await git('/mcp/repo.git', 'credential.useHttpPath=true');
  assert.deepEqual(full, { code: 0, said: '1111111111111111111111111111111111111111\trefs/heads/main\n' });
  const bare = await git('/mcp/repo.git');
  assert.equal(bare.code, 128);
  assert.match(bare.said, /postern: git does not say which path[^\n]+git config --global credential\.http:\/\/127/);
  for (const path of ['/other/repo.git', '/mcpx/repo.git', '/mcp/%2e%2e/repo.git']) {
    assert.equal((await git(path, 'credential.useHttpPath=true')).code, 128, path);
  }
  const whole = await git('/other/repo.git', `credential.helper=!git-credential-postern work --whole-host`);
  assert.equal(whole.code, 0, whole.said);
  const sent = remote.seen.filter(({ authorization }) => authorization !== 'none');
  assert.deepEqual([...new Set(sent.map(({ url }) => url.split('/')[1]))], ['mcp', 'other']);
});
