import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startCanaries } from '../../support/canary.js';
import { needs } from '../../support/needs.js';
import { startSandbox } from '../../support/start-sandbox.js';
import { authorizationUrl, listenForCallback, loggedIn, tokenRequest } from '../client.js';
import { answerFor, type Document, type DocumentHost, redirectUri, startDocumentHost } from '../document-host.js';
import { Tab } from '../tab.js';

describe('client ID metadata documents', { skip: needs('openssl') }, () => {
  let host: DocumentHost;

  before(async () => {
    host = await startDocumentHost();
  });

  after(() => host[Symbol.asyncDispose]());

  test('[R-1.8b] [R-4.4a] [R-5.8h] a client logs in with the address of its document; it is fetched once, its host is shown', async () => {
    await using sandbox = await startSandbox({ metadataDocuments: host.rules });
    await using callback = await listenForCallback();
    host.serve((document) => document, { 'cache-control': 'max-age=600' });
    const clientId = `${host.origin}/client.json`;
    const { redemption } = await loggedIn(sandbox, callback, clientId);
    const { status, json } = await tokenRequest(sandbox, redemption);
    assert.deepEqual([status, typeof json['refresh_token']], [200, 'string']);
    const tab = new Tab();
    await tab.open(authorizationUrl(sandbox, { client_id: clientId, redirect_uri: redirectUri }));
    await tab.press('account', 'bob');
    const identified = `Identified by</dt><dd>${new URL(host.origin).host} <code>${clientId}<`;
    assert.match(tab.html.replaceAll('<wbr>', ''), new RegExp(identified));
    assert.equal(host.server.requests.filter((line) => line === 'GET /client.json').length, 1);
  });

  test('[R-5.8h] [A-63] [A-276] consent names the document, warns of this computer and of another host, and shows no logo', async () => {
    await using sandbox = await startSandbox({ metadataDocuments: host.rules });
    await using canaries = await startCanaries();
    const logo = `https://127.0.0.1:${canaries.ports['127.0.0.1']}/logo.svg`;
    const elsewhere = 'https://elsewhere.invalid/cb';
    host.serve((document) => ({
      ...document,
      client_name: `Your bank. ${'x'.repeat(100)}`,
      logo_uri: logo,
      redirect_uris: [redirectUri, elsewhere],
    }));
    const clientId = `${host.origin}/consent.json`;
    const consent = async (asked: string): Promise<string> => {
      const tab = new Tab();
      await tab.open(authorizationUrl(sandbox, { client_id: clientId, redirect_uri: asked }));
      await tab.press('account', 'alice');
      return tab.html;
    };
    const local = await consent(redirectUri);
    assert.match(local, /<dd>127\.0\.0\.1 <small>on this computer/);
    assert.match(local, new RegExp(`${new URL(host.origin).host} cannot tell them apart`));
    assert.match(await consent(elsewhere), /<dd>elsewhere\.invalid<.*The answer goes to another host/s);
    assert.doesNotMatch(local, /x{60}|<img|logo/);
    assert.equal(canaries.visits.length, 0);
  });

  test('[R-4.4b] [A-276] a document that is not what a client may be made of is refused, and the page says why', async () => {
    await using sandbox = await startSandbox({ metadataDocuments: host.rules });
    const cases: readonly (readonly [(document: Document) => unknown, RegExp])[] = [
      [(document) => ({ ...document, client_id: `${document['client_id']}/` }), /client_id does not match/],
      [(document) => ({ ...document, client_secret: 'canary' }), /must not contain client_secret/],
      [(document) => ({ ...document, redirect_uris: ['http://evil.invalid/canary'] }), /redirect_uris/],
      [(document) => ({ ...document, redirect_uris: ['http://127.0.0.1/other'] }), /redirect_uri/],
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

  test('[R-5.8g] [A-272] [A-274] addresses that may not be fetched are not: no connection is made', async () => {
    await using sandbox = await startSandbox({ metadataDocuments: { caFile: host.authority.caFile } });
    await using canaries = await startCanaries();
    const port = canaries.ports['127.0.0.1'];
    const before = host.server.connections.opened;
    const refused = [
      `${host.origin}/client.json`,
      `https://localhost:${port}/c.json`,
      `https://127.0.0.1:${port}/c.json`,
      `https://2130706433:${port}/c.json`,
      `https://0x7f.1:${port}/c.json`,
      `https://[::ffff:127.0.0.1]:${port}/c.json`,
      `https://[::ffff:7f00:1]:${port}/c.json`,
      `https://[64:ff9b::7f00:1]:${port}/c.json`,
      `https://[::1]:${canaries.ports['::1']}/c.json`,
      `https://0.0.0.0:${port}/c.json`,
      'https://10.0.0.1/c.json',
      'https://169.254.169.254/c.json',
    ];
    await Promise.all(
      refused.map(async (clientId) => assert.equal((await answerFor(sandbox, clientId)).status, 400, clientId)),
    );
    assert.deepEqual([canaries.visits.length, host.server.connections.opened - before], [0, 0]);
  });

  test('[R-5.8g] [A-272] what is opened is one port of one host, and no other', async () => {
    await using sandbox = await startSandbox({ metadataDocuments: host.rules });
    await using canaries = await startCanaries();
    host.serve();
    assert.equal((await answerFor(sandbox, `${host.origin}/c.json`)).status, 303);
    assert.equal((await answerFor(sandbox, `https://localhost:${host.server.port}/c.json`)).status, 303);
    for (const place of [`127.0.0.1:${canaries.ports['127.0.0.1']}`, `localhost:${canaries.ports['127.0.0.1']}`]) {
      assert.equal((await answerFor(sandbox, `https://${place}/c.json`)).status, 400);
    }
    assert.equal(canaries.visits.length, 0);
  });

  test('[R-5.8g] [A-274] an identifier of the wrong form is turned away unfetched', async () => {
    await using sandbox = await startSandbox({ metadataDocuments: host.rules });
    const before = host.server.connections.opened;
    for (const clientId of [
      host.origin,
      `${host.origin}/`,
      `${host.origin.replace('https', 'http')}/c.json`,
      `${host.origin.replace('https', 'HTTPS')}/c.json`,
      'https://127.0.0.1:22/c.json',
      `${host.origin}/a/../c.json`,
      `${host.origin}/%2e%2e/c.json`,
      `${host.origin}/c.json#f`,
      `${host.origin}/c.json#`,
      `${host.origin.replace('//', '//u:p@')}/c.json`,
      `${host.origin}/${'x'.repeat(10_000)}`,
      `https://LOCALHOST:${host.server.port}/c.json`,
      `https://localhost.:${host.server.port}/c.json`,
    ]) {
      assert.equal((await answerFor(sandbox, clientId)).status, 400, clientId.slice(0, 80));
    }
    assert.equal(host.server.connections.opened, before);
  });

  test('[R-5.8i] [R-5.8f] a client of a domain that is not on the list gets a page that says so, and no fetch, no redirect', async () => {
    const trust = ['client.example', '*.client.example'];
    await using sandbox = await startSandbox({ metadataDocuments: { ...host.rules, trust } });
    await using trusting = await startSandbox({
      metadataDocuments: { ...host.rules, trust: [`127.0.0.1:${host.server.port}`] },
    });
    host.serve();
    const before = host.server.connections.opened;
    const { status, page } = await answerFor(sandbox, `${host.origin}/c.json`);
    assert.equal(status, 400);
    assert.match(page, /only clients of domains on its list/);
    assert.match(page, /127\.0\.0\.1/);
    assert.equal(host.server.connections.opened, before);
    assert.equal((await answerFor(trusting, `${host.origin}/c.json`)).status, 303);
  });
});
