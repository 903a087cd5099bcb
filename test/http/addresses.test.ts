import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCanaries } from '../support/canary.js';
import { startAuthority } from '../support/certificates.js';
import { startConnectProxy } from '../support/connect-proxy.js';
import { everythingIn, failureOf, send, testHttp, textOf } from '../support/http.js';
import { startHttp } from '../support/http-server.js';

test('loopback in any spelling is refused to a public server without a connection [A-5] [A-2]', async () => {
  await using canaries = await startCanaries();
  await using http = testHttp();
  const port = canaries.ports['127.0.0.1'];
  const odd = ['2130706433', '0x7f.1', '0177.0.0.1', '127.1', '①②⑦.0.0.1', '0', '0.0.0.0', '[::]'];
  const carried = ['[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[::7f00:1]', 'localhost.'];
  const plain = ['127.0.0.1', '127.0.0.2', '[::1]', 'localhost', 'a.localhost'];
  for (const scheme of ['https', 'http']) {
    for (const host of [...odd, ...carried, ...plain]) {
      const url = `${scheme}://${host}:${host === '[::1]' ? canaries.ports['::1'] : port}/`;
      const outcome = await send(http, url, { namedBy: 'public' }).catch((error) => error);
      assert.match(outcome.code, /^(url|address)_refused$/, url);
      assert.equal(outcome.exit, 5);
    }
  }
  assert.deepEqual(canaries.visits, []);
  assert.deepEqual(http.asked, []);
});

test('a name that leads to a forbidden address is refused whole, after one look-up [A-6] [A-4]', async () => {
  await using canaries = await startCanaries();
  const hostile = ['127.0.0.1', '::1', '10.1.2.3', '192.168.0.1', '100.64.0.1', '169.254.169.254', 'fe80::1'];
  const more = ['fd00:ec2::254', 'fc00::1', '224.0.0.1', '0.0.0.0', '::ffff:127.0.0.1', '64:ff9b::a00:1', 'junk'];
  for (const address of [...hostile, ...more]) {
    for (const answer of [[address], ['93.184.215.14', address], [address, '2606:4700::1111']]) {
      await using http = testHttp({ 'good.example': answer });
      const url = `https://good.example:${canaries.ports['127.0.0.1']}/`;
      await failureOf(send(http, url, { namedBy: 'public' }), 'address_refused');
      assert.deepEqual(http.asked, ['good.example']);
    }
  }
  assert.deepEqual(canaries.visits, []);
});

test('cloud metadata is refused to everybody, the person included [A-4]', async () => {
  await using http = testHttp({ 'metadata.google.internal': ['169.254.169.254'] });
  const urls = ['https://169.254.169.254/', 'https://[fd00:ec2::254]/', 'https://metadata.google.internal/'];
  for (const url of urls) {
    for (const namedBy of ['person', 'loopback', 'private', 'public'] as const) {
      const failure = await failureOf(send(http, url, { namedBy }), 'address_refused');
      assert.equal(failure.exit, namedBy === 'person' ? 2 : 5);
    }
  }
});

test('plain http goes to this machine only, and only for the person or a server on it [A-2] [R-5.8c]', async () => {
  await using server = await startHttp((_, response) => response.end('ok'));
  await using http = testHttp({
    'public.example': ['93.184.215.14'],
    'private.example': ['10.0.0.1'],
    'mixed.example': ['127.0.0.1', '10.0.0.1'],
  });
  for (const host of ['public.example', 'private.example', 'mixed.example', '10.0.0.1', '93.184.215.14']) {
    const failure = await failureOf(send(http, `http://${host}:${server.port}/`), 'url_refused');
    assert.equal(failure.exit, 2);
    assert.match(failure.remedy, /https/);
  }
  await failureOf(send(http, server.origin, { namedBy: 'private' }), 'url_refused');
  assert.equal(server.connections.opened, 0);
  assert.equal(await textOf(await send(http, server.origin, { namedBy: 'loopback' })), 'ok');
});

test('a server may name addresses as far as itself or farther, never nearer [A-6]', async () => {
  const { signal } = new AbortController();
  const reach = { person: 'PRL', loopback: 'PRL', private: 'PR', public: 'P' } as const;
  const places = { P: '93.184.215.14', R: '10.0.0.1', L: '127.0.0.1', none: '169.254.169.254' };
  for (const namedBy of ['person', 'loopback', 'private', 'public'] as const) {
    for (const [letter, address] of Object.entries(places)) {
      await using http = testHttp({ 'h.example': [address] });
      const checked = http.check({ url: 'https://h.example/', namedBy, signal });
      if (reach[namedBy].includes(letter)) await checked;
      else await failureOf(checked, 'address_refused');
    }
  }
});

