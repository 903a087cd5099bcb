import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import type { SandboxOptions } from '../../../src/sandbox/options.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start.js';
import { startCanaries } from '../../support/canary.js';
import { type Authority, type Certificate, startAuthority } from '../../support/certificates.js';
import { startHttp, type TestServer } from '../../support/http-server.js';
import { needs } from '../../support/needs.js';
import { authorizationUrl, listenForCallback, loggedIn, tokenRequest } from '../client.js';
import { Tab } from '../tab.js';

const redirectUri = 'http://127.0.0.1/callback';

describe('client ID metadata documents', { skip: needs('openssl') }, () => {
  let authority: Authority;
  let certificate: Certificate;
  let options: SandboxOptions;
  let host: TestServer;
  let answer: (request: IncomingMessage, response: ServerResponse, clientId: string) => void;

  before(async () => {
    authority = await startAuthority();
    certificate = await authority.issue('DNS:localhost,IP:127.0.0.1');
    options = { documentAuthorities: await readFile(authority.caFile, 'utf8'), allowLoopbackDocuments: true };
    host = await startHttp(
      (request, response) => answer(request, response, `${host.origin}${request.url}`),
      certificate,
    );
  });

  after(async () => {
    await host[Symbol.asyncDispose]();
    await authority[Symbol.asyncDispose]();
  });

  function serving(
    change: (document: Record<string, unknown>) => unknown,
    headers: Record<string, string> = {},
  ): void {
    answer = (_request, response, clientId) => {
      const document = change({
        client_id: clientId,
        client_name: 'Hosted client',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
      });
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      response.end(typeof document === 'string' ? document : JSON.stringify(document));
    };
  }

  async function statusFor(sandbox: Sandbox, clientId: string): Promise<number> {
    const response = await fetch(
      authorizationUrl(sandbox, { client_id: clientId, redirect_uri: redirectUri }),
      { redirect: 'manual' },
    );
    if (response.status !== 303) assert.equal(response.headers.get('location'), null);
    return response.status;
  }

  test('[R-1.8b] [R-4.4a] [R-5.8h] a client logs in with the address of its document; it is fetched once, its host is shown', async () => {
    await using sandbox = await startSandbox(options);
    await using callback = await listenForCallback();
    serving((document) => document, { 'cache-control': 'max-age=600' });
    const clientId = `${host.origin}/client.json`;
    const { redemption } = await loggedIn(sandbox, callback, clientId);
    const { status, json } = await tokenRequest(sandbox, redemption);
    assert.deepEqual([status, typeof json['refresh_token']], [200, 'string']);
    const tab = new Tab();
    await tab.open(authorizationUrl(sandbox, { client_id: clientId, redirect_uri: redirectUri }));
    await tab.press('account', 'bob');
    assert.match(tab.html, new RegExp(`Identified by</dt><dd>${new URL(host.origin).host}<`));
    assert.equal(sandbox.stats.documentFetches, 1);
    assert.equal(host.requests.filter((line) => line === 'GET /client.json').length, 1);
  });

  test('[R-4.4b] [A-276] a document that is not about its own address, or holds a secret, is refused', async () => {
    await using sandbox = await startSandbox(options);
    let count = 0;
    const refused = async (change: (document: Record<string, unknown>) => unknown): Promise<void> => {
      count += 1;
      serving(change);
      assert.equal(await statusFor(sandbox, `${host.origin}/bad${count}.json`), 400, change.toString());
    };
    await refused((document) => ({ ...document, client_id: `${document['client_id']}/` }));
    await refused((document) => ({ ...document, client_id: String(document['client_id']).toUpperCase() }));
    await refused((document) => ({ ...document, client_secret: 'x' }));
    await refused((document) => ({ ...document, token_endpoint_auth_method: 'client_secret_basic' }));
    await refused(({ redirect_uris: _, ...rest }) => rest);
    await refused((document) => ({ ...document, redirect_uris: ['http://127.0.0.1/other'] }));
    await refused((document) => ({ ...document, redirect_uris: [redirectUri, 'http://evil.invalid/cb'] }));
    await refused((document) => [document]);
    await refused((document) => JSON.stringify(document).slice(1));
    await refused((document) => ({ ...document, client_name: 'x'.repeat(6000) }));
  });

  test('[R-5.8g] [A-273] [A-275] redirects, other statuses, other media types and encodings: one and the same refusal', async () => {
    await using sandbox = await startSandbox(options);
    const pages = new Set<string>();
    const answers: readonly ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(302, { location: `${host.origin}/elsewhere.json` }).end(),
      (response) => response.writeHead(404, { 'content-type': 'application/json' }).end('{}'),
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('{}'),
      (response) =>
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('{}'),
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('no JSON, canary'),
      (response) => response.destroy(),
    ];
    for (const [at, give] of answers.entries()) {
      answer = (_request, response) => give(response);
      const url = authorizationUrl(sandbox, {
        client_id: `${host.origin}/${at}.json`,
        redirect_uri: redirectUri,
      });
      const response = await fetch(url, { redirect: 'manual' });
      assert.equal(response.status, 400);
      pages.add(await response.text());
    }
    assert.equal(pages.size, 1);
    assert.doesNotMatch([...pages].join(''), /canary/);
    assert.equal(host.requests.includes('GET /elsewhere.json'), false);
  });

  test('[R-5.8g] [A-275] a document that never ends is given up', async () => {
    await using sandbox = await startSandbox(options);
    answer = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    assert.equal(await statusFor(sandbox, `${host.origin}/slow.json`), 400);
  });

  test('[R-5.8g] [A-272] [A-274] addresses that may not be fetched are not: no connection is made', async () => {
    await using sandbox = await startSandbox({ ...options, allowLoopbackDocuments: false });
    await using canaries = await startCanaries();
    const port = canaries.ports['127.0.0.1'];
    const before = host.connections.opened;
    for (const clientId of [
      `${host.origin}/client.json`,
      `https://localhost:${port}/c.json`,
      `https://127.0.0.1:${port}/c.json`,
      `https://2130706433:${port}/c.json`,
      `https://0x7f.1:${port}/c.json`,
      `https://[::ffff:127.0.0.1]:${port}/c.json`,
      `https://[64:ff9b::7f00:1]:${port}/c.json`,
      `https://[::1]:${canaries.ports['::1']}/c.json`,
      `https://0.0.0.0:${port}/c.json`,
      'https://10.0.0.1/c.json',
      'https://169.254.169.254/c.json',
    ]) {
      assert.equal(await statusFor(sandbox, clientId), 400, clientId);
    }
    assert.deepEqual([canaries.visits.length, host.connections.opened - before], [0, 0]);
  });

  test('[R-5.8g] [R-5.8i] [A-274] an identifier of the wrong form, or of a host not on the list, is turned away unfetched', async () => {
    await using sandbox = await startSandbox(options);
    await using trusting = await startSandbox({ ...options, documentHosts: ['client.example'] });
    const before = host.connections.opened;
    for (const clientId of [
      host.origin,
      `${host.origin}/`,
      `${host.origin.replace('https', 'http')}/c.json`,
      `${host.origin.replace('https', 'HTTPS')}/c.json`,
      `${host.origin}/a/../c.json`,
      `${host.origin}/%2e%2e/c.json`,
      `${host.origin}/c.json#f`,
      `${host.origin.replace('//', '//u:p@')}/c.json`,
      `${host.origin}/${'x'.repeat(10_000)}`,
    ]) {
      assert.equal(await statusFor(sandbox, clientId), 400, clientId.slice(0, 80));
    }
    assert.equal(await statusFor(trusting, `${host.origin}/c.json`), 400);
    assert.equal(host.connections.opened, before);
  });
});
