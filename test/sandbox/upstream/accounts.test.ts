import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { makeStaticClient } from '../../../src/sandbox/static-client.js';
import { UpstreamAccounts } from '../../../src/sandbox/upstream-accounts.js';
import { UpstreamServer } from '../../../src/sandbox/upstream-server.js';
import { listenOnLoopback } from '../../../src/sandbox/wire/listen.js';
import { runProtected } from '../protected-server/protected.js';
import { TestSession } from '../protected-server/session.js';
import { Tab } from '../tab.js';

/** The upstream and its client, without the authorization server between them. */
async function connect() {
  const listener = await listenOnLoopback(0);
  let now = Date.now();
  const client = makeStaticClient('http://127.0.0.1:9');
  const upstream = new UpstreamServer(listener.origin, client, () => now);
  const accounts = new UpstreamAccounts(listener.origin, client, () => now);
  listener.serve(upstream.handler);
  /** What a browser comes back with, after `account` has allowed `clientId` here and everything there. */
  const visit = async (subject: string, clientId: string) => {
    const { location, cookie } = accounts.depart({ uid: 'login', subject, clientId, scopes: ['upstream:read'] });
    const tab = new Tab();
    await tab.open(location);
    await tab.press('decision', 'allow');
    const query = new URL(tab.headers.get('location') ?? '').searchParams;
    return { query, request: { headers: { cookie: cookie.split(';')[0] } } as IncomingMessage };
  };
  return {
    upstream,
    accounts,
    visit,
    later: (seconds: number) => {
      now += seconds * 1000;
    },
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}

test('[R-5.8j] a token of the upstream serves one person through one client: not another client of theirs, nor another person', async () => {
  await using connected = await connect();
  await using running = await runProtected({ accounts: connected.accounts });
  const { request, query } = await connected.visit('alice', 'client-1');
  assert.equal((await connected.accounts.arrive(request, query, true))?.clientId, 'client-1');
  const said = async (claims: Record<string, string>): Promise<string> => {
    const token = await running.token({ scope: 'mcp:basic upstream:read', ...claims });
    const session = await TestSession.open(running.url, token);
    return JSON.stringify(await session.result('tools/call', { name: 'upstream_profile' }));
  };
  assert.match(await said({}), /Robin/);
  assert.match(await said({ client_id: 'client-2' }), /not connected for you and this program/);
  assert.match(await said({ sub: 'bob' }), /not connected for you and this program/);
  assert.equal(connected.upstream.received.length, 1);
});

test('[R-5.8j] a way to the upstream is open for ten minutes, and its answer counts once', async () => {
  await using connected = await connect();
  const late = await connected.visit('alice', 'client-1');
  connected.later(601);
  assert.equal(await connected.accounts.arrive(late.request, late.query, true), undefined);
  const { request, query } = await connected.visit('alice', 'client-1');
  assert.notEqual(await connected.accounts.arrive(request, query, true), undefined);
  assert.equal(await connected.accounts.arrive(request, query, true), undefined);
  assert.equal(connected.accounts.takeVisit('login')?.connected, true);
  assert.equal(connected.accounts.takeVisit('login'), undefined);
});

test('[R-5.8j] a code of the upstream that is made up, or was meant for another state, connects nobody', async () => {
  await using connected = await connect();
  const other = await connected.visit('bob', 'client-2');
  const { request, query } = await connected.visit('alice', 'client-1');
  query.set('code', other.query.get('code') ?? '');
  await connected.accounts.arrive(request, query, true);
  assert.equal(connected.accounts.takeVisit('login')?.connected, false);
  assert.equal(await connected.accounts.profile('alice', 'client-1'), undefined);
});
