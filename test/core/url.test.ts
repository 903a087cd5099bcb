import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { gateUrl } from '../../src/core/url.js';
import { anyUrl } from '../support/arbitraries.js';

const refused = (raw: string): string => {
  const gated = gateUrl(raw);
  assert.equal(gated.ok, false, raw);
  return gated.ok ? '' : gated.problem;
};
const passed = (raw: string): string => {
  const gated = gateUrl(raw);
  assert.equal(gated.ok, true, raw);
  return gated.ok ? gated.url.href : '';
};

test('schemes other than http and https do not pass the gate [A-1]', () => {
  const others = ['file:///etc/passwd', 'data:text/html,x', 'javascript:alert(1)', 'ftp://h/', 'ws://h/'];
  for (const raw of [...others, 'wss://h/', 'blob:https://h/x', 'about:blank', 'view-source:https://h/']) {
    refused(raw);
  }
});

test('spellings that the URL parser would repair do not pass [A-9] [A-155]', () => {
  const repaired = [
    'https://good\\@evil',
    'https://good@evil',
    'https://user:pass@good/',
    'https://@good/',
    'https://go\tod/',
    'https://good/a\nb',
    '\u0000https://good/',
    ' https://good/',
    'https://good/ ',
    'https:evil',
    'https:/evil',
    'https:///evil',
    '//evil/x',
    '/\\evil',
    '///evil',
    'evil/x',
    '',
    'https://',
    'https://go\u00adod/',
    'https://good\uff0eevil/',
    'https://%6dgood/',
    'https://good%2eevil/',
    ...[...'!$&()*+,;='].map((mark) => `https://go${mark}od/`),
    'https://good/a/../b',
    'https://good/%2e%2e/b',
    'https://good/./b',
    'https://good/a|b',
    'https://good/a^b',
    'https://good/%zz',
    'https://good/%4',
    'https://good/[x]',
    'https://good:/',
    'https://good:0443/',
    'https://good:65536/',
    'https://good/#a#b',
    ...['xn--', 'xn--a', 'xn--a-', 'a.xn--abc-.de', 'xn--bcher-kva.xn--0', 'xn--u-ccb.com'].map(
      (host) => `https://${host}/`,
    ),
  ];
  for (const raw of repaired) refused(raw);
});

test('odd spellings of an address do not pass, plain ones do [A-5]', () => {
  const odd = ['2130706433', '0x7f.1', '0177.0.0.1', '127.1', '0', '①②⑦.0.0.1', '127.0.0.1.', '0x7f000001'];
  for (const host of odd) refused(`https://${host}/`);
  refused('https://[0:0:0:0:0:0:0:1]/');
  refused('https://[::ffff:127.0.0.1]/');
  refused('https://[fe80::1%25eth0]/');
  for (const host of ['127.0.0.1', '[::1]', '[::FFFF:7f00:1]', 'localhost.']) passed(`https://${host}/`);
});

test('letter case of scheme and host, the own port and an empty path are let pass', () => {
  assert.equal(passed('HTTPS://Good.Example'), 'https://good.example/');
  assert.equal(passed('https://good.example:443/A'), 'https://good.example/A');
  assert.equal(passed('http://localhost:80'), 'http://localhost/');
  assert.equal(passed('https://good.example:8443?x=1'), 'https://good.example:8443/?x=1');
  assert.equal(passed('https://good.example:80/'), 'https://good.example:80/');
  assert.equal(passed("https://good.example/a'b?c='d'&e=%27"), "https://good.example/a'b?c=%27d%27&e=%27");
  assert.equal(passed('https://good.example/a//b;c=1?d=/?#e'), 'https://good.example/a//b;c=1?d=/?#e');
});

test('a URL longer than the limit does not pass', () => {
  const base = 'https://h.example/';
  passed(base + 'a'.repeat(2048 - base.length));
  refused(base + 'a'.repeat(2049 - base.length));
  assert.equal(gateUrl(base + 'a'.repeat(5000), 8192).ok, true);
});

test('a problem never quotes the input, so no user name, password or query', () => {
  for (const raw of ['https://canary:canary@h/', 'canary://h/', 'https://h/?canary=\\', 'https://h/%zz?canary']) {
    assert.doesNotMatch(refused(raw), /canary/);
  }
});

test('whatever passes reads back as itself, and has no user, blank or odd character [A-9]', () => {
  const piece = fc.constantFrom(
    ...['https://', 'http:', '//', '/', '\\', '@', ':', '443', 'evil', 'good.example', '?', '#', '%', '2e'],
    ...['.', '..', '\t', '\n', '\u0000', ' ', '[', ']', '::1', '127.1', '\u00ad', 'é', "'", '|', 'HTTPS'],
  );
  const text = fc.oneof(
    fc.string(),
    anyUrl,
    fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join('')),
    fc.array(piece, { maxLength: 8 }).map((pieces) => `https://good.example${pieces.join('')}`),
  );
  fc.assert(
    fc.property(text, (raw) => {
      const gated = gateUrl(raw);
      if (!gated.ok) return;
      assert.match(raw, /^https?:\/\/[^@\\\s]+/i);
      assert.equal(gated.url.username + gated.url.password, '');
      assert.ok(gateUrl(gated.url.href).ok);
      const host = /^https?:\/\/(\[[^\]]*\]|[^/?#:]*)/i.exec(raw)?.[1]?.toLowerCase();
      assert.equal(gated.url.hostname, host);
    }),
    { numRuns: 300 },
  );
});

test('letters that imitate others are no address: a host comes in, and so is shown, in its ASCII form alone [A-247]', () => {
  assert.equal(gateUrl('https://аррӏе.com/login', 2_048).ok, false);
  const gated = gateUrl('https://xn--80ak6aa92e.com/login', 2_048);
  assert.equal(gated.ok && gated.url.href, 'https://xn--80ak6aa92e.com/login');
});
