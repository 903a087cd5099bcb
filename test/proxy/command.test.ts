import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Home, makeHome } from '../support/home.js';
import { startHttp, type TestServer } from '../support/http-server.js';
import { startKeyring } from '../support/keyring.js';
import { needs } from '../support/needs.js';
import { type Finished, programCommand, type Running, runProgram, startProgram } from '../support/program.js';
import { findSecrets } from '../support/secrets-search.js';
import { storeLogin } from '../support/stored-login.js';
import { ask } from './stand.js';

const skip = needs('gnome-keyring', 'secret-tool');
const token = 'canary-token-of-work';

interface Scene extends AsyncDisposable {
  readonly home: Home;
  readonly server: TestServer;
}

/** A home with a login `work` for a server that says which token it got. */
async function scene(): Promise<Scene> {
  const keyring = await startKeyring();
  const home = await makeHome(keyring.env);
  const server = await startHttp((request, response) => {
    if (request.url === '/mcp/slow') return; // never
    response.end(`got ${request.headers.authorization}`);
  });
  const expiresAt = Date.now() + 3_600_000;
  await storeLogin(home, { server: `${server.origin}/mcp`, name: 'work', accessToken: token, expiresAt });
  return {
    home,
    server,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
      await keyring[Symbol.asyncDispose]();
    },
  };
}

/** Waits for the address that is printed, and says where it is. */
async function addressOf(program: Running): Promise<{ url: URL; port: number; key: string }> {
  const [text] = await program.waitForStdout(/^http:\S+(?=\n)/m);
  const url = new URL(text);
  return { url, port: Number(url.port), key: url.pathname.split('/')[1] ?? '' };
}

/** How a proxy that must not start has ended; fails at once where it listens. */
async function endOf(home: Home, args: readonly string[]): Promise<Finished> {
  await using program = startProgram(home, ['proxy', ...args]);
  program.stdin.end();
  const listens = addressOf(program).then(
    ({ url }) => assert.fail(`it listens at ${url}`),
    () => program.finished,
  );
  return await Promise.race([program.finished, listens]);
}

test('it prints one address, which works, and whose key is nowhere else; SIGTERM ends it in order [A-213] [A-214] [A-232]', {
  skip,
}, async () => {
  await using s = await scene();
  await using program = startProgram(s.home, ['proxy', 'work', '--verbose']);
  const { url, port, key } = await addressOf(program);
  assert.equal(program.stdout, `${url.href}\n`);
  assert.match(url.pathname, /^\/[\w-]{43}\/work$/);
  assert.equal((await ask({ port }, url.pathname)).body, `got Bearer ${token}`);
  assert.equal((await ask({ port }, '/work')).status, 401);
  const texts = {
    arguments: await readFile(`/proc/${program.pid}/cmdline`, 'latin1'),
    environment: await readFile(`/proc/${program.pid}/environ`, 'latin1'),
    answer: (await ask({ port }, `/${key}/none`)).body,
  };
  program.kill('SIGTERM');
  const { code, stderr } = await program.finished;
  assert.equal(code, 0, stderr);
  assert.deepEqual(await findSecrets({ key, token }, { folders: [s.home.path], texts: { ...texts, stderr } }), []);
  await assert.rejects(ask({ port }, url.pathname));
});

test('--json says where it listens, and --ready-fd when', { skip }, async () => {
  await using s = await scene();
  const [command, ...args] = programCommand(['proxy', 'work', '--json', '--ready-fd', '3']);
  const child = spawn(command, args, { env: s.home.env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  let ready = '';
  const pipe = child.stdio[3] as NodeJS.ReadableStream;
  pipe.setEncoding('utf8').on('data', (text: string) => {
    ready += text;
  });
  await once(pipe, 'end');
  const said = JSON.parse(ready);
  assert.deepEqual(Object.keys(said), ['origin', 'socket', 'key', 'keyHeader', 'servers']);
  assert.equal(said.servers[0].url, `${said.origin}/${said.key}/work`);
  const port = Number(new URL(said.origin).port);
  const answer = await ask({ port }, '/work', { headers: { [said.keyHeader]: said.key } });
  assert.equal(answer.body, `got Bearer ${token}`);
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'close'), [130, null]);
  const closed = await runProgram(s.home, ['proxy', 'work', '--ready-fd', '9']);
  assert.equal(closed.code, 2);
  assert.match(closed.stderr, /File descriptor 9, which --ready-fd names, cannot be written to \((?:EBADF|ENOENT)\)/);
});

