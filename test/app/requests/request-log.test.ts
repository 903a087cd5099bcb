import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loggedJson, loggedLine } from '../../../src/app/requests/logged-request.js';
import { logWire, requestPrinter } from '../../../src/app/requests/request-log.js';
import { holdSecret, redact } from '../../../src/core/secret.js';
import { plainLook } from '../../../src/core/text/look.js';
import type { Wire, WireRequest, WireWatcher } from '../../../src/mcp/wire.js';
import { failureOf, send, testHttp } from '../../support/http.js';
import { startHttp } from '../../support/http-server.js';
import { findSecrets } from '../../support/secrets-search.js';

/** What the person, the login and the server keep to themselves. */
const secrets = {
  token: 'canary-token-0123456789',
  key: 'canary-key-of-a-person-01',
  cookie: 'canary-cookie-0123456789',
  session: 'canary-session-0123456789',
  code: 'canary-code-0123456789',
  query: 'canary-query-0123456789',
};

/** A client whose requests are printed, as the program joins it, and what it printed. */
function printingHttp(json: boolean) {
  const lines: string[] = [];
  const show = (line: string) => void lines.push(redact(line));
  holdSecret(secrets.token);
  return { lines, http: testHttp({}, { observe: requestPrinter({ show, json }) }) };
}

/** Says every secret in every place that a response has. */
const echo = () =>
  startHttp((request, response) => {
    const { token, cookie, session, code } = secrets;
    response.writeHead(401, {
      'set-cookie': [`sid=${cookie}`, `other=${cookie}`],
      'mcp-session-id': session,
      'x-session': session,
      'www-authenticate': `Bearer error="invalid_token", error_description="not ${token}", resource_metadata="https://a.example/m"`,
      location: `https://a.example/callback?code=${code}&state=x`,
      'content-type': 'text/plain',
      link: `<https://a.example/?code=${code}>`,
    });
    response.end(String(request.headers.authorization));
  });

for (const json of [false, true]) {
  test(`each request that leaves is printed, and no secret of it in any encoding: ${json ? 'JSON' : 'lines'} [A-252]`, async () => {
    await using server = await echo();
    const { http, lines } = printingHttp(json);
    await using _http = http;
    const { token, key, cookie, session, query } = secrets;
    const response = await send(http, `${server.origin}/mcp?key=${query}`, {
      method: 'POST',
      body: `code=${secrets.code}`,
      headers: [
        ['Authorization', `Bearer ${token}`],
        ['X-Api-Key', key],
        ['Cookie', `sid=${cookie}`],
        ['Mcp-Session-Id', session],
        ['Mcp-Name', `file:///notes?key=${query}`],
        ['Content-Type', 'application/x-www-form-urlencoded'],
      ],
    });
    assert.equal(response.status, 401);
    await response.bytes();
    const text = lines.join('\n');
    assert.deepEqual(await findSecrets(secrets, { folders: [], texts: { text } }), []);
    if (json) {
      assert.equal(lines.length, 1);
      const { request } = JSON.parse(lines[0] ?? '');
      assert.deepEqual([request.method, request.status, request.error], ['POST', 401, null]);
      assert.equal(request.url, `${server.origin}/mcp?…`);
      assert.ok(Number.isInteger(request.milliseconds));
      assert.deepEqual(
        request.requestHeaders.filter(({ name }: { name: string }) => name === 'Authorization'),
        [{ name: 'Authorization', value: '***' }],
      );
    } else {
      assert.match(lines[0] ?? '', /^request {2}POST http:\/\/127\.0\.0\.1:\d+\/mcp\?… {2}401 {2}\d+ ms$/);
      assert.match(text, /^ {9}> Authorization: \*\*\*$/m);
      assert.match(text, /^ {9}> X-Api-Key: \*\*\*$/m);
      assert.match(text, /^ {9}> Mcp-Name: file:\/\/\/notes\?…$/m);
      assert.match(text, /^ {9}> Content-Type: application\/x-www-form-urlencoded$/m);
      assert.match(text, /^ {9}< set-cookie: \*\*\*$/m);
      assert.match(text, /^ {9}< mcp-session-id: \*\*\*$/m);
      assert.match(text, /^ {9}< location: https:\/\/a\.example\/callback\?…$/m);
      assert.match(
        text,
        /^ {9}< www-authenticate: Bearer error="invalid_token", error_description="not \*\*\*", resource/m,
      );
    }
  });
}

