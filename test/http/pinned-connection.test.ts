import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { failureOf, send, testHttp, textOf } from '../support/http.js';
import { allClosed, startHttp } from '../support/http-server.js';

test('the address that was checked is the one connected to: one look-up, none at connect [A-7]', async () => {
  await using server = await startHttp((request, response) => response.end(request.headers.host));
  const answers = [['127.0.0.1'], ['127.0.0.2'], ['10.0.0.1']];
  let asked = 0;
  await using http = testHttp({}, { resolve: async () => answers[asked++] ?? [] });
  const response = await send(http, `http://rebinding.example:${server.port}/`);
  assert.equal(await textOf(response), `rebinding.example:${server.port}`);
  assert.equal(asked, 1);
  assert.equal(response.zone, 'loopback');
});

test('while a connection lives, each request is judged against its addresses [A-6] [A-7]', async () => {
  await using server = await startHttp((_, response) => response.end('secret'));
  await using http = testHttp({ 'inside.example': ['127.0.0.1'] });
  const url = `http://inside.example:${server.port}/`;
  assert.equal(await textOf(await send(http, url)), 'secret');
  await failureOf(send(http, url, { namedBy: 'public' }), 'url_refused');
  await failureOf(send(http, url.replace('http', 'https'), { namedBy: 'private' }), 'address_refused');
  assert.equal(await textOf(await send(http, url, { namedBy: 'loopback' })), 'secret');
  assert.equal(server.requests.length, 2);
  assert.equal(server.connections.opened, 1);
});

test('when no connection is left, the name is looked up and judged anew [A-7]', async () => {
  await using server = await startHttp((_, response) => response.setHeader('connection', 'close').end('ok'));
  const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1', '93.184.215.14']];
  let asked = 0;
  await using http = testHttp({}, { resolve: async () => answers[asked++] ?? [] });
  const url = `http://rebinding.example:${server.port}/`;
  assert.equal(await textOf(await send(http, url)), 'ok');
  await allClosed(server);
  await nextTurn();
  await failureOf(send(http, url), 'url_refused');
  await failureOf(send(http, url), 'url_refused');
  assert.equal(asked, 3);
  assert.equal(server.connections.opened, 1);
});

test('first requests at the same time are each judged by who named them [A-6]', async () => {
  await using server = await startHttp((_, response) => response.end('ok'));
  await using http = testHttp({ 'inside.example': ['127.0.0.1'] });
  const url = `http://inside.example:${server.port}/`;
  const wishes = [{}, { namedBy: 'public' }, { namedBy: 'loopback' }, { namedBy: 'private' }] as const;
  const outcomes = await Promise.all(wishes.map((wish) => send(http, url, wish).catch((error) => error)));
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status ?? outcome.code),
    [200, 'url_refused', 200, 'url_refused'],
  );
  assert.equal(server.requests.length, 2);
});