test('without a key it says so at each start, even when quiet [A-213]', { skip }, async () => {
  await using s = await scene();
  await using program = startProgram(s.home, ['proxy', 'work', '--no-key', '--quiet']);
  const { url, port } = await addressOf(program);
  assert.equal(url.pathname, '/work');
  assert.equal((await ask({ port }, '/work')).body, `got Bearer ${token}`);
  assert.match(program.stderr, /--no-key: every user and every program of this machine can use these logins/);
});

test('a Unix socket is its owner’s alone, and one that nobody listens on is taken over [A-213]', { skip }, async () => {
  await using s = await scene();
  const path = join(s.home.path, 'runtime', 'p.sock');
  for (const end of ['SIGKILL', 'SIGTERM'] as const) {
    await using program = startProgram(s.home, ['proxy', 'work', '--socket', path]);
    const { url } = await addressOf(program);
    assert.equal(url.href, 'http://localhost/work');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal(await overSocket(path, 'localhost'), `got Bearer ${token}`);
    assert.match(await overSocket(path, 'evil.example'), /wrong_host/);
    const second = await endOf(s.home, ['work', '--socket', path]);
    assert.equal(second.code, 2);
    assert.match(second.stderr, /another process listens there/);
    program.kill(end);
    await program.finished;
  }
  await assert.rejects(stat(path), 'the socket is taken away at the end');
  const open = await endOf(s.home, ['work', '--socket', '/tmp/postern-test.sock']);
  assert.equal(open.code, 2);
  assert.match(open.stderr, /others may write to its folder/);
});

function overSocket(socketPath: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ socketPath, path: '/work', headers: { host }, agent: false });
    request.once('error', reject).once('response', async (response) => {
      let body = '';
      for await (const chunk of response) body += String(chunk);
      resolve(body);
    });
    request.end();
  });
}

test('running requests have a time to end in, and its parent’s end ends it, too [A-232]', { skip }, async () => {
  await using s = await scene();
  await using program = startProgram(s.home, ['proxy', 'work', '--grace', '1', '--until-stdin-ends']);
  const { url, port } = await addressOf(program);
  const slow = ask({ port }, `${url.pathname}/slow`).catch((error: unknown) => error);
  while (s.server.requests.length < 1) await new Promise((resolve) => setTimeout(resolve, 10));
  program.stdin.end();
  assert.equal((await program.finished).code, 0);
  assert.ok((await slow) instanceof Error);
});

test('what it cannot do is refused at the start [A-231]', { skip }, async () => {
  await using s = await scene();
  const taken = String(s.server.port);
  const refusals: readonly (readonly [args: readonly string[], code: number, shows: RegExp])[] = [
    [['work', '--listen', '0.0.0.0'], 2, /There is no option "--listen" here/],
    [['work', '--port', taken], 2, new RegExp(`Port ${taken} of 127\\.0\\.0\\.1 is in use`)],
    [['work', '--port', '80'], 2, /--port is a whole number from 1024/],
    [['work', '--port', '8123', '--socket', '/x'], 2, /--socket and --port cannot be used together/],
    [['https://none.example/mcp'], 3, /No browser was opened .*postern login https:\/\/none\.example\/mcp/s],
    [[], 2, /needs a server/],
  ];
  for (const [args, code, shows] of refusals) {
    const refused = await endOf(s.home, args);
    assert.deepEqual([refused.code, refused.stdout], [code, ''], refused.stderr);
    assert.match(refused.stderr, shows);
  }
});
