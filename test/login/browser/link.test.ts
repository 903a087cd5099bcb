import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { usualRedirectUri } from '../../../src/core/configuration/redirect-uri.js';
import { listenForCallback } from '../../../src/login/browser/callback-listener.js';
import { isOfOtherUser } from '../../../src/login/browser/one-time-link.js';
import { needs } from '../../support/needs.js';
import { type CallbackListener, Secret } from '../../support/product.js';
import { authorizationUrl, getFrom, type Reply, underTest } from './listener-under-test.js';

test('[A-65] [A-71] the link is ours, unguessable, and sends the browser on without trace', async () => {
  await using on = await underTest();
  await using other = await underTest();
  assert.match(on.link, new RegExp(`^http://127\\.0\\.0\\.1:${on.port}/go/[A-Za-z0-9_-]{43}$`));
  assert.notEqual(new URL(on.link).pathname, new URL(other.link).pathname);
  assert.equal((await on.get(`/go/${'A'.repeat(43)}`)).status, 404);
  const { status, headers, body } = await on.get(new URL(on.link).pathname);
  assert.deepEqual([status, headers['location'], body], [303, authorizationUrl, '']);
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.ok(on.isWaiting());
});

/** The cookie that a reply sets, as a browser sends it back. */
function cookieOf({ headers }: Reply): Readonly<Record<string, string>> {
  const [line = ''] = headers['set-cookie'] ?? [];
  assert.match(line, /^postern-\d+=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=\d+$/);
  return { Cookie: `theme=dark; ${line.split(';')[0]}` };
}

test('a reload, or a way back, in the browser that took the link: it is sent on again, and nothing is in doubt', async () => {
  await using on = await underTest();
  const { pathname } = new URL(on.link);
  const cookie = cookieOf(await on.get(pathname));
  for (let reload = 0; reload < 3; reload += 1) {
    const again = await on.get(pathname, cookie);
    assert.deepEqual([again.status, again.headers['location']], [303, authorizationUrl]);
  }
  const page = on.callBack('code=ours', cookie, on.states[1]);
  assert.equal(on.states.length, 2, 'a reload leads to the same request');
  await on.answer;
  assert.equal(on.listener.doubtful, false);
  await on.listener.finish('stored');
  await page;
});

test('[A-70] [A-71] the opener’s link in a second browser: 410, leads nowhere, the wait goes on, the answer is in doubt', async () => {
  await using on = await underTest();
  const { pathname } = new URL(on.link);
  const thief = cookieOf(await on.get(pathname));
  assert.equal(on.listener.doubtful, false);
  for (const headers of [{}, { Cookie: 'postern-1=x' }, { Cookie: `postern-${on.port}=${'A'.repeat(43)}` }]) {
    const second = await on.get(pathname, headers);
    assert.deepEqual(
      [second.status, second.headers['location'], second.headers['set-cookie']],
      [410, undefined, undefined],
    );
    assert.match(second.body, /used before.*open the address that the terminal shows/s);
  }
  assert.ok(on.isWaiting(), 'a clumsy person can still log in');
  const unread = on.callBack('code=of-the-thief', thief, on.states[1]).catch(() => {});
  await on.answer;
  assert.equal(on.listener.doubtful, true);
  await on.listener.finish('failed');
  await unread;
});

test('[A-70] a cookie that is not ours makes nobody known: a thief and a browser may both have it from another port', async () => {
  await using on = await underTest();
  const { pathname } = new URL(on.link);
  const planted = { Cookie: `postern-${on.port}=${'A'.repeat(43)}` };
  const ours = cookieOf(await on.get(pathname, planted));
  assert.doesNotMatch(ours['Cookie'] ?? '', /A{43}/);
  assert.equal((await on.get(pathname, planted)).status, 410);
  assert.equal(on.listener.doubtful, true);
});

