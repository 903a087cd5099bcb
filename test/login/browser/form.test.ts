import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendRaw, statusOf, underTest } from './listener-under-test.js';

test('[A-97] [A-98] only one Host, equal to the bound address, and a target in origin form are served', async () => {
  await using on = await underTest();
  const { port } = on;
  const answer = `/callback?code=stolen&state=${on.state}`;
  const host = `Host: 127.0.0.1:${port}`;
  const requests: readonly (readonly [why: string, head: string])[] = [
    ['rebound name', `GET ${answer} HTTP/1.1\r\nHost: evil.example:${port}`],
    ['localhost', `GET ${answer} HTTP/1.1\r\nHost: localhost:${port}`],
    ['no port', `GET ${answer} HTTP/1.1\r\nHost: 127.0.0.1`],
    ['other spelling', `GET ${answer} HTTP/1.1\r\nHost: 127.1:${port}`],
    ['user name', `GET ${answer} HTTP/1.1\r\nHost: x@127.0.0.1:${port}`],
    ['two Hosts, ours first', `GET ${answer} HTTP/1.1\r\n${host}\r\nHost: evil.example`],
    ['two Hosts, ours twice', `GET ${answer} HTTP/1.1\r\n${host}\r\nhost: 127.0.0.1:${port}`],
    ['no Host', `GET ${answer} HTTP/1.1\r\nAccept: */*`],
    ['HTTP/1.0 without Host', `GET ${answer} HTTP/1.0\r\nAccept: */*`],
    ['absolute form', `GET http://127.0.0.1:${port}${answer} HTTP/1.1\r\n${host}`],
    ['network path', `GET //evil${answer} HTTP/1.1\r\n${host}`],
    ['asterisk', `GET * HTTP/1.1\r\n${host}`],
    ['raw high bytes', `GET ${answer}&x=\xe9 HTTP/1.1\r\n${host}`],
    ['space before colon', `GET ${answer} HTTP/1.1\r\nHost : 127.0.0.1:${port}`],
    ['no HTTP at all', 'hello'],
  ];
  for (const [why, head] of requests) {
    assert.equal(statusOf(await sendRaw(port, `${head}\r\n\r\n`)), 400, why);
    assert.ok(on.isWaiting(), why);
  }
});

test('[A-100] [A-71] any other method is 405 and consumes neither the answer nor the link', async () => {
  await using on = await underTest();
  const { port } = on;
  const link = new URL(on.link).pathname;
  for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE']) {
    for (const target of [`/callback?code=x&state=${on.state}`, link]) {
      const reply = await sendRaw(
        port,
        `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: null\r\n\r\n`,
      );
      assert.equal(statusOf(reply), 405, method);
      assert.match(reply, /\r\nAllow: GET\r\n/);
      assert.doesNotMatch(reply, /access-control-/i);
    }
  }
  assert.ok(on.isWaiting());
  assert.equal((await on.get(link)).status, 303, 'the link is still fresh');
});

test('[A-100] CONNECT and Upgrade get their connection ended, nothing else', async () => {
  await using on = await underTest();
  const { port } = on;
  const host = `Host: 127.0.0.1:${port}`;
  assert.equal(await sendRaw(port, `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${host}\r\n\r\n`), '');
  const upgrade = `GET /callback?state=${on.state} HTTP/1.1\r\n${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
  assert.equal(await sendRaw(port, upgrade), '');
  assert.ok(on.isWaiting());
});

test('[A-99] other paths tell nothing, lead nowhere and do not end the wait', async () => {
  await using on = await underTest();
  const query = `?code=x&state=${on.state}`;
  const targets = [
    `/${query}`,
    '/',
    '/favicon.ico',
    '/robots.txt',
    `/callback/${query}`,
    `/CALLBACK${query}`,
    `/%63allback${query}`,
    `/callback/../x${query}`,
    `/x/../callback${query}`,
    '/callback?next=https://evil.example',
    '/go',
    '/go/',
    '/done/',
    `${new URL(on.link).pathname}?x=1`,
    `${new URL(on.link).pathname}/`,
  ];
  for (const target of targets) {
    const reply = await on.get(target);
    assert.ok(reply.status === 404 || reply.status === 400, `${target}: ${reply.status}`);
    assert.equal(reply.headers['location'], undefined);
    assert.match(reply.body, /Nothing to see here/);
  }
  assert.ok(on.isWaiting());
});

test('[A-101] [A-71] what the browser marks as no page visit is refused, with the right state and link too', async () => {
  await using on = await underTest();
  const marks: readonly Readonly<Record<string, string>>[] = [
    { 'Sec-Fetch-Dest': 'image', 'Sec-Fetch-Mode': 'no-cors' },
    { 'Sec-Fetch-Mode': 'cors' },
    { 'Sec-Fetch-Mode': 'no-cors' },
    { 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Mode': 'navigate' },
    { 'Sec-Fetch-Dest': 'empty' },
    { 'Sec-Purpose': 'prefetch;prerender' },
    { Purpose: 'prefetch' },
  ];
  for (const headers of marks) {
    for (const target of [`/callback?code=x&state=${on.state}`, new URL(on.link).pathname]) {
      assert.equal((await on.get(target, headers)).status, 400, JSON.stringify(headers));
    }
  }
  assert.ok(on.isWaiting());
  const visit = { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'cross-site' };
  assert.equal((await on.get(new URL(on.link).pathname, visit)).status, 303);
});
