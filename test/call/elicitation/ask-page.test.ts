import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { pageToOpen, warningsOf } from '../../../src/call/elicitation/ask-page.js';
import { createServerPages } from '../../../src/login/browser/server-pages.js';
import { anyText, anyUrl } from '../../support/arbitraries.js';

const server = 'https://mcp.example.com/mcp';
const pages = createServerPages({ open: async () => 'unavailable' });

test('[Q-4.7] only https is offered, and http on this computer where the server is here, too', () => {
  const here = 'http://127.0.0.1:7000/mcp';
  const offered = [
    [server, 'https://example.com/connect?x=1#y'],
    [here, 'http://localhost:9/x'],
    [here, 'http://[::1]:9/x'],
    [undefined, 'http://127.0.0.1:9/x'],
    [here, 'https://example.com/'],
  ] as const;
  for (const [from, url] of offered) {
    const page = pageToOpen(url, from);
    assert.ok(typeof page === 'object', url);
    assert.equal(page.url, url);
    assert.equal(page.parts.join(''), url, 'what is shown is what is opened');
  }
  const refused = [
    ...[
      'http://example.com/',
      'http://127.0.0.1/',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'data:text/html,x',
      '',
    ],
    ...['https://user@example.com/', 'https://bank.example\\@evil.example/', ' https://example.com/', '//example.com/'],
    ...[
      'https://example.com/a\nb',
      'https://exa\u202emple.com/',
      'https://example.com/%zz',
      'https://0x7f.1/',
      'https://xn--a/',
    ],
    `https://example.com/${'a'.repeat(5_000)}`,
  ];
  for (const url of refused) assert.equal(typeof pageToOpen(url, server), 'string', url);
  assert.equal(typeof pageToOpen('http://example.com/', here), 'string');
});

test('[Q-4.7] names beyond a to z are shown in both forms; a page nearer than the server is told of', async () => {
  const said = async (url: string, from: string | undefined = server) => {
    const page = pageToOpen(url, from);
    assert.ok(typeof page === 'object', url);
    return warningsOf(page, from, await pages.describe(page.hostname));
  };
  assert.deepEqual(await said('https://example.com/'), []);
  const [whole, ...others] = await said('https://аррӏе.com/');
  assert.match(whole ?? '', /"аррӏе\.com" .*xn--80ak6aa92e\.com/);
  assert.deepEqual(others, []);
  assert.equal((await said('https://日本ひらカタ.example/')).length, 1);
  assert.match((await said('https://localhost:1/')).join(), /on this computer itself/);
  for (const near of ['192.168.1.1', '10.0.0.1', '[fd00::1]', '[fe80::1]', '169.254.169.254', 'router', 'nas.local']) {
    assert.match((await said(`https://${near}/`)).join(' '), /own network/);
    assert.deepEqual(await said(`https://${near}/`, 'https://192.168.1.2/mcp'), []);
  }
  assert.match((await said('https://localhost:1/', 'https://192.168.1.2/mcp')).join(), /on this computer itself/);
  assert.deepEqual(await said('https://localhost:1/', 'http://127.0.0.1:2/mcp'), []);
  assert.equal((await pages.describe('accounts.google.com.evil.example')).site, 'evil.example');
});

test('[Q-4.7] whatever a server names, an address that is offered is plain ASCII, has no name in it, and is shown as a whole', () => {
  const url = fc.oneof(
    anyUrl,
    anyText(),
    anyText().map((text) => `https://${text}`),
    anyText().map((text) => `https://example.com/${text}`),
  );
  fc.assert(
    fc.property(url, (text) => {
      const page = pageToOpen(text, server);
      if (typeof page === 'string') {
        assert.match(page, /^its? [ -~]+$/);
        return;
      }
      assert.match(page.url, /^https:\/\/[!-~]+$/);
      assert.equal(page.parts.join(''), page.url);
      assert.equal(new URL(page.url).host, page.parts[1]);
      assert.equal(new URL(page.url).username, '');
    }),
  );
});