test('a raw URL that the gate refuses is never looked up, and its secrets are not told [A-1] [A-9]', async () => {
  await using http = testHttp();
  const raws = ['file:///etc/passwd', 'ftp://h/', 'https://user:CANARY@good/', 'https://h\\@evil/', 'https:evil'];
  for (const raw of [...raws, 'https://go\tod/?x=CANARY', 'https://h/?code=CANARY CANARY']) {
    for (const [namedBy, exit] of [
      ['person', 2],
      ['public', 5],
    ] as const) {
      const failure = await failureOf(send(http, raw, { namedBy }), 'url_refused');
      assert.equal(failure.exit, exit);
      assert.doesNotMatch(everythingIn(failure), /CANARY/);
    }
  }
  assert.deepEqual(http.asked, []);
});

test('an answer of the name service with 1000 addresses: all are judged, 16 are tried [A-261]', async () => {
  await using server = await startHttp((_, response) => response.end('never'));
  const many = Array.from({ length: 1000 }, (_, index) => `127.0.${index >> 8}.${index & 255}`);
  await using http = testHttp({ 'many.example': many, 'bad.example': [...many, '10.0.0.1'] });
  const url = `http://many.example:${server.port}/`;
  assert.equal(await textOf(await send(http, url)), 'never');
  await failureOf(send(http, url.replace('many', 'bad')), 'url_refused');
});

test('a name service that never answers ends with a time-out, or with the caller [A-261]', async () => {
  await using http = testHttp({}, { resolve: () => new Promise(() => undefined) });
  await failureOf(send(http, 'https://slow.example/', { limits: { totalMs: 50 } }), 'timed_out');
  const caller = new AbortController();
  const pending = send(http, 'https://slow.example/', { signal: caller.signal });
  caller.abort(new Error('stop'));
  await assert.rejects(pending, /stop/);
});

test('of an answer with more than 16 addresses the others are not tried [A-261]', async () => {
  await using server = await startHttp((_, response) => response.end('here'));
  const silent = Array.from({ length: 16 }, (_, index) => `127.0.1.${index + 1}`);
  await using http = testHttp({
    'sixteenth.example': [...silent.slice(1), '127.0.0.1'],
    'seventeenth.example': [...silent, '127.0.0.1'],
  });
  const url = (host: string): string => `http://${host}:${server.port}/`;
  assert.equal(await textOf(await send(http, url('sixteenth.example'))), 'here');
  await failureOf(send(http, url('seventeenth.example')), 'network_failed');
});

test('of a proxy with more than 16 addresses the others are not tried [A-261]', async () => {
  await using authority = await startAuthority();
  const certificate = await authority.issue('DNS:good.example');
  await using server = await startHttp((_, response) => response.end('through'), certificate);
  await using proxy = await startConnectProxy(server.port);
  const silent = Array.from({ length: 16 }, (_, index) => `127.0.1.${index + 1}`);
  const names = {
    'sixteenth.example': [...silent.slice(1), '127.0.0.1'],
    'seventeenth.example': [...silent, '127.0.0.1'],
  };
  const through = (host: string) => {
    const env = { HTTPS_PROXY: `http://${host}:${proxy.port}` };
    return testHttp(names, { env, caFile: authority.caFile });
  };
  await using near = through('sixteenth.example');
  assert.equal(await textOf(await send(near, 'https://good.example/')), 'through');
  await using far = through('seventeenth.example');
  await failureOf(send(far, 'https://good.example/'), 'network_failed');
  assert.deepEqual(proxy.asked, ['CONNECT good.example:443']);
});

test("the person's own host may have far and near addresses, and never one that is forbidden to all [A-4][A-6]", async () => {
  const { signal } = new AbortController();
  const url = 'https://own.example/';
  const answers = [
    ['93.184.215.14'],
    ['93.184.215.14', '10.0.0.1'],
    ['93.184.215.14', '169.254.169.254'],
    ['10.0.0.1'],
  ];
  let asked = 0;
  await using http = testHttp({}, { resolve: async () => answers[asked++] ?? [] });
  await http.check({ url, namedBy: 'person', signal });
  await http.check({ url, namedBy: 'public', signal });
  for (const _ of answers.slice(2)) {
    await failureOf(http.check({ url, namedBy: 'public', signal }), 'address_refused');
  }
  assert.equal(asked, 4);
});

test('a host that only servers have named is nobody’s own: half an attack is refused, though it was far before [A-4][A-6]', async () => {
  const { signal } = new AbortController();
  const url = 'https://named.example/';
  const answers = [['93.184.215.14'], ['93.184.215.14', '10.0.0.1']];
  await using http = testHttp({}, { resolve: async () => answers.shift() ?? [] });
  await http.check({ url, namedBy: 'public', signal });
  await failureOf(http.check({ url, namedBy: 'public', signal }), 'address_refused');
});
