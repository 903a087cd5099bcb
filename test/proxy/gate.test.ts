import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { startHttp } from '../support/http-server.js';
import { ask, mountOf, openStand, raw, type Stand } from './stand.js';

/** A stand before a server that answers everything. */
async function stand(change: Parameters<typeof openStand>[1] = {}) {
  const server = await startHttp((_, response) => void response.end('reached'));
  const opened = await openStand(mountOf(`${server.origin}/mcp`), change);
  return {
    ...opened,
    server,
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

/** A request as bytes; the lines in order, none added. */
const bytes = (line: string, ...headers: string[]) => `${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`;

test('a name that was rebound to 127.0.0.1 gets nowhere, nor two names at once [A-209]', async () => {
  await using s = await stand();
  const own = `127.0.0.1:${s.port}`;
  const hosts = [
    [`Host: evil.example:${s.port}`],
    ['Host: evil.example'],
    [`Host: 127.0.0.1:${s.port}.evil.example`],
    ['Host: 127.0.0.1'],
    [`Host: 127.0.0.1:${s.port + 1}`],
    [`Host: [::1]:${s.port}`],
    [`Host: 0.0.0.0:${s.port}`],
    [`Host: 2130706433:${s.port}`],
    [`Host: ${own}`, `Host: ${own}`],
    [`Host: ${own}`, 'Host: evil.example'],
    ['Host:'],
  ];
  for (const host of hosts) {
    const answer = await raw(s.port, bytes(`GET ${s.at()} HTTP/1.1`, ...host));
    assert.equal(statusOf(answer), 421, `${host}: ${answer}`);
  }
  assert.equal(statusOf(await raw(s.port, bytes(`GET ${s.at()} HTTP/1.1`))), 400, 'none at all');
  assert.deepEqual(s.server.requests, []);
  for (const host of [own, `localhost:${s.port}`]) {
    assert.match(await raw(s.port, bytes(`GET ${s.at()} HTTP/1.1`, `Host: ${host}`)), /reached/);
  }
});

test('web pages are refused, whatever origin they name, and are told nothing by CORS [A-210] [A-211] [A-212]', async () => {
  await using s = await stand();
  const headers: readonly Record<string, string | string[]>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1.evil' },
    { origin: 'http://localhost:9999' },
    { origin: `http://127.0.0.1:${s.port}` },
    { origin: 'HTTP://LOCALHOST' },
    { origin: ['http://a.example', 'http://b.example'] },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'same-origin' },
  ];
  for (const each of headers) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const preflight = { 'access-control-request-method': 'POST', 'content-type': 'text/plain' };
      const answer = await ask(s, s.at(), { method, headers: { ...each, ...preflight } });
      assert.deepEqual([answer.status, answer.code], [403, 'cross_site'], JSON.stringify(each));
      assert.ok(!Object.keys(answer.headers).some((name) => name.startsWith('access-control-')));
    }
  }
  assert.deepEqual(s.server.requests, []);
});

test('without the key, with a wrong one, a part of it, or in another place: 401, and it is not said which [A-213] [A-214]', async () => {
  await using s = await stand();
  const wrong = `${s.key.slice(0, -1)}${s.key.endsWith('A') ? 'B' : 'A'}`;
  const paths = ['/m', '/', '/x', `/${wrong}/m`, `/${s.key.slice(0, -1)}/m`, `/${s.key}x/m`, `/m?key=${s.key}`];
  paths.push(`/m/${s.key}`, `/x/${s.key}/m`, `/${'a'.repeat(8_000)}/m`, `/${encodeURIComponent(`%${s.key}`)}/m`);
  const bodies = new Set<string>();
  for (const path of paths) {
    const answer = await ask(s, path);
    assert.deepEqual([answer.status, answer.code], [401, 'key_needed'], path);
    assert.equal(answer.headers['www-authenticate'], undefined);
    bodies.add(answer.body.replace(/"r\d+"/, ''));
  }
  for (const keys of [wrong, '', s.key.toLowerCase(), [s.key, s.key], [wrong, s.key]]) {
    assert.equal((await ask(s, '/m', { headers: { 'postern-key': keys } })).code, 'key_needed', String(keys));
  }
  assert.equal(bodies.size, 1);
  assert.deepEqual(s.server.requests, []);
  const right = await ask(s, '/m/x', { headers: { 'postern-key': s.key } });
  assert.equal(right.body, 'reached');
  assert.ok(s.key.length * 6 >= 128);
  await using other = await stand();
  assert.notEqual(other.key, s.key, 'each start has its own [A-232]');
});

