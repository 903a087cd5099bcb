import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTab } from '../support/chromium.js';
import { startHttp } from '../support/http-server.js';
import { needs } from '../support/needs.js';
import { mountOf, openStand } from './stand.js';

const skip = needs('chromium');

/** A server that does something at each request, and shows a page that would run a script. */
async function reachable() {
  const page =
    '<!doctype html><title>page</title><script>document.title = "ran"</script><a href="https://evil.example/">x</a>';
  return startHttp((request, response) => {
    const type = request.url?.includes('page') ? 'text/html' : 'application/json';
    response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' }).end(page);
  });
}

test('a page of another site reaches nothing through the proxy, even where it knows the key [A-210] [A-211] [A-212]', {
  skip,
}, async () => {
  await using server = await reachable();
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  await using evil = await startHttp((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>evil</title>');
  });
  await using tab = await openTab();
  await tab.page.goto(evil.origin);
  const base = `http://127.0.0.1:${stand.port}`;
  for (const path of [stand.at(), '/m', '/']) {
    const outcome = await tab.page.evaluate(async (url) => {
      const got: string[] = [];
      const attempts: [string, RequestInit][] = [
        ['get', {}],
        ['no-cors', { mode: 'no-cors' }],
        ['simple post', { method: 'POST', mode: 'no-cors', body: '{"jsonrpc":"2.0"}' }],
        ['preflighted', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }],
        ['with credentials', { credentials: 'include' }],
      ];
      for (const [name, init] of attempts) {
        const read = await fetch(url, init).then(
          (answer) => answer.text(),
          () => 'refused',
        );
        got.push(`${name}: ${read}`);
      }
      const image = new Image();
      await new Promise((resolve) => {
        image.onload = image.onerror = resolve;
        image.src = url;
      });
      const frame = document.createElement('iframe');
      const form = document.createElement('form');
      frame.name = 'into';
      Object.assign(form, { method: 'POST', action: url, target: 'into' });
      document.body.append(frame, form);
      await new Promise((resolve) => {
        frame.onload = resolve;
        form.submit();
      });
      frame.remove();
      form.remove();
      return got;
    }, base + path);
    for (const line of outcome) assert.match(line, /: (?:refused|)$/, `${path}: ${line}`);
  }
  assert.deepEqual(server.requests, [], 'the server has seen nothing');
});

test('a name rebound to 127.0.0.1 gets nothing, and no key [A-209]', { skip }, async () => {
  await using server = await reachable();
  await using stand = await openStand(mountOf(`${server.origin}/mcp`), { key: false });
  await using tab = await openTab();
  // Chromium takes every name under localhost for this machine, as a rebound name would be.
  const answer = await tab.page.goto(`http://evil.localhost:${stand.port}/m`);
  assert.equal(answer?.status(), 421);
  const again = () =>
    fetch('/m').then(
      (each) => each.text(),
      () => 'refused',
    );
  assert.equal(await tab.page.evaluate(again), 'refused', 'not even that page may ask for more');
  assert.deepEqual(server.requests, []);
});

test('a page of the server’s that a person opens runs no script and tells nobody its address [A-224] [A-214]', {
  skip,
}, async () => {
  await using server = await reachable();
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  await using tab = await openTab();
  await tab.page.goto(`http://127.0.0.1:${stand.port}${stand.at('/page')}`);
  assert.equal(await tab.page.title(), 'page', 'the script has not run');
  assert.equal(await tab.page.evaluate(() => self.origin), 'null', 'its origin is nobody’s');
  assert.equal(await tab.page.evaluate(() => document.referrer), '');
});