test('[A-70] the browser that comes to the link after a thief has answered shows itself', async () => {
  await using on = await underTest();
  const { pathname } = new URL(on.link);
  const thief = cookieOf(await on.get(pathname));
  const unread = on.callBack('code=of-the-thief', thief, on.states[1]).catch(() => {});
  await on.answer;
  assert.equal(on.listener.doubtful, false);
  assert.equal((await on.get(pathname)).status, 410);
  assert.equal(on.listener.doubtful, true, 'the flow looks right before it redeems');
  await on.listener.finish('failed');
  await unread;
});

test('[A-70] the terminal’s link is the person’s alone: in any of their browsers, and its answer is in no doubt', async () => {
  for (const answering of ['first', 'second', 'thief', 'nameless'] as const) {
    await using on = await underTest();
    const thief = cookieOf(await on.get(new URL(on.link).pathname));
    assert.equal((await on.get(new URL(on.link).pathname)).status, 410);
    const { pathname } = new URL(on.listener.link('terminal'));
    const [first, second] = [await on.get(pathname), await on.get(pathname)];
    assert.deepEqual([first.headers['location'], second.headers['location']], [authorizationUrl, authorizationUrl]);
    const cookies = { first: cookieOf(first), second: cookieOf(second), thief, nameless: {} };
    const [, ofThief, ofFirst, ofSecond] = on.states;
    const states = { first: ofFirst, second: ofSecond, thief: ofThief, nameless: ofFirst };
    const page = on.callBack('code=x', cookies[answering], states[answering]);
    await on.answer;
    assert.equal(on.listener.doubtful, answering === 'thief' || answering === 'nameless', answering);
    await on.listener.finish('failed');
    await page;
  }
});

test('[A-70] whose answer it is is told by the first one: the person’s own browser, coming later, does not make a thief’s good', async () => {
  await using on = await underTest();
  const { pathname } = new URL(on.link);
  const thief = cookieOf(await on.get(pathname));
  assert.equal((await on.get(pathname)).status, 410);
  const person = cookieOf(await on.get(new URL(on.listener.link('terminal')).pathname));
  const unread = on.callBack('code=of-the-thief', thief, on.states[1]).catch(() => {});
  await on.answer;
  const late = on.callBack('code=of-the-person', person, on.states[2]).catch(() => {});
  await on.get('/nothing-here'); // the one before it has arrived by then
  assert.equal(on.listener.doubtful, true);
  await on.listener.finish('failed');
  await Promise.all([unread, late]);
});

test('[A-70] each browser has a request of its own: the code of whoever took the opener’s link, brought by the browser that took the terminal’s, is in doubt', async () => {
  for (const isTakenAgain of [false, true]) {
    await using on = await underTest();
    const { pathname } = new URL(on.link);
    await on.get(pathname); // somebody else
    const person = cookieOf(await on.get(new URL(on.listener.link('terminal')).pathname));
    if (isTakenAgain) assert.equal((await on.get(pathname, person)).status, 410);
    const [, ofThief] = on.states;
    assert.equal(new Set(on.states).size, 3);
    const page = on.callBack('code=of-the-thief', person, ofThief).catch(() => {});
    await on.answer;
    assert.equal(on.listener.doubtful, true, isTakenAgain ? 'taken twice' : 'taken once');
    await on.listener.finish('failed');
    await page;
  }
});

test('[A-70] the address that stands in the terminal alone is in no doubt, whoever took the opener’s link', async () => {
  await using on = await underTest();
  for (const status of [303, 410]) assert.equal((await on.get(new URL(on.link).pathname)).status, status);
  const page = on.callBack('code=x').catch(() => {});
  await on.answer;
  assert.equal(on.listener.doubtful, false);
  await on.listener.finish('failed');
  await page;
});

