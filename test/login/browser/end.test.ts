import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { CallbackListener } from '../../support/product.js';
import { type Reply, underTest } from './listener-under-test.js';

test('[A-81] [A-113] the callback’s own reply comes only with the outcome, and leads to an address without code', async () => {
  for (const [outcome, words] of [
    ['stored', /You are logged in.*close this tab.*do not give it/is],
    ['failed', /did not succeed.*terminal.*do not give it/is],
  ] as const) {
    await using on = await underTest();
    let callback: Reply | undefined;
    const held = on.get(`/callback?code=secret-code&state=${on.state}`).then((reply) => {
      callback = reply;
      return reply;
    });
    await on.answer;
    await on.get('/');
    assert.equal(callback, undefined, 'nothing is said before the outcome is known');
    const finished = on.listener.finish(outcome);
    const { status, headers, body } = await held;
    assert.deepEqual([status, body], [303, '']);
    assert.match(headers['location'] ?? '', /^\/done\/[A-Za-z0-9_-]{43}$/);
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cache-control'], 'no-store');
    const page = await on.get(headers['location'] ?? '');
    assert.equal(page.status, 200);
    assert.match(page.body, words);
    await finished;
    await assert.rejects(on.get('/'), { code: 'ECONNREFUSED' });
  }
});

/** The page on which a login with that outcome ends. */
async function lastPage(...end: Parameters<CallbackListener['finish']>): Promise<string> {
  await using on = await underTest();
  const page = on.callBack('code=x');
  await on.answer;
  await on.listener.finish(...end);
  return (await page).body;
}

test('the last page says which server and which login, as text; a no of the person’s own is no fault', async () => {
  await using on = await underTest();
  const page = on.callBack('code=x');
  await on.answer;
  const evil = '<script>"&\u001b[31m';
  await on.listener.finish('stored', {
    server: `https://a.example/${evil}`,
    name: 'work',
    account: evil,
    identity: evil,
  });
  const { body, headers } = await page;
  assert.match(body, /You are logged in/);
  assert.match(body, /<dt>Server<\/dt><dd>https:\/\/a<wbr>\.example\/<wbr>/);
  assert.match(body, /<dt>Name here<\/dt><dd>work<\/dd>/);
  assert.match(body, /<dt>Signed in as<\/dt>/);
  assert.doesNotMatch(body, /<script/);
  assert.ok(!body.includes('\u001b'));
  assert.match(headers['content-security-policy'] ?? '', /default-src 'none'/);
  const plain = await lastPage('stored', { server: 's', account: 'default' });
  assert.doesNotMatch(plain, /Account|Name here|Signed|provider/);
  const atProvider = { server: 'https://idp.example', account: 'default', isProvider: true };
  assert.match(await lastPage('stored', atProvider), /<dt>Company’s provider<\/dt><dd>https:/);
  assert.match(await lastPage('declined'), /<body class="plain">[\s\S]*You declined; nothing was stored/);
});

test('[A-93] [A-112] the same callback again: one answer in all, and both tabs end on the same page', async () => {
  await using on = await underTest();
  const first = on.callBack('code=first');
  assert.equal((await on.answer)[0]?.[1], 'first');
  const second = on.callBack('code=second');
  await on.get('/');
  assert.deepEqual(await on.listener.response, [
    ['code', 'first'],
    ['state', on.state],
  ]);
  await on.listener.finish('stored');
  const pages = await Promise.all([first, second]);
  assert.deepEqual(
    pages.map(({ status }) => status),
    [200, 200],
  );
  assert.equal(pages[0].body, pages[1].body);
});

test('[A-95] no byte of a request is in any reply, and no page has a script or loads anything', async () => {
  await using on = await underTest();
  const evil =
    'error=%3Cscript%3Ealert(1)%3C/script%3E&error_uri=javascript:alert(1)&error_description=%1B]0;x%07zebra';
  for (const target of [`/callback?${evil}`, `/callback?${evil}&state=zebra`, `/zebra?${evil}`]) {
    const { body, headers } = await on.get(target, { 'X-Zebra': 'zebra', Referer: 'http://zebra.example/' });
    const reply = body + JSON.stringify(headers);
    assert.doesNotMatch(reply, /zebra|alert|javascript/);
    assert.ok(!reply.includes('\x1b'));
  }
  const page = on.callBack(evil);
  await on.answer;
  await on.listener.finish('failed');
  const { body } = await page;
  assert.equal(body, await lastPage('failed'));
  await using other = await underTest();
  const link = new URL(other.link).pathname;
  const ours = [await other.get('/'), await other.get(link), await other.get(link)].map((reply) => reply.body);
  const named = await lastPage('stored', { server: 's', name: 'n', account: 'a', identity: 'i' });
  for (const html of [body, ...ours, named, await lastPage('declined'), await lastPage('stored')]) {
    assert.doesNotMatch(html, /<script|<link|<img|<iframe|\son\w+=|\sstyle=|url\(|@import|src=|href=/i);
  }
});

test('[A-95] [A-114] every page forbids scripts, frames, sniffing, caching and being opened by others', async () => {
  await using on = await underTest();
  const link = new URL(on.link).pathname;
  const replies = [await on.get('/'), await on.get(link), await on.get(link), await on.get('/callback?state=x')];
  for (const { headers } of replies) {
    const policy = headers['content-security-policy'] ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|script-src|http/);
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['access-control-allow-origin'], undefined);
  }
});

test('[A-104] [A-111] the end leaves no connection, half-open ones included, and no listener', async () => {
  for (const end of ['finish', 'dispose'] as const) {
    await using on = await underTest();
    const sockets = ['', 'GET /callback HTTP/1.1\r\nHost: ', `GET / HTTP/1.1\r\nHost: 127.0.0.1:${on.port}\r\n`].map(
      (text) => {
        const socket = connect(on.port, '127.0.0.1', () => socket.write(text));
        return socket.resume().on('error', () => {});
      },
    );
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    await on.get('/');
    const closed = Promise.all(sockets.map((socket) => once(socket, 'close')));
    await (end === 'finish' ? on.listener.finish('failed') : on.listener[Symbol.asyncDispose]());
    await closed;
    await assert.rejects(on.get('/'), { code: 'ECONNREFUSED' });
    await assert.rejects(on.answer, /closed/);
  }
});

test('a browser is not held for ever, nor the program by a browser that leaves', async () => {
  await using on = await underTest({ holdMs: 50, lingerMs: 50 });
  const page = await on.callBack('code=x');
  assert.match(page.body, /not finished yet/);
  await on.listener.finish('stored');

  await using other = await underTest({ lingerMs: 600_000 });
  const gone = connect(other.port, '127.0.0.1').on('error', () => {});
  gone.write(`GET /callback?code=x&state=${other.state} HTTP/1.1\r\nHost: 127.0.0.1:${other.port}\r\n\r\n`);
  await other.answer;
  gone.destroy();
  await once(gone, 'close');
  for (let each = 0; each < 3; each += 1) await other.get('/');
  await other.listener.finish('stored');
});
