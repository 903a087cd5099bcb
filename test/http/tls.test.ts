import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { ask, codesOf, startConnections } from '../relay/start-connections.js';
import { startCanaries } from '../support/canary.js';
import { type Authority, startAuthority } from '../support/certificates.js';
import { everythingIn, failureOf, send, testHttp, textOf } from '../support/http.js';
import { startHttp } from '../support/http-server.js';

const names = { 'good.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] };

const shared = await startAuthority();
after(() => shared[Symbol.asyncDispose]());

async function withAuthority(work: (authority: Authority) => Promise<void>): Promise<void> {
  await work(shared);
}

test('TLS to a name and to an address, with an authority of our own; the name goes in SNI and Host [A-7]', () =>
  withAuthority(async (authority) => {
    const certificate = await authority.issue('DNS:good.example,IP:127.0.0.1,DNS:localhost');
    await using server = await startHttp((request, response) => {
      response.end(JSON.stringify([(request.socket as TLSSocket).servername, request.headers.host]));
    }, certificate);
    await using http = testHttp(names, { caFile: authority.caFile });
    const { port } = server;
    const seen = async (host: string): Promise<unknown> =>
      JSON.parse(await textOf(await send(http, `https://${host}:${port}/`)));
    assert.deepEqual(await seen('good.example'), ['good.example', `good.example:${port}`]);
    assert.deepEqual(await seen('127.0.0.1'), [false, `127.0.0.1:${port}`]);
    assert.deepEqual(await seen('localhost'), ['localhost', `localhost:${port}`]);
    assert.equal(server.connections.opened, 3);
  }));

test('self-signed, expired, for another name, of an unknown authority: each its own sentence [A-130]', () =>
  withAuthority(async (authority) => {
    const good = 'DNS:good.example';
    const cases = [
      [await authority.selfSigned(good), /self-signed/, authority.caFile],
      [await authority.issue(good, -1), /expired/, authority.caFile],
      [await authority.issue('DNS:elsewhere.example'), /another name.*elsewhere\.example/, authority.caFile],
      [await authority.issue(good), /not known here/, undefined],
    ] as const;
    for (const [certificate, sentence, caFile] of cases) {
      let arrived = '';
      await using server = await startHttp((request, response) => {
        arrived += request.headers.authorization;
        response.end('never');
      }, certificate);
      await using http = testHttp(names, caFile === undefined ? {} : { caFile });
      const request = send(http, `https://good.example:${server.port}/?CANARY`, {
        headers: [['authorization', 'Bearer CANARY']],
      });
      const failure = await failureOf(request, 'tls_failed');
      assert.equal(failure.exit, 6);
      assert.match(failure.message, sentence);
      assert.match(failure.message, new RegExp(`good\\.example:${server.port}`));
      assert.doesNotMatch(everythingIn(failure), /CANARY/);
      assert.equal(arrived, '');
    }
  }));

test('a redirect from https to http of the same host sends nothing in clear [A-154] [A-8]', () =>
  withAuthority(async (authority) => {
    await using canaries = await startCanaries();
    const certificate = await authority.issue('IP:127.0.0.1');
    const location = `http://127.0.0.1:${canaries.ports['127.0.0.1']}/`;
    await using server = await startHttp((_, response) => {
      response.writeHead(302, { location }).end();
    }, certificate);
    await using http = testHttp({}, { caFile: authority.caFile });
    for (const redirects of ['same-origin', 'refuse'] as const) {
      await failureOf(send(http, server.origin, { redirects }), 'redirect_refused');
    }
    assert.deepEqual(canaries.visits, []);
  }));

test('NODE_TLS_REJECT_UNAUTHORIZED=0 opens nothing [A-130]', () =>
  withAuthority(async (authority) => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const certificate = await authority.selfSigned('DNS:good.example');
      await using server = await startHttp((_, response) => response.end('never'), certificate);
      await using http = testHttp(names, { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
      await failureOf(send(http, `https://good.example:${server.port}/`), 'tls_failed');
      assert.deepEqual(server.requests, []);
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  }));

test('TLS older than 1.2, and a server that speaks none, are told apart from a dead one [A-130]', () =>
  withAuthority(async (authority) => {
    const certificate = await authority.issue('IP:127.0.0.1');
    const old = { ...certificate, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const;
    await using server = await startHttp((_, response) => response.end('never'), old);
    await using plain = await startHttp((_, response) => response.end('never'));
    await using http = testHttp({}, { caFile: authority.caFile });
    await failureOf(send(http, server.origin), 'tls_failed');
    const failure = await failureOf(send(http, plain.origin.replace('http', 'https')), 'tls_failed');
    assert.match(failure.remedy, /\bhttp\b/, 'it may be meant without TLS');
  }));

test('a client certificate is shown to a server that asks for one', () =>
  withAuthority(async (authority) => {
    const certificate = await authority.issue('IP:127.0.0.1');
    const client = await authority.issue('DNS:client');
    const options = { ...certificate, ca: [await caOf(authority)], requestCert: true, rejectUnauthorized: true };
    await using server = await startHttp((request, response) => {
      response.end((request.socket as TLSSocket).getPeerCertificate().subjectaltname);
    }, options);
    const { caFile } = authority;
    const { certFile, keyFile } = client;
    const clientCertificates = [{ origins: [server.origin], certFile, keyFile }];
    await using http = testHttp({}, { caFile, clientCertificates });
    assert.equal(await textOf(await send(http, server.origin)), 'DNS:client');
    await using without = testHttp({}, { caFile });
    // With TLS 1.3 it says so after the handshake, on a connection that is open.
    const refused = await failureOf(send(without, server.origin), 'tls_failed');
    assert.match(refused.message, /CERTIFICATE_REQUIRED|client certificate/);
    await using stand = startConnections(server.origin, { caFile });
    assert.deepEqual(codesOf((await ask(stand)).error)[0], 'tls_failed');
  }));

test('a CA or certificate file that cannot be used is named as the setting it is', () =>
  withAuthority(async (authority) => {
    const certificate = await authority.issue('IP:127.0.0.1');
    await using server = await startHttp((_, response) => response.end('never'), certificate);
    const clientCertificates = [
      { origins: [server.origin], certFile: certificate.keyFile, keyFile: certificate.certFile },
    ];
    for (const options of [{ caFile: `${authority.caFile}.none` }, { clientCertificates }]) {
      await using http = testHttp({}, options);
      const failure = await failureOf(send(http, server.origin), 'network_setting_unusable');
      assert.equal(failure.exit, 2);
    }
  }));

test('NODE_EXTRA_CA_CERTS stays trusted beside a CA file of our own', () =>
  withAuthority(async (authority) => {
    await using other = await startAuthority();
    const certificate = await authority.issue('IP:127.0.0.1');
    await using server = await startHttp((_, response) => response.end('ok'), certificate);
    await using http = testHttp({}, { caFile: other.caFile, env: { NODE_EXTRA_CA_CERTS: authority.caFile } });
    assert.equal(await textOf(await send(http, server.origin)), 'ok');
  }));

async function caOf(authority: Authority): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(authority.caFile, 'utf8');
}
