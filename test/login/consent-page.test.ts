import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';
import { walkLogin } from '../support/product.js';

const asNavigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

/** Opens an address as a browser does that says what it is for; `fetch` would say that it is a script. */
async function open(url: string, headers: Readonly<Record<string, string>> = asNavigation) {
  const [response] = (await once(get(url, { headers, agent: false }), 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, html: await text(response) };
}

/** Logs in for a program of that name; `browse` is the person. */
async function programLogsIn(program: string, browse: (link: string) => Promise<unknown>) {
  await using own = await openOwnScene();
  let browsed: Promise<unknown> = Promise.resolve();
  await using scene = await openScene(
    {},
    {
      browse: async (link) => {
        browsed = browse(link);
        await browsed.catch(() => undefined);
      },
      msAfterWalk: 20_000,
    },
  );
  const wanted = { server: own.server.url, caller: () => program };
  const outcome = await scene.login(wanted).catch((error: unknown) => error);
  await browsed; // what the person did not find there fails the test
  return { outcome, own, scene, authorizations: own.issuer.authorizations.length };
}

test('[A-81][A-25] the first login that a program begins opens a page of ours: server, issuer and program, and one button', async () => {
  let html = '';
  const { own, outcome } = await programLogsIn('agent <b>"x"</b> & co', async (link) => {
    const first = await open(link);
    html = first.html;
    assert.equal(first.status, 200);
    assert.equal(first.headers['x-frame-options'], 'DENY');
    assert.match(String(first.headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/);
    const [, next = ''] = /<a class="button" href="([^"]+)"/.exec(html) ?? [];
    const step = await open(new URL(next, link).href);
    assert.equal(step.status, 303);
    await walkLogin(step.headers.location ?? '');
  });
  const whole = html.replaceAll('<wbr>', '');
  for (const shown of [own.server.url, own.issuer.issuer]) assert.ok(whole.includes(`<dd>${shown}</dd>`), html);
  assert.ok(whole.includes('<dd>agent &lt;b&gt;&quot;x&quot;&lt;/b&gt; &amp; co</dd>'), html);
  assert.equal(html.match(/<a /g)?.length, 1);
  assert.doesNotMatch(html, /<script|<b>/);
  assert.ok(typeof outcome === 'object' && outcome !== null && 'issuer' in outcome, String(outcome));
});

test('[A-81] a tab on which nobody presses the button reaches no authorization server', async () => {
  const { authorizations, outcome } = await programLogsIn('agent', async (link) => {
    await open(link);
  });
  assert.ok(outcome instanceof Error);
  assert.equal(authorizations, 0);
});

test('[A-81] before the button is pressed the authorization server hears of nobody: no registration, no pushed request', async () => {
  const sentBefore: string[][] = [];
  await using scene = await openScene(
    { pushedRequests: 'required' },
    {
      browse: async (link) => {
        const { html } = await open(link);
        sentBefore.push(posted());
        const [, next = ''] = /<a class="button" href="([^"]+)"/.exec(html) ?? [];
        const step = await open(new URL(next, link).href);
        await walkLogin(step.headers.location ?? '');
      },
    },
  );
  const posted = () =>
    scene.sandbox.requests.flatMap(({ at, method, path }) =>
      at === 'authorization' && method === 'POST' ? [path] : [],
    );
  await scene.login({ caller: () => 'agent' });
  assert.deepEqual(sentBefore, [[]]);
  assert.deepEqual(
    posted().filter((path) => /^.(register|pushed|token)$/.test(path)),
    ['/register', '/pushed', '/token'],
  );
});

test('[A-81] a registration that fails after the button ends the login, and the page says so', async () => {
  let last: Promise<{ readonly html: string }> | undefined;
  await using scene = await openScene(
    { faults: ['registration-no-id'] },
    {
      browse: async (link) => {
        const { html } = await open(link);
        const [, next = ''] = /<a class="button" href="([^"]+)"/.exec(html) ?? [];
        last = open(new URL(next, link).href);
        await last;
      },
    },
  );
  await scene.loginFails('registration_unusable', { caller: () => 'agent' });
  assert.match((await last)?.html ?? '', /The login page could not be opened/);
});

test('[A-81] where no browser can be opened, the person reads the addresses in the terminal instead', async () => {
  await using scene = await openScene();
  const { terminal, advance } = scene.ports;
  const tell = (line: string) => {
    if (/authorize\?.*client_id=/.test(line)) advance(20_000);
  };
  Object.assign(scene.ports, { browser: { open: async () => 'unavailable' }, terminal: { ...terminal, tell } });
  await scene.loginFails('login_timed_out', { caller: () => 'agent' });
});

test('[A-81] the button is a navigation of the person: not an image, a frame or a script, and its address cannot be guessed', async () => {
  const { authorizations } = await programLogsIn('agent', async (link) => {
    const html = (await open(link)).html;
    const [, next = ''] = /<a class="button" href="([^"]+)"/.exec(html) ?? [];
    assert.match(next, /^\/agreed\/[\w-]{43}$/);
    const url = new URL(next, link).href;
    for (const headers of [
      { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    ]) {
      assert.equal((await open(url, headers)).status, 400);
    }
    assert.equal((await open(`${url}x`)).status, 404);
    assert.equal((await open(url.replace(/\/agreed\/.*/, '/agreed/'))).status, 404);
  });
  assert.equal(authorizations, 0);
});

test('a login that a person types has no such page, nor the next one at a server and an issuer that are known', async () => {
  const visits: { readonly status: number | undefined }[] = [];
  const browse = async (link: string) => visits.push(await open(link));
  await using scene = await openScene({}, { browse, msAfterWalk: 20_000 });
  await scene.loginFails('login_timed_out');
  await using known = await openScene();
  await known.login();
  await known.login({ caller: () => 'agent' });
  assert.equal(known.askedAuthorizationServer().filter((path) => path === '/authorize').length, 2);
  await scene.loginFails('login_timed_out', { caller: () => 'agent' });
  assert.deepEqual(
    visits.map(({ status }) => status),
    [303, 200],
  );
});

test('a program’s login begins on that page where the issuer is new at a known server, or the server at a known issuer', async () => {
  await using own = await openOwnScene();
  await using other = await openOwnScene();
  const statuses: (number | undefined)[] = [];
  let isWatched = false;
  const browse = async (link: string) => (isWatched ? statuses.push((await open(link)).status) : walkLogin(link));
  await using scene = await openScene({}, { browse, msAfterWalk: 20_000 });
  await scene.login({ server: own.server.url });
  isWatched = true;
  const unanswered = { caller: () => 'agent' };
  own.server.publish({ authorization_servers: [other.issuer.issuer] });
  await scene.loginFails('login_timed_out', { ...unanswered, server: own.server.url, account: 'second' });
  other.server.publish({ authorization_servers: [own.issuer.issuer] });
  await scene.loginFails('login_timed_out', { ...unanswered, server: other.server.url });
  assert.deepEqual(statuses, [200, 200]);
});
