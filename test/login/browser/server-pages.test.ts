import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServerPages } from '../../../src/login/browser/server-pages.js';
import type { BrowserChoice } from '../../support/product.js';
import { getFrom, sendRaw, statusOf } from './listener-under-test.js';

const page = 'https://example.com/connect?a=1';

function opener(end: 'opened' | 'unavailable') {
  const links: string[] = [];
  const chosen: (BrowserChoice | undefined)[] = [];
  const open = async (link: string, browser?: BrowserChoice) => {
    links.push(link);
    chosen.push(browser);
    return end;
  };
  return { links, chosen, pages: createServerPages({ open }) };
}

test('[Q-4.7] a page is reached by a one-time link of ours, which no byte of it is in, and by nothing else; it ends when it is closed', async () => {
  const { links, chosen, pages } = opener('opened');
  const opened = await pages.open(page, undefined);
  const [link = ''] = links;
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/go\/[\w-]{43}$/);
  const { port, host, pathname } = new URL(link);
  assert.equal((await getFrom(Number(port), '/go/x', { host })).status, 404);
  assert.equal((await getFrom(Number(port), pathname, { host: 'evil.example' })).status, 400);
  assert.equal((await getFrom(Number(port), pathname, { host, 'sec-purpose': 'prefetch' })).status, 400);
  assert.equal(statusOf(await sendRaw(Number(port), `HEAD ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)), 405);
  assert.equal(opened?.doubtful, false);
  const sent = await getFrom(Number(port), pathname, { host });
  assert.deepEqual([sent.status, sent.headers['location'], sent.body], [303, page, '']);
  assert.equal(sent.headers['referrer-policy'], 'no-referrer');
  assert.equal((await getFrom(Number(port), pathname, { host })).status, 410);
  assert.equal(opened?.doubtful, true);
  await opened?.[Symbol.asyncDispose]();
  await (await pages.open(page, { program: 'firefox' }))?.[Symbol.asyncDispose]();
  assert.deepEqual(chosen, [undefined, { program: 'firefox' }], 'the browser of the login');
  await assert.rejects(getFrom(Number(port), pathname, { host }), { code: 'ECONNREFUSED' });
});

test('[Q-4.7] where no browser can be opened nothing stays open; what is no plain address of a page is a fault', async () => {
  const { links, pages } = opener('unavailable');
  assert.equal(await pages.open(page, undefined), undefined);
  const { port, host, pathname } = new URL(links[0] ?? '');
  await assert.rejects(getFrom(Number(port), pathname, { host }), { code: 'ECONNREFUSED' });
  for (const wrong of ['javascript:alert(1)', 'https://example.com/\r\nX: y', 'https://exämple.com/']) {
    await assert.rejects(pages.open(wrong, undefined), /a page is an http or https URL/);
  }
});
