import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { test } from 'node:test';
import { openTab } from '../../support/chromium.js';
import { needs } from '../../support/needs.js';
import { type UnderTest, underTest } from './listener-under-test.js';

interface Site extends AsyncDisposable {
  readonly origin: string;
}

/** Any other site, on loopback. */
async function site(onRequest: RequestListener): Promise<Site> {
  const server = createServer(onRequest).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return {
    origin: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const skip = needs('chromium');

for (const outcome of ['stored', 'failed'] as const) {
  test(`[A-81] [A-113] in a real browser: link, login page, consent, final page (${outcome})`, { skip }, async () => {
    let login: UnderTest | undefined;
    const referers: (string | undefined)[] = [];
    await using server = await site((request, response) => {
      referers.push(request.headers.referer);
      if (request.url === '/allow') {
        const location = `${login?.listener.redirectUri}?code=the-code&state=${login?.state}`;
        response.writeHead(302, { Location: location }).end();
        return;
      }
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<a id="allow" href="/allow">Allow</a>');
    });
    await using on = await underTest({}, `${server.origin}/authorize`);
    login = on;
    await using tab = await openTab({ javaScript: outcome === 'stored' });
    const complaints: string[] = [];
    tab.page.on('console', (message) => void complaints.push(message.text()));
    await tab.page.goto(on.link);
    const clicked = tab.page.click('#allow', { noWaitAfter: true });
    assert.deepEqual(await on.answer, [
      ['code', 'the-code'],
      ['state', on.state],
    ]);
    const finished = on.listener.finish(outcome);
    await clicked;
    await tab.page.waitForURL(/\/done\//);
    await finished;
    const words = outcome === 'stored' ? 'You are logged in' : 'The login did not succeed';
    assert.equal(await tab.page.locator('h1').textContent(), words);
    assert.doesNotMatch(tab.page.url(), /the-code|\?/);
    assert.ok(!tab.page.url().includes(on.state));
    assert.equal(referers[0], undefined, 'the login page does not learn the link');
    assert.deepEqual(complaints, []);
    const foreign = tab.requested.filter(
      (url) => ![server.origin, new URL(on.link).origin].includes(new URL(url).origin),
    );
    assert.deepEqual(foreign, [], 'nothing else is loaded');
  });
}

test('[A-84] [A-101] [A-114] a hostile page with images, scripts’ requests and frames changes nothing', {
  skip,
}, async () => {
  await using on = await underTest();
  // It even knows our state: what it cannot do is make a visit of it without being seen.
  const target = `${on.listener.redirectUri}?code=stolen&state=${on.state}`;
  await using evil = await site((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<body>
      <img src="${target}&from=img"><iframe src="${target}&from=frame"></iframe>
      <link rel="stylesheet" href="${target}&from=style"><object data="${target}&from=object"></object>`);
  });
  await using tab = await openTab();
  await tab.page.goto(evil.origin, { waitUntil: 'load' });
  const seen = await tab.page.evaluate(async (url) => {
    const opaque = await fetch(`${url}&from=no-cors`, { mode: 'no-cors' }).then(
      ({ type }) => type,
      () => 'blocked',
    );
    const readable = await fetch(`${url}&from=cors`).then(
      () => 'read',
      () => 'blocked',
    );
    return { opaque, readable };
  }, target);
  assert.equal(seen.readable, 'blocked');
  const probes = tab.requested
    .filter((url) => url.startsWith(target))
    .map((url) => new URL(url).searchParams.get('from'));
  for (const from of ['img', 'frame', 'style', 'no-cors', 'cors']) assert.ok(probes.includes(from), from);
  assert.ok(on.isWaiting());
  const page = on.callBack('code=ours');
  assert.equal((await on.answer)[0]?.[1], 'ours');
  await on.listener.finish('stored');
  await page;
});

test('the final page is readable in light and dark, wide and narrow', { skip }, async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await using on = await underTest();
    await using tab = await openTab({ colorScheme });
    const page = tab.page;
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`http://127.0.0.1:${on.port}/`);
    const look = await page.evaluate(() => {
      const { backgroundColor } = getComputedStyle(document.body);
      const { color } = getComputedStyle(document.querySelector('p') ?? document.body);
      return { backgroundColor, color, overflows: document.documentElement.scrollWidth > innerWidth };
    });
    const lightness = (colour: string): number => Number(/\d+/.exec(colour)?.[0]);
    assert.equal(look.overflows, false);
    assert.ok(Math.abs(lightness(look.color) - lightness(look.backgroundColor)) > 120, JSON.stringify(look));
    assert.equal(lightness(look.backgroundColor) > 128, colorScheme === 'light', 'the style is applied');
  }
});