test('only a path of the mount is a target: no other form, no tunnel, no upgrade [A-218] [A-219] [A-220]', async () => {
  await using s = await stand();
  const host = `Host: 127.0.0.1:${s.port}`;
  const lines: readonly (readonly [line: string, ...statuses: number[]])[] = [
    ['GET http://evil.example/ HTTP/1.1', 400],
    [`GET http://127.0.0.1:${s.port}${s.at()} HTTP/1.1`, 400],
    [`GET //evil.example${s.at()} HTTP/1.1`, 400],
    ['GET /\\evil.example/x HTTP/1.1', 400],
    [`GET ${s.at('\\evil')} HTTP/1.1`, 400],
    [`GET ${s.at('@evil.example')} HTTP/1.1`, 404],
    [`GET ${s.at('.evil.example')} HTTP/1.1`, 404],
    [`GET ${s.at(':80@evil.example')} HTTP/1.1`, 404],
    [`GET ${s.at('/../admin')} HTTP/1.1`, 400],
    [`GET ${s.at('/%2e%2e/admin')} HTTP/1.1`, 400],
    [`GET ${s.at('/%252e%252e/admin')} HTTP/1.1`, 400],
    [`GET ${s.at('/..%2fadmin')} HTTP/1.1`, 400],
    [`GET ${s.at('/..%252fadmin')} HTTP/1.1`, 400],
    [`GET ${s.at('/..;/admin')} HTTP/1.1`, 400],
    [`GET ${s.at('/a%00')} HTTP/1.1`, 400],
    [`GET ${s.at('/\xe9')} HTTP/1.1`, 400],
    [`GET ${s.at('/a#b')} HTTP/1.1`, 400],
    [`GET /${s.key}/../${s.key}/m HTTP/1.1`, 404],
    ['OPTIONS * HTTP/1.1', 400],
    ['CONNECT evil.example:443 HTTP/1.1', 405],
    [`TRACE ${s.at()} HTTP/1.1`, 405],
    ['PRI * HTTP/2.0', 400],
    [`NOPE ${s.at()} HTTP/1.1`, 405],
    [`PROPFIND ${s.at()} HTTP/1.1`, 405],
    [`M-SEARCH ${s.at()} HTTP/1.1`, 405],
    [`get ${s.at()} HTTP/1.1`, 405],
    [`GET ${s.at()} HTTP/1.0`, 505],
    [`GET ${s.at()} HTTP/2.0`, 400, 505],
    [`GET ${s.at()}`, 400, 505],
  ];
  for (const [line, ...statuses] of lines) {
    const answer = await raw(s.port, bytes(line, host));
    assert.ok(statuses.includes(statusOf(answer)), `${line}: ${answer}`);
  }
  const refused = await raw(s.port, bytes(`PROPFIND ${s.at()} HTTP/1.1`, host));
  assert.match(refused, /^HTTP\/1\.1 405 .*\r\nAllow: GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH\r\n/);
  const upgrade = bytes(`GET ${s.at()} HTTP/1.1`, host, 'Upgrade: websocket').replace('close', 'Upgrade');
  assert.equal(statusOf(await raw(s.port, upgrade)), 400);
  assert.deepEqual(s.server.requests, []);
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    assert.equal((await ask(s, s.at(), { method })).body, 'reached', method);
  }
});

test('too many or too long headers, and a second session, are refused whole [A-221]', async () => {
  await using s = await stand();
  const start = [`GET ${s.at()} HTTP/1.1`, `Host: 127.0.0.1:${s.port}`] as const;
  const send = (...lines: string[]) => raw(s.port, bytes(...start, ...lines)).then(statusOf);
  assert.equal(await send(...Array.from({ length: 1_100 }, (_, at) => `a${at}: 1`)), 431);
  assert.equal(await send(...Array.from({ length: 199 }, (_, at) => `a${at}: 1`)), 431);
  assert.equal(await send(`x: ${'a'.repeat(17_000)}`), 431);
  assert.equal(await send('Mcp-Session-Id: a', 'Mcp-Session-Id: b'), 400);
  assert.equal(await send('x y: 1'), 400);
  assert.equal(await send('x: a\rb'), 400);
  assert.equal(await send('x: a\0b'), 400);
  assert.deepEqual(s.server.requests, []);
  assert.equal(await send('x: caf\xe9'), 200, 'bytes above ASCII are no danger');
});

test('it listens on 127.0.0.1 and on no other address of this machine [A-231]', async () => {
  await using s: Stand & AsyncDisposable = await stand();
  const others = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const addresses = ['127.0.0.2', '::1', ...others.filter(({ internal }) => !internal).map((each) => each.address)];
  for (const address of addresses.filter((each) => !each.startsWith('fe80'))) {
    const refused = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: address, port: s.port });
      socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
      socket.once('connect', () => socket.destroy());
    });
    assert.ok(refused, address);
  }
});
