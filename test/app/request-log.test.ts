import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loggedJson, loggedLine, requestPrinter } from '../../src/app/request-log.js';
import { plainLook } from '../../src/core/text/look.js';
import { failureOf, send, testHttp } from '../support/http.js';
import { startHttp } from '../support/http-server.js';

/** A client whose requests are printed, as the program joins it, and what it printed. */
function printingHttp() {
  const lines: string[] = [];
  const show = (line: string) => void lines.push(line);
  return { lines, http: testHttp({}, { observe: requestPrinter({ show, json: false }).observe }) };
}

test('a redirect that is followed is a request of its own, and one without a response says why there is none', async () => {
  await using server = await startHttp((request, response) => {
    if (request.url === '/a') response.writeHead(302, { location: '/b' }).end();
    else if (request.url === '/b') response.end('ok');
    else request.socket.destroy();
  });
  const { http, lines } = printingHttp();
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

test('what a server of ours was asked is one line or one object, and nothing in it is ours that is not', () => {
  const at = new Date(2026, 10, 23, 14, 3, 22).getTime();
  const asked = { at, method: 'POST', what: '/work/a?…', status: '200', ms: 12.4, program: 'curl/8.5.0 (x)\u001b[2J' };
  const { time, milliseconds, program } = loggedJson(asked);
  assert.deepEqual([time, milliseconds, program], [new Date(at).toISOString(), 12, 'curl/8.5.0']);
  const left = { ...asked, what: '\u001b[2J\nx', status: 'left', ms: undefined, program: undefined };
  assert.match(loggedLine(left, plainLook), /POST +left +\\x1b\[2J\\x0ax$/);
  assert.equal(loggedJson(left).status, null);
});
