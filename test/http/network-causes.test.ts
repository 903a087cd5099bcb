import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverRedirects } from '../../src/http/failures.js';
import { codeOf, failureOf as told } from '../../src/http/network-failures.js';
import { everythingIn, failureOf, send, testHttp, textOf } from '../support/http.js';
import { startHttp, startTcp } from '../support/http-server.js';

test('a refused connection says host, port, what it means and what to do', async () => {
  const server = await startHttp(() => undefined);
  await server[Symbol.asyncDispose]();
  await using http = testHttp();
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    const failure = await failureOf(send(http, `http://${host}:${server.port}/`), 'network_failed');
    assert.equal(failure.exit, 6);
    assert.ok(failure.message.includes(`${host}:${server.port}`));
    assert.match(failure.message, /ECONNREFUSED/);
    assert.notEqual(failure.remedy, '');
    assert.equal(codeOf(failure.cause), 'ECONNREFUSED');
  }
});

test('a name that does not exist and a name service that is silent are told apart', async () => {
  const remedies = new Set<string>();
  for (const code of ['ENOTFOUND', 'EAI_AGAIN']) {
    const resolve = async (): Promise<string[]> => Promise.reject(Object.assign(new Error('x'), { code }));
    await using http = testHttp({}, { resolve });
    const failure = await failureOf(send(http, 'https://none.example/'), 'network_failed');
    assert.match(failure.message, /none\.example:443/);
    assert.ok(failure.message.includes(code));
    remedies.add(failure.remedy);
  }
  assert.equal(remedies.size, 2);
  await using http = testHttp({ 'empty.example': [] });
  await failureOf(send(http, 'https://empty.example/'), 'network_failed');
});

test('hanging up before or within the answer, and what is no HTTP, are told [A-131]', async () => {
  const cases = [
    ['', /closed the connection|broke off/],
    ['HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nCANARY', /closed the connection|another amount|broke off/],
    ['SSH-2.0-CANARY\r\n', /did not send valid HTTP/],
    ['HTTP/1.1 200 OK\r\nbad header CANARY\r\n\r\n', /did not send valid HTTP/],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nCANARY\r\n', /did not send valid HTTP/],
  ] as const;
  for (const [bytes, sentence] of cases) {
    let count = 0;
    await using server = await startTcp((socket) => {
      count += 1;
      socket.once('data', () => socket.end(bytes));
    });
    await using http = testHttp();
    const failure = await failureOf(
      send(http, server.origin, { method: 'POST', body: 'code=CANARY' }).then(textOf),
      'network_failed',
    );
    assert.match(failure.message, sentence);
    assert.doesNotMatch(everythingIn(failure), /CANARY/);
    assert.equal(count, 1);
  }
});

test('every cause that a system has is a sentence with a remedy, and keeps its code', () => {
  const target = { host: 'h.example', port: 443 };
  const network = ['ETIMEDOUT', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE', 'EACCES', 'EODD'];
  const tls = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'];
  const more = ['SELF_SIGNED_CERT_IN_CHAIN', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'EPROTO', 'ERR_TLS_X'];
  const sentences = new Set<string>();
  for (const code of [...network, ...tls, ...more]) {
    const error = Object.assign(new Error('CANARY'), { code, data: 'CANARY' });
    const failure = told(new AggregateError([error, new Error('other')]), target) as Error & { code: string };
    assert.equal(failure.code, network.includes(code) ? 'network_failed' : 'tls_failed');
    assert.match(failure.message, /^[A-Z"].*h\.example:443.*\.$/);
    assert.equal(codeOf(failure.cause), code);
    assert.doesNotMatch(failure.message + String(failure.cause), /CANARY/);
    sentences.add(failure.message);
  }
  assert.equal(sentences.size, network.length + tls.length + more.length);
});

test('a GET on a kept connection that the server just closed is sent once more, a POST is not [A-131]', async () => {
  for (const [method, expected] of [
    ['GET', 200],
    ['POST', 'network_failed'],
  ] as const) {
    let hangUp = false;
    await using server = await startHttp((request, response) => {
      if (hangUp) {
        hangUp = false;
        request.socket.destroy();
      } else response.end('ok');
    });
    await using http = testHttp();
    await textOf(await send(http, server.origin));
    hangUp = true;
    const body = method === 'POST' ? { body: 'code=1' } : {};
    const outcome = await send(http, server.origin, { method, ...body }).catch((error) => error);
    assert.equal(outcome.status ?? outcome.code, expected);
    assert.equal(server.requests.length, method === 'GET' ? 3 : 2);
  }
});

test('what is sent once more has headers of its own, where one of them is good once (a proof of DPoP)', async () => {
  let hangUp = false;
  const sent: unknown[] = [];
  await using server = await startHttp((request, response) => {
    sent.push(request.headers['dpop']);
    if (hangUp) {
      hangUp = false;
      request.socket.destroy();
    } else response.end('ok');
  });
  await using http = testHttp();
  let proofs = 0;
  const proof = () => {
    proofs += 1;
    return [['dpop', `proof-${proofs}`]] as const;
  };
  await textOf(await send(http, server.origin));
  hangUp = true;
  await textOf(await send(http, server.origin, { headers: proof(), headersAgain: proof }));
  assert.deepEqual(sent, [undefined, 'proof-1', 'proof-2']);
});

test('a GET that is never answered is not sent again and again [A-131]', async () => {
  await using server = await startHttp((request) => request.socket.destroy());
  await using http = testHttp();
  await failureOf(send(http, server.origin), 'network_failed');
  assert.equal(server.requests.length, 1);
});

test('a redirect that hides https is blamed on the proxy, one that leads to https is not', () => {
  const remedyOf = (to: string) => serverRedirects({ server: 'https://h.example/mcp' }, 301, to).remedy;
  assert.match(remedyOf('http://h.example/mcp/'), /^The server’s proxy hides https/);
  assert.match(remedyOf('http://h.example:8080/mcp'), /^The server’s proxy hides https and the port/);
  assert.match(remedyOf('https://h.example:8443/mcp'), /^The server’s proxy hides the port/);
  assert.match(remedyOf('https://www.h.example/mcp'), /^If that is a page to sign in/);
  assert.match(
    serverRedirects({ server: 'http://localhost/mcp' }, 301, 'https://localhost:8443/mcp').remedy,
    /^If that/,
  );
});
