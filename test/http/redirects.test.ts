import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCanaries } from '../support/canary.js';
import { everythingIn, failureOf, send, testHttp, textOf } from '../support/http.js';
import { startHttp } from '../support/http-server.js';

const redirecting = (status: number, location: () => string) =>
  startHttp((request, response) => {
    if (request.url?.startsWith('/start')) response.writeHead(status, { location: location() }).end('moved');
    else response.end(`arrived at ${request.url}`);
  });

test('a GET that may is redirected within its origin, relative references too', async () => {
  const places = ['/next', './next?a=1', 'next/', '/next#fragment', '../a/../next', 'HTTP://127.0.0.1:PORT/next'];
  for (const status of [301, 302, 303, 307, 308]) {
    for (const place of places) {
      await using server = await redirecting(status, () => place.replace('PORT', String(server.port)));
      await using http = testHttp();
      const response = await send(http, `${server.origin}/start`, { redirects: 'same-origin' });
      const path = place.includes('?') ? '/next?a=1' : place === 'next/' ? '/next/' : '/next';
      assert.equal(response.url, server.origin + path);
      assert.equal(await textOf(response), `arrived at ${path}`);
      assert.equal(server.connections.opened, 1);
    }
  }
});

test('more than three hops, a ring, a place that changes its query: refused [A-255]', async () => {
  let count = 0;
  await using server = await startHttp((request, response) => {
    count += 1;
    const hops = Number(/^\/chain\/([0-9]+)/.exec(request.url ?? '')?.[1] ?? 99);
    if (hops === 0) response.end('end');
    else if (hops < 99) response.writeHead(302, { location: `/chain/${hops - 1}` }).end();
    else if (count > 9) response.end('out of the ring');
    else response.writeHead(302, { location: `/ring?${count}` }).end();
  });
  await using http = testHttp();
  const wish = { redirects: 'same-origin' } as const;
  assert.equal(await textOf(await send(http, `${server.origin}/chain/3`, wish)), 'end');
  for (const path of ['/chain/4', '/ring', '/chain/50']) {
    count = 0;
    await failureOf(send(http, `${server.origin}${path}`, wish), 'redirect_refused');
    assert.equal(count, 4);
  }
});

test('a redirect out of the origin is refused, and nobody else hears of it [A-8] [A-153] [A-155] [A-156]', async () => {
  await using canaries = await startCanaries();
  const port = canaries.ports['127.0.0.1'];
  let location = '';
  await using server = await redirecting(307, () => location);
  await using http = testHttp({ 'evil.example': ['127.0.0.1'] });
  const own = server.port;
  const elsewhere = [
    `http://127.0.0.1:${port}/`,
    `http://127.0.0.2:${canaries.ports['127.0.0.2']}/`,
    `http://[::1]:${canaries.ports['::1']}/`,
    `//127.0.0.1:${port}/`,
    `/\\127.0.0.1:${port}/`,
    `http://evil.example:${port}/`,
    `http://user:pw@127.0.0.1:${own}/next`,
    `https://127.0.0.1:${port}/`,
    `http://localhost:${own}/next`,
    `http://127.0.0.1.:${own}/next`,
    `http:127.0.0.1:${port}/`,
    `http://127.0.0.1:${own}@127.0.0.1:${port}/`,
    'file:///etc/passwd',
    'http://169.254.169.254/latest',
  ];
  for (const place of elsewhere) {
    location = place;
    const headers = [['authorization', 'Bearer CANARY']] as const;
    const request = send(http, `${server.origin}/start?code=CANARY`, { redirects: 'same-origin', headers });
    const outcome = await request.catch((error) => error);
    assert.equal(outcome.code, 'redirect_refused', place);
    assert.doesNotMatch(everythingIn(outcome), /CANARY/);
  }
  assert.deepEqual(canaries.visits, []);
});

test('a body is never sent again: every redirect of a POST is refused [A-54] [A-126]', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    for (const redirects of ['refuse', 'same-origin'] as const) {
      await using canaries = await startCanaries();
      const places = ['/next', `http://127.0.0.1:${canaries.ports['127.0.0.1']}/token`];
      for (const place of places) {
        await using server = await redirecting(status, () => place);
        await using http = testHttp();
        const wish = { method: 'POST', body: 'refresh_token=CANARY', redirects };
        const failure = await failureOf(send(http, `${server.origin}/start`, wish), 'redirect_refused');
        assert.equal(failure.exit, 5);
        assert.doesNotMatch(everythingIn(failure), /CANARY/);
        assert.deepEqual(server.requests, ['POST /start']);
      }
      assert.deepEqual(canaries.visits, []);
    }
  }
});

test('a request for one address only is redirected nowhere, though it is a GET within its origin [A-153]', async () => {
  await using server = await redirecting(302, () => '/next');
  await using http = testHttp();
  await failureOf(send(http, `${server.origin}/start`, { redirects: 'refuse' }), 'redirect_refused');
  assert.deepEqual(server.requests, ['GET /start']);
});

test('a redirect that is only reported is an answer like any other [A-153]', async () => {
  await using server = await redirecting(302, () => 'https://evil.example/');
  await using http = testHttp();
  const response = await send(http, `${server.origin}/start`, { redirects: 'report' });
  assert.equal(response.status, 302);
  assert.ok(response.headers.some(([name, value]) => name === 'location' && value === 'https://evil.example/'));
  assert.equal(await textOf(response), 'moved');
  assert.deepEqual(http.asked, []);
});

test('what a redirect says beside one plain place is refused; 300 and 304 are no redirects', async () => {
  await using server = await startHttp((request, response) => {
    if (request.url === '/none') response.writeHead(302).end();
    else if (request.url === '/two') response.writeHead(302, ['location', '/a', 'location', '/b']).end();
    else response.writeHead(Number(request.url?.slice(1)), { location: '/a' }).end();
  });
  await using http = testHttp();
  for (const path of ['/none', '/two']) {
    await failureOf(send(http, server.origin + path, { redirects: 'same-origin' }), 'redirect_refused');
  }
  for (const status of [300, 304]) {
    const response = await send(http, `${server.origin}/${status}`, { redirects: 'refuse' });
    assert.equal(response.status, status);
  }
  assert.deepEqual(server.requests, ['GET /none', 'GET /two', 'GET /300', 'GET /304']);
});

test('a redirect whose body does not end is followed all the same, and its connection is let go', async () => {
  await using server = await startHttp((request, response) => {
    if (request.url !== '/start') return void response.end('arrived');
    response.writeHead(302, { location: '/next' }).write('moved, and more to come');
  });
  await using http = testHttp();
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('the redirect was not followed within 10 s')), 10_000).unref();
  });
  const asked = send(http, `${server.origin}/start`, { redirects: 'same-origin' });
  assert.equal(await textOf(await Promise.race([asked, late])), 'arrived');
  assert.equal(server.connections.opened, 2);
});
