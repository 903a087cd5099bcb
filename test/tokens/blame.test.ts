import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../support/free-port.js';
import { failureOf, send, testHttp } from '../support/http.js';
import { startHttp } from '../support/http-server.js';

test('a host that a server named, and that is not there, is blamed on the server and not on the person’s spelling', async () => {
  await using http = testHttp({ 'mcp.example': ['127.0.0.1'] });
  const port = await freePort();
  const url = 'https://evil.invalid/token';
  const theirs = await failureOf(send(http, url, { namedBy: 'public' }), 'network_failed');
  assert.match(
    theirs.message,
    /^The server sends logins to "evil\.invalid:443", which cannot be found: .* \(ENOTFOUND\)\.$/,
  );
  assert.match(theirs.remedy, /report it to the server’s operator/);
  const own = await failureOf(send(http, url), 'network_failed');
  assert.match(own.message, /^"evil\.invalid:443" cannot be found/);
  assert.match(own.remedy, /Check the spelling/);
  const refused = await failureOf(send(http, `http://127.0.0.1:${port}/a`, { namedBy: 'loopback' }), 'network_failed');
  assert.match(refused.message, /^The server sends logins to "127\.0\.0\.1:\d+", which refuses connections/);
});

test('what a server names on the host that the person named is told like the person’s own', async () => {
  await using server = await startHttp((_request, response) => response.end('ok'));
  await using http = testHttp();
  await (await send(http, server.origin)).bytes();
  await server[Symbol.asyncDispose]();
  const failure = await failureOf(send(http, `${server.origin}/a`, { namedBy: 'loopback' }), 'network_failed');
  assert.match(failure.message, /^"127\.0\.0\.1:\d+" /);
});
