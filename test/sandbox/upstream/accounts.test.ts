import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { makeStaticClient, UpstreamAccounts } from '../../../src/sandbox/upstream-accounts.js';
import { UpstreamServer } from '../../../src/sandbox/upstream-server.js';
import { listenOnLoopback } from '../../../src/sandbox/wire/listen.js';
import { runProtected } from '../protected-server/protected.js';
import { TestSession } from '../protected-server/session.js';
import { Tab } from '../tab.js';

/** The upstream and its client, without the authorization server between them. */
async function connect() {
  const listener = await listenOnLoopback(0);
  const client = makeStaticClient('http://127.0.0.1:9');
  const upstream = new UpstreamServer(listener.origin, client, Date.now);
  const accounts = new UpstreamAccounts(listener.origin, client, Date.now);
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
  return { upstream, accounts, visit, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() };
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