test('a request that works once is made anew at each reload, and all states count; one that cannot be made is a page of ours', async () => {
  await using listener = await unarmed();
  const { port } = new URL(listener.redirectUri);
  const made: string[] = [];
  let isDown = false;
  listener.arm({
    newRequest: async () => {
      if (isDown) throw new Error('the server is down');
      made.push(`state-${made.length}`);
      const state = new Secret(made.at(-1) ?? '');
      return { state, url: `https://as.example/authorize?request_uri=urn:${made.length}`, once: true };
    },
  });
  const link = new URL(listener.link('opener')).pathname;
  const ask = (path: string, headers = {}): Promise<Reply> => getFrom(Number(port), path, headers);
  const first = await ask(link);
  const cookie = cookieOf(first);
  const again = await ask(link, cookie);
  assert.notEqual(again.headers['location'], first.headers['location']);
  isDown = true;
  const failed = await ask(link, cookie);
  assert.deepEqual([failed.status, failed.headers['location']], [502, undefined]);
  assert.match(failed.body, /could not be opened.*Look in the terminal/s);
  isDown = false;
  assert.equal((await ask(link, cookie)).status, 303);
  assert.deepEqual(
    ['state-0', 'state-1', 'state-2', 'state-3', ''].map((state) => listener.isOurs(state)),
    [true, true, true, false, false],
  );
});

test('[A-70] another user of this machine who takes the opener’s link is seen, from whichever loopback address, though the person’s browser never comes', {
  skip: needs('root', 'curl'),
}, async () => {
  const visit = async (url: string, uid: number, more: readonly string[]) => {
    const curl = spawn('curl', ['-s', '-o', '/dev/null', ...more, url], { uid, cwd: '/' });
    assert.deepEqual(await once(curl, 'close'), [0, null]);
  };
  const own = process.getuid?.() ?? 0;
  for (const [host, ...more] of [
    ['127.0.0.1'],
    ['127.0.0.1', '--interface', '127.0.0.2'],
    ['127.0.0.1', '--connect-to', '::[::ffff:127.0.0.1]:'],
    ['[::1]'],
    ['localhost', '-4'],
    ['localhost', '-6'],
  ] as const) {
    await using listener = await listenForCallback({ port: 0, host, path: '/callback' });
    listener.arm({ newRequest: requestTo(authorizationUrl) });
    await visit(listener.link('terminal'), 65_534, more);
    await visit(listener.link('opener'), own, more);
    assert.equal(listener.doubtful, false, `${host} ${more}`);
    await visit(listener.link('opener'), 65_534, more);
    assert.equal(listener.doubtful, true, `${host} ${more}`);
  }
});

test('[A-70] a connection that the system’s table does not have is in doubt', {
  skip: process.platform === 'linux' ? false : 'only Linux has the table',
}, () => {
  const [remoteAddress, localAddress] = ['127.0.0.1', '127.0.0.1'];
  const isDoubtful = (address: string) =>
    isOfOtherUser({ remoteAddress: address, remotePort: 1, localAddress, localPort: 2 } as Socket);
  assert.deepEqual([isDoubtful(remoteAddress), isDoubtful('::1')], [true, true]);
  assert.equal(isDoubtful('172.17.0.1'), false, 'what reaches a container is in another’s table');
});

test('a connection of our own user, or of root, as whom relays run, is of no other user', {
  skip: process.geteuid?.() === 0 ? false : 'only root can become another user for a moment',
}, async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[socket]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [[Socket], []];
  const asUser = (uid: number): boolean => {
    process.seteuid?.(uid);
    try {
      return isOfOtherUser(socket);
    } finally {
      process.seteuid?.(0);
    }
  };
  assert.deepEqual([asUser(0), asUser(65_534)], [false, false]);
  client.destroy();
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test('the listener is armed once, and only with an http or https URL that is safe in a header', async () => {
  await using on = await underTest();
  assert.throws(() => on.listener.arm({ newRequest: requestTo(authorizationUrl) }), /armed once/);
  for (const url of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'vscode://x',
    'https://a/\r\nSet-Cookie: x=1',
    ' https://a/',
    'https://a/\u2019',
  ]) {
    await using fresh = await unarmed();
    fresh.arm({ newRequest: requestTo(url) });
    await assert.rejects(fresh.address(), /http or https URL/);
  }
});

const requestTo = (url: string) => async () => ({ state: new Secret('s'), url, once: false });

function unarmed(): Promise<CallbackListener> {
  return listenForCallback({ ...usualRedirectUri, port: 0 });
}
