import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { startAuthority } from '../support/certificates.js';
import { startConnectProxy } from '../support/connect-proxy.js';
import { freePort } from '../support/free-port.js';
import { everythingIn, failureOf, send, testHttp, textOf } from '../support/http.js';
import { startHttp } from '../support/http-server.js';
import type { Failure } from '../support/product.js';

const authority = await startAuthority();
after(() => authority[Symbol.asyncDispose]());
const certificate = await authority.issue('DNS:good.example,DNS:localhost,IP:127.0.0.1,IP:10.1.2.3');

async function startWorld() {
  const server = await startHttp(
    (request, response) => response.end(String((request.socket as TLSSocket).servername)),
    certificate,
  );
  return { server, caFile: authority.caFile, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('https goes through HTTPS_PROXY by CONNECT; the proxy looks the name up; TLS is end to end [A-166]', async () => {
  await using world = await startWorld();
  await using proxy = await startConnectProxy(world.server.port);
  for (const [name, url] of [
    ['HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`],
    ['https_proxy', `localhost:${proxy.port}/`],
  ] as const) {
    await using http = testHttp({}, { env: { [name]: url }, caFile: world.caFile });
    for (let count = 0; count < 2; count += 1) {
      const response = await send(http, 'https://good.example/', { namedBy: 'public' });
      assert.equal(await textOf(response), 'good.example');
      assert.equal(response.zone, 'public');
    }
    assert.deepEqual(http.asked, []);
  }
  assert.deepEqual(proxy.asked, ['CONNECT good.example:443', 'CONNECT good.example:443']);
  assert.deepEqual(proxy.authorizations, [undefined, undefined]);
});

test('this machine is never reached through a proxy, whatever the variables say [A-166]', async () => {
  await using world = await startWorld();
  await using plain = await startHttp((_, response) => response.end('plain'));
  await using proxy = await startConnectProxy(world.server.port);
  const uri = `http://127.0.0.1:${proxy.port}`;
  const env = { HTTP_PROXY: uri, HTTPS_PROXY: uri, http_proxy: uri, https_proxy: uri, ALL_PROXY: uri };
  await using http = testHttp({}, { env, caFile: world.caFile });
  assert.equal(await textOf(await send(http, plain.origin)), 'plain');
  assert.equal(await textOf(await send(http, `http://localhost:${plain.port}/`)), 'plain');
  assert.equal(await textOf(await send(http, `https://localhost:${world.server.port}/`)), 'localhost');
  assert.equal((await send(http, world.server.origin)).status, 200);
  assert.deepEqual(proxy.asked, []);
});

test('an address in the URL is judged in front of a proxy too; plain http never goes through one [A-4]', async () => {
  await using proxy = await startConnectProxy(1);
  const uri = `http://127.0.0.1:${proxy.port}`;
  await using http = testHttp({ 'name.example': ['10.0.0.1'] }, { env: { HTTPS_PROXY: uri, HTTP_PROXY: uri } });
  for (const host of ['169.254.169.254', '10.0.0.1', '[fd00:ec2::254]', '127.0.0.1', '[::ffff:a00:1]']) {
    await failureOf(send(http, `https://${host}/`, { namedBy: 'public' }), 'address_refused');
  }
  await failureOf(send(http, 'http://name.example/'), 'url_refused');
  await failureOf(send(http, 'http://name.example/', { namedBy: 'public' }), 'url_refused');
  assert.deepEqual(proxy.asked, []);
});

test('a dead proxy is named as what failed, with what to check, and not as if it were the server', async () => {
  const dead = await freePort();
  const proves = ({ message, remedy }: Failure, proxy: string) => {
    assert.ok(message.includes('good.example') && message.includes(`proxy "${proxy}"`), message);
    assert.match(remedy, /HTTPS_PROXY.*good\.example.*NO_PROXY/);
  };
  for (const proxy of [`127.0.0.1:${dead}`, 'nowhere.example:1']) {
    await using http = testHttp({}, { env: { HTTPS_PROXY: `http://${proxy}` } });
    proves(await failureOf(send(http, 'https://good.example/'), 'network_failed'), proxy);
  }
  await using plain = await startHttp((_, response) => response.end('no TLS here'));
  await using http = testHttp({}, { env: { HTTPS_PROXY: `https://127.0.0.1:${plain.port}` } });
  proves(await failureOf(send(http, 'https://good.example/'), 'tls_failed'), `127.0.0.1:${plain.port}`);
});

test('a private address that a person reaches through a proxy is none for a public server to name [A-6]', async () => {
  await using world = await startWorld();
  await using proxy = await startConnectProxy(world.server.port);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  await using http = testHttp({}, { env, caFile: world.caFile });
  const url = 'https://10.1.2.3/';
  assert.equal((await send(http, url)).status, 200);
  // The tunnel stands open for the person's next request.
  await failureOf(send(http, url, { namedBy: 'public' }), 'address_refused');
  assert.equal(world.server.requests.length, 1);
});

test('credentials of the proxy go to the proxy, and into no message [A-166]', async () => {
  await using world = await startWorld();
  const secret = 'CANARY%20word';
  for (const status of [200, 407, 403, 502]) {
    await using proxy = await startConnectProxy(world.server.port, status);
    const env = { HTTPS_PROXY: `http://user:${secret}@127.0.0.1:${proxy.port}` };
    await using http = testHttp({}, { env, caFile: world.caFile });
    const work = send(http, 'https://good.example/');
    if (status === 200) assert.equal(await textOf(await work), 'good.example');
    else {
      const failure = await failureOf(work, 'network_failed');
      assert.match(failure.message, new RegExp(`proxy.*127\\.0\\.0\\.1:${proxy.port}.*${status}`));
      assert.match(failure.remedy, /HTTPS_PROXY/);
      assert.doesNotMatch(everythingIn(failure), /CANARY|user/);
    }
    const expected = `Basic ${Buffer.from('user:CANARY word').toString('base64')}`;
    assert.deepEqual(proxy.authorizations, [expected]);
  }
});

test('a proxy that is dead, hangs up or is no proxy is the one that is blamed [A-166]', async () => {
  await using hangingUp = await startHttp((request) => request.socket.destroy());
  await using gone = await startHttp(() => undefined);
  const port = gone.port;
  await gone[Symbol.asyncDispose]();
  for (const proxyPort of [port, hangingUp.port]) {
    await using http = testHttp({}, { env: { HTTPS_PROXY: `http://u:CANARY@localhost:${proxyPort}` } });
    const failure = await failureOf(send(http, 'https://good.example/'), 'network_failed');
    assert.match(failure.message, new RegExp(`localhost:${proxyPort}`));
    assert.doesNotMatch(everythingIn(failure), /CANARY/);
  }
});

test('a proxy setting that cannot be used is named, its value is not shown [A-166]', async () => {
  for (const value of ['socks5://u:CANARY@h:1', 'http://CANARY:x@[', 'http://%zz:CANARY@h', 'ftp://CANARY/']) {
    await using http = testHttp({}, { env: { HTTPS_PROXY: value } });
    const failure = await failureOf(send(http, 'https://good.example/'), 'network_setting_unusable');
    assert.equal(failure.exit, 2);
    assert.match(failure.message, /HTTPS_PROXY/);
    assert.doesNotMatch(everythingIn(failure), /CANARY/);
  }
});

test('what NO_PROXY lists is reached directly, and then its addresses are judged', async () => {
  await using world = await startWorld();
  await using proxy = await startConnectProxy(world.server.port);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'other, .example:8443 good.example' };
  await using http = testHttp({ 'good.example': ['127.0.0.1'] }, { env, caFile: world.caFile });
  const response = await send(http, `https://good.example:${world.server.port}/`);
  assert.equal(await textOf(response), 'good.example');
  assert.equal(response.zone, 'loopback');
  assert.deepEqual(http.asked, ['good.example']);
  assert.deepEqual(proxy.asked, []);
});
