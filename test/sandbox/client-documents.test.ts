import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { startCanaries } from '../support/canary.js';
import { startHttp } from '../support/http-server.js';
import { needs } from '../support/needs.js';
import { type Sandbox, startSandbox } from '../support/start-sandbox.js';
import { authorizationUrl, listenForCallback, loggedIn, tokenRequest } from './client.js';
import {
  answerFor,
  type Document,
  type DocumentHost,
  documentAt,
  redirectUri,
  startDocumentHost,
} from './document-host.js';
import { Tab } from './tab.js';

const json = { 'content-type': 'application/json' };
const kept = { 'cache-control': 'max-age=600' };

describe('client ID metadata documents', { skip: needs('openssl') }, () => {
  let host: DocumentHost;
  let sandbox: Sandbox;

  before(async () => {
    host = await startDocumentHost();
    sandbox = await startSandbox({ metadataDocuments: host.rules });
  });

  after(async () => {
    await sandbox.close();
    await host[Symbol.asyncDispose]();
  });

  async function consent(clientId: string, redirect_uri = redirectUri): Promise<string> {
    const tab = new Tab();
    await tab.open(authorizationUrl(sandbox, { client_id: clientId, redirect_uri }));
    await tab.press('account', 'alice');
    return tab.html.replaceAll('<wbr>', '');
  }

  test('[R-1.8b] [R-4.4a] [R-5.8h] a client logs in with the address of its document; it is fetched once, its host is shown', async () => {
    await using callback = await listenForCallback();
    host.serve(undefined, kept);
    const clientId = `${host.origin}/client.json`;
    const { redemption } = await loggedIn(sandbox, callback, clientId);
    const { status, json: tokens } = await tokenRequest(sandbox, redemption);
    assert.deepEqual([status, typeof tokens['refresh_token']], [200, 'string']);
    const identified = `Identified by</dt><dd>${new URL(host.origin).host} <code>${clientId}<`;
    assert.match(await consent(clientId), new RegExp(identified));
    assert.equal(host.server.requests.filter((line) => line === 'GET /client.json').length, 1);
  });

  test('[R-5.8h] [A-63] [A-276] consent names the document, warns of this computer and of another host, and shows no logo', async () => {
    const elsewhere = 'https://elsewhere.invalid/cb';
    host.serve((document) => ({
      ...document,
      client_name: `Your bank. ${'x'.repeat(100)}`,
      logo_uri: `${host.origin}/logo.svg`,
      redirect_uris: [redirectUri, elsewhere],
    }));
    const clientId = `${host.origin}/consent.json`;
    const local = await consent(clientId);
    assert.match(local, /<dd>127\.0\.0\.1 <small>on this computer/);
    assert.match(local, new RegExp(`${new URL(host.origin).host} cannot tell them apart`));
    assert.match(await consent(clientId, elsewhere), /<dd>elsewhere\.invalid<.*The answer goes to another host/s);
    assert.doesNotMatch(local, /x{60}|<img|logo/);
    assert.ok(!host.server.requests.includes('GET /logo.svg'));
  });

  test('[R-4.4b] [A-276] a document that is not what a client may be made of is refused, and the page says why', async () => {
    const cases: readonly (readonly [(document: Document) => unknown, RegExp])[] = [
      [(document) => ({ ...document, client_id: `${document['client_id']}/` }), /client_id does not match/],
      [(document) => ({ ...document, client_secret: 'canary' }), /must not contain client_secret/],
      [(document) => ({ ...document, redirect_uris: ['http://evil.invalid/canary'] }), /redirect_uris/],
    ];
    for (const [at, [change, why]] of cases.entries()) {
      host.serve(change);
      const { status, page } = await answerFor(sandbox, `${host.origin}/bad${at}.json`);
      assert.equal(status, 400, String(why));
      assert.match(page, why);
      assert.doesNotMatch(page, /canary/);
    }
    host.serve();
    assert.equal((await answerFor(sandbox, `${host.origin}/bad0.json`)).status, 303, 'mended, it works at once');
  });

  test('[R-5.8g] [A-272] [A-274] what may not be fetched, or is no such address, is not: no connection is made', async () => {
    await using canaries = await startCanaries();
    const port = canaries.ports['127.0.0.1'];
    const [before, asked] = [host.server.connections.opened, host.server.requests.length];
    const refused = [
      `https://localhost:${port}/c.json`,
      `https://127.0.0.1:${port}/c.json`,
      `https://2130706433:${port}/c.json`,
      `https://[::ffff:127.0.0.1]:${port}/c.json`,
      `https://[64:ff9b::7f00:1]:${port}/c.json`,
      `https://[::1]:${canaries.ports['::1']}/c.json`,
      `https://0.0.0.0:${port}/c.json`,
      'https://10.0.0.1/c.json',
      'https://169.254.169.254/c.json',
      `${host.origin}/`,
      `${host.origin.replace('https', 'http')}/c.json`,
      `${host.origin}/a/../c.json`,
      `${host.origin}/%2e%2e/c.json`,
      `${host.origin}/c.json#`,
      `${host.origin.replace('//', '//u:p@')}/c.json`,
      `${host.origin}/${'x'.repeat(10_000)}`,
      `https://localhost.:${host.server.port}/c.json`,
    ];
    for (const clientId of refused)
      assert.equal((await answerFor(sandbox, clientId)).status, 400, clientId.slice(0, 80));
    await using closed = await startSandbox({ metadataDocuments: { caFile: host.authority.caFile } });
    assert.equal((await answerFor(closed, `${host.origin}/c.json`)).status, 400);
    assert.equal(canaries.visits.length, 0);
    assert.deepEqual([host.server.connections.opened, host.server.requests.length], [before, asked]);
  });

  test('[R-5.8i] [R-5.8f] a client of a domain that is not on the list gets a page that says so, and no fetch, no redirect', async () => {
    const trusting = (trust: readonly string[]) => startSandbox({ metadataDocuments: { ...host.rules, trust } });
    await using others = await trusting(['client.example', '*.client.example']);
    await using ours = await trusting([`127.0.0.1:${host.server.port}`]);
    host.serve();
    const before = host.server.connections.opened;
    const { status, page } = await answerFor(others, `${host.origin}/c.json`);
    assert.equal(status, 400);
    assert.match(page, /only clients of domains on its list.*127\.0\.0\.1/s);
    assert.equal(host.server.connections.opened, before);
    assert.equal((await answerFor(ours, `${host.origin}/c.json`)).status, 303);
  });

  test('[R-5.8g] [R-5.8f] [A-273] [A-275] redirects, other statuses, types, encodings, lies and certificates: one and the same refusal', async () => {
    const text = JSON.stringify(documentAt(`${host.origin}/c.json`));
    const answers: readonly ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(302, { location: `${host.origin}/elsewhere.json` }).end(),
      (response) => response.writeHead(307, { location: 'https://169.254.169.254/canary' }).end(text),
      (response) => response.writeHead(203, json).end(text),
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(text),
      (response) => response.writeHead(200).end(text),
      (response) => response.writeHead(200, { ...json, 'content-encoding': 'identity, br' }).end(text),
      (response) => response.writeHead(200, json).end(gzipSync(Buffer.alloc(5_000_000))),
      (response) => response.writeHead(200, json).end('no JSON, canary'),
      (response) => response.writeHead(200, json).end(`${text.slice(0, -1)},"client_name":"canary"}`),
      (response) => response.writeHead(200, json).end(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
      (response) => response.writeHead(200, json).end(text + ' '.repeat(5121 - text.length)),
      (response) => response.writeHead(200, { ...json, 'content-length': '999999999' }).write(text),
      (response) => response.writeHead(200, { ...json, 'x-large': 'x'.repeat(20_000) }).end(text),
      (response) => response.destroy(),
      (response) => void response.socket?.end('SSH-2.0-canary\r\n'),
    ];
    host.respond((request, response) => answers[Number(request.url?.slice(1))]?.(response));
    const before = host.server.requests.length;
    const pages = await Promise.all(answers.map((_, at) => answerFor(sandbox, `${host.origin}/${at}`)));
    assert.equal(host.server.requests.length - before, answers.length, 'each was asked once');

    await using plain = await startHttp((_request, response) => response.writeHead(200, json).end('{}'));
    await using misnamed = await startHttp(
      (request, response) =>
        response.writeHead(200, json).end(JSON.stringify(documentAt(`https://${request.headers.host}/c.json`))),
      await host.authority.issue('DNS:another.example'),
    );
    const places = [plain, misnamed].map(({ port }) => `127.0.0.1:${port}`);
    const allow = [...host.rules.allow, ...places];
    await using trusting = await startSandbox({ metadataDocuments: { ...host.rules, allow } });
    await using doubting = await startSandbox({ metadataDocuments: { allow } });
    host.serve();
    pages.push(await answerFor(doubting, `${host.origin}/c.json`));
    for (const place of places) pages.push(await answerFor(trusting, `https://${place}/c.json`));
    assert.deepEqual([plain.requests, misnamed.requests], [[], []]);

    assert.deepEqual(new Set(pages.map(({ status }) => status)), new Set([400]));
    assert.equal(new Set(pages.map(({ page }) => page)).size, 1);
    assert.match(pages[0]?.page ?? '', /could not be read: it must be a JSON object/);
    assert.doesNotMatch(pages[0]?.page ?? '', /canary/);
    assert.ok(!host.server.requests.includes('GET /elsewhere.json'));
  });

  test('[R-5.8g] [A-275] what never ends is given up, however it dawdles; meanwhile others are served', async () => {
    const drip = (response: ServerResponse, drop: () => void): void => {
      const timer = setInterval(drop, 50);
      response.once('close', () => clearInterval(timer));
    };
    const dawdlers: Readonly<Record<string, (response: ServerResponse) => void>> = {
      '/silent': () => undefined,
      '/head': (response) => void response.socket?.write('HTTP/1.1 200 OK\r\nx-a'),
      '/body': (response) => drip(response.writeHead(200, json), () => response.write(' ')),
    };
    host.serve(undefined, kept);
    assert.equal((await answerFor(sandbox, `${host.origin}/good`)).status, 303);
    host.respond((request, response) => dawdlers[request.url ?? '']?.(response));
    const slow = Object.keys(dawdlers).map(async (path) => (await answerFor(sandbox, `${host.origin}${path}`)).status);
    assert.equal((await answerFor(sandbox, `${host.origin}/good`)).status, 303);
    assert.deepEqual(await Promise.all(slow), [400, 400, 400]);
  });

  async function makeKey(kid: string, { issuer }: Sandbox) {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const sign = (clientId: string, audience = issuer, claims = {}) =>
      new SignJWT({ iss: clientId, sub: clientId, aud: audience, jti: crypto.randomUUID(), ...claims })
        .setProtectedHeader({ alg: 'ES256', kid })
        .setIssuedAt()
        .setExpirationTime('1 minute')
        .sign(privateKey);
    return { jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }, sign };
  }

  test('[R-4.4a] [R-4.4b] the keys in the document open the token endpoint as long as they are published, and nothing else does', async () => {
    await using at = await startSandbox({ metadataDocuments: host.rules }); // which fetches sixty documents a minute
    await using callback = await listenForCallback();
    const [old, next] = [await makeKey('old', at), await makeKey('next', at)];
    const publish = (cache: string, ...keys: readonly (typeof old)[]): void =>
      host.serve(
        (document) => ({
          ...document,
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_signing_alg: 'ES256',
          jwks: { keys: keys.map(({ jwk }) => jwk) },
        }),
        { 'cache-control': cache },
      );
    let clientId = `${host.origin}/signing.json`;
    const redeemed = async (client_assertion: string | null): Promise<number> => {
      const { redemption } = await loggedIn(at, callback, clientId);
      const client_assertion_type = client_assertion && 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      return (await tokenRequest(at, { ...redemption, client_assertion, client_assertion_type })).status;
    };
    publish('max-age=600', old);
    const assertion = await old.sign(clientId);
    assert.equal(await redeemed(assertion), 200);
    for (const [why, wrong] of [
      ['none at all', null],
      ['used before', assertion],
      ['another key under the same name', await (await makeKey('old', at)).sign(clientId)],
      ['for the token endpoint', await old.sign(clientId, `${at.issuer}/token`)],
      ['another subject', await old.sign(clientId, at.issuer, { sub: `${clientId}x` })],
      ['unsigned', `${Buffer.from('{"alg":"none"}').toString('base64url')}.${assertion.split('.')[1]}.`],
    ] as const)
      assert.match(String(await redeemed(wrong)), /^40[01]$/, why);
    assert.equal(await redeemed(await next.sign(clientId)), 401, 'not published yet');
    clientId = `${host.origin}/rotating.json`;
    publish('no-store', old, next);
    assert.deepEqual([await redeemed(await old.sign(clientId)), await redeemed(await next.sign(clientId))], [200, 200]);
    publish('no-store', next);
    assert.equal(await redeemed(await old.sign(clientId)), 401, 'published no more');
  });
});
