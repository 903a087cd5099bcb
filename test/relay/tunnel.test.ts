import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startAuthority } from '../support/certificates.js';
import { startConnectProxy } from '../support/connect-proxy.js';
import { startHttp, startTcp } from '../support/http-server.js';
import { ask, Collector, codesOf, startConnections } from './start-connections.js';

const size = 4 * 1024 * 1024;

test('requests go through the tunnel of a proxy, one after another down the same one [A-166]', async () => {
  await using authority = await startAuthority();
  await using server = await startHttp(
    (request, response) => {
      request.resume().on('end', () => {
        if (request.url === '/large') response.end(Buffer.alloc(size, 'x'));
        else response.end(`${request.method} ${request.url} for ${request.headers.host}`);
      });
    },
    await authority.issue('DNS:server.example'),
  );
  await using proxy = await startConnectProxy(server.port);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  await using stand = startConnections('https://server.example', { env, caFile: authority.caFile });
  for (const path of ['/1', '/2']) {
    const told = await ask(stand, { target: path });
    assert.deepEqual([told.end, told.body], ['end', `GET ${path} for server.example`], String(told.error));
  }
  const post = await ask(stand, { method: 'POST', target: '/3', body: Buffer.alloc(300_000) });
  assert.equal(post.body, 'POST /3 for server.example');
  // Read piece by piece: each is too much for a turn.
  const connection = await stand.borrow();
  const taker: Collector = new Collector(() => {
    setImmediate(() => connection.resume(taker));
    return true;
  });
  connection.send({ method: 'GET', target: '/large', headers: [], body: null }, taker);
  assert.equal((await taker.told).end, 'end');
  assert.equal(taker.bytes, size);
  assert.deepEqual(proxy.asked, ['CONNECT server.example:443']);
  assert.equal(server.connections.opened, 1);
});

test('a proxy that opens no tunnel is what is told', async () => {
  for (const status of [101, 102, 199, 301, 302, 307, 403]) {
    await using proxy = await startConnectProxy(1, status);
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    await using stand = startConnections('https://server.example', { env });
    const { end, error, unanswered } = await ask(stand);
    assert.deepEqual([end, codesOf(error)[0], unanswered], ['failed', 'network_failed', false]);
    assert.match(String(error), new RegExp(`opened no connection.*${status}`));
  }
});

/** Runs a program beside us, to which a server here can answer whatever becomes of it. @returns what it printed */
async function runBeside(program: string, ...options: string[]): Promise<string> {
  const stand = JSON.stringify(new URL('./start-connections.js', import.meta.url).href);
  const script = `import { ask, Collector, startConnections } from ${stand};\n${program}`;
  const args = [...options, '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 10_000 }).catch((error) =>
    assert.fail(`it did not end within 10 s, and printed: ${error.stdout}${error.stderr}`),
  );
  return stdout;
}

test('a head without end is taken from no proxy, however large Node.js would let it be', async () => {
  let written = 0;
  await using proxy = await startTcp((socket) => {
    const more = (): void => {
      while (written < 600_000 && socket.writable) {
        written += 1_000;
        if (!socket.write(`x-${written}: ${'v'.repeat(1_000)}\r\n`)) return void socket.once('drain', more);
      }
      if (socket.writable) socket.write('\r\n');
    };
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n');
      more();
    });
  });
  const program = `
    const env = { HTTPS_PROXY: ${JSON.stringify(proxy.origin)} };
    const told = await ask(startConnections('https://server.example', { env }));
    console.log(told.error.code);
    process.exit();
  `;
  assert.equal(await runBeside(program, '--max-http-header-size=1000000'), 'too_large\n');
});

test('a proxy that hangs up at once is what is told, and the program goes on', async () => {
  // In a program of its own, in which all is loaded for the first time: until then the connection is gone.
  for (const how of ['destroy', 'end', 'resetAndDestroy'] as const) {
    await using proxy = await startTcp((socket) => void socket[how]());
    const program = `
      const env = { HTTPS_PROXY: ${JSON.stringify(proxy.origin)} };
      const told = await ask(startConnections('https://server.example', { env }));
      console.log(told.error.message);
    `;
    const told = await runBeside(program);
    assert.match(told, /^"server\.example" was not reached: the HTTP proxy "127\.0\.0\.1:\d+" /, how);
  }
});

test('a request that is cut while the proxy or TLS keeps it waiting leaves no connection open', async () => {
  for (const by of ['proxy', 'server'] as const) {
    await using silent = await startTcp((socket) => void socket.resume());
    const env = by === 'proxy' ? { HTTPS_PROXY: silent.origin } : {};
    const origin = by === 'proxy' ? 'https://server.example' : silent.origin.replace('http', 'https');
    const program = `
      import { subscribe } from 'node:diagnostics_channel';
      const stand = startConnections(${JSON.stringify(origin)}, { env: ${JSON.stringify(env)} });
      const connection = await stand.borrow();
      const taker = new Collector();
      subscribe('net.client.socket', ({ socket }) => {
        socket.once('close', () => console.log('closed'));
        const look = () => (socket.bytesWritten > 0 ? connection.cut(taker) : setImmediate(look));
        look();
      });
      connection.send({ method: 'GET', target: '/', headers: [], body: null }, taker);
    `;
    assert.equal(await runBeside(program), 'closed\n', by);
  }
});