test('a redirect that is followed is a request of its own, and one without a response says why there is none', async () => {
  await using server = await startHttp((request, response) => {
    if (request.url === '/a') response.writeHead(302, { location: '/b' }).end();
    else if (request.url === '/b') response.end('ok');
    else request.socket.destroy();
  });
  const { http, lines } = printingHttp(false);
  await using _http = http;
  const first = (await send(http, `${server.origin}/a`, { redirects: 'same-origin' })).bytes();
  await first;
  await failureOf(send(http, `${server.origin}/c`, { method: 'POST' }), 'network_failed');
  const told = lines.filter((line) => line.startsWith('request'));
  assert.match(told[0] ?? '', /GET \S+\/a {2}302 {2}\d+ ms$/);
  assert.match(told[1] ?? '', /GET \S+\/b {2}200 {2}\d+ ms$/);
  assert.match(told[2] ?? '', /POST \S+\/c {2}no response \(network failed\) {2}\d+ ms$/);
  assert.equal(told.length, 3);
});

test('what a server writes into its headers steers no terminal and forges no line [A-243]', () => {
  const lines: string[] = [];
  const show = (line: string) => void lines.push(line);
  const hostile = '\u001b[2J\n pass\u202e';
  requestPrinter({ show, json: false })({
    method: 'GET',
    url: `https://a.example/${hostile}`,
    headers: ['accept', hostile],
    ms: 1,
    response: {
      status: 200,
      headers: [
        [hostile, 'x'],
        ['server', hostile],
      ],
    },
    error: undefined,
  });
  assert.equal(lines.length, 4);
  for (const line of lines) assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u);
});

test('of what passes through a line is printed, once a request, and everything is passed on', () => {
  const lines: string[] = [];
  const told: unknown[][] = [];
  const watchers: WireWatcher[] = [];
  const wire: Wire & AsyncDisposable = {
    send: (_request, watcher) => {
      watchers.push(watcher);
      return { pause: () => undefined, resume: () => undefined, abort: () => undefined };
    },
    cut: (reason) => void told.push(['cut', reason]),
    [Symbol.asyncDispose]: async () => void told.push(['closed']),
  };
  const logged = logWire(wire, { show: (line) => void lines.push(line) });
  const request: WireRequest = {
    method: 'POST',
    url: `https://a.example/mcp?key=${secrets.query}`,
    headers: [['authorization', `Bearer ${secrets.token}`]],
    body: undefined,
    lasting: true,
    headersMs: 1,
  };
  const watcher: WireWatcher = {
    head: (status) => void told.push(['head', status]),
    data: (chunk) => void told.push(['data', chunk.length]),
    end: () => void told.push(['end']),
    failed: (error, unanswered) => void told.push(['failed', error, unanswered]),
  };
  logged.send(request, watcher);
  logged.send(request, watcher);
  watchers[0]?.head(200, () => []);
  watchers[0]?.data(new Uint8Array(3));
  watchers[0]?.failed('broken off', false);
  watchers[1]?.failed(new Error('fault'), true);
  logged.cut('over');
  assert.deepEqual(
    told.map((one) => one[0]),
    ['head', 'data', 'failed', 'failed', 'cut'],
  );
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /^request {2}POST https:\/\/a\.example\/mcp\?… {2}200 {2}\d+ ms$/);
  assert.match(lines[1] ?? '', /no response \(fault\)/);
});

test('what a server of ours was asked is one line: time, method, status, path, milliseconds, program', () => {
  const at = new Date(2026, 10, 23, 14, 3, 22).getTime();
  const request = {
    at,
    method: 'POST',
    what: '/work/a?…',
    status: '200',
    ms: 12.4,
    program: 'curl/8.5.0 (x)\u001b[2J',
  };
  assert.equal(loggedLine(request, plainLook), '14:03:22  POST  200  /work/a?…  12 ms  curl/8.5.0');
  assert.deepEqual(loggedJson(request), {
    time: new Date(at).toISOString(),
    method: 'POST',
    path: '/work/a?…',
    status: 200,
    milliseconds: 12,
    program: 'curl/8.5.0',
  });
  const left = { ...request, what: '\u001b[2J\nx', status: 'left', ms: undefined, program: undefined };
  assert.equal(loggedLine(left, plainLook), '14:03:22  POST  left  \\x1b[2J\\x0ax');
  assert.equal(loggedJson(left).status, null);
});
