import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { Redactor } from '../../src/app/redactor.js';
import {
  watchHttp,
  watchListeners,
  watchRecovery,
  watchStore,
  watchTerminal,
  watchWire,
} from '../../src/app/watch-secrets.js';
import { usualRedirectUri } from '../../src/core/configuration/redirect-uri.js';
import type { Wire, WireRequest, WireWatcher } from '../../src/mcp/wire.js';
import { encodeCredential } from '../../src/stores/credential-item.js';
import { send, testHttp, textOf } from '../support/http.js';
import { startHttp } from '../support/http-server.js';
import { type CallbackListener, createMemoryStore, type Recovery, Secret, type Terminal } from '../support/product.js';
import { findSecrets } from '../support/secrets-search.js';

test('a value once held is not printed, in whatever form it stands there [A-252]', async () => {
  const secret = fc.string({ minLength: 16, maxLength: 60 }).filter((text) => text.trim().length >= 16);
  await fc.assert(
    fc.asyncProperty(secret, async (value) => {
      const redactor = new Redactor();
      redactor.hold(value);
      const texts = {
        plain: redactor.redact(`before ${value} after`),
        url: redactor.redact(`?x=${encodeURIComponent(value)}&y`),
        form: redactor.redact(new URLSearchParams({ x: value }).toString()),
        json: redactor.redact(JSON.stringify({ x: value })),
        base64: redactor.redact(Buffer.from(value).toString('base64')),
        base64url: redactor.redact(Buffer.from(value).toString('base64url')),
      };
      for (const [name, text] of Object.entries(texts)) assert.match(text, /\*\*\*/, name);
      assert.deepEqual(await findSecrets({ value }, { folders: [], texts }), []);
    }),
  );
});

test('of a value within another nothing is left, and short words stay', () => {
  const redactor = new Redactor();
  for (const value of ['canary-1', 'canary-1-and-more', 'GET', '']) redactor.hold(value);
  assert.equal(redactor.redact('GET canary-1-and-more canary-1'), 'GET *** ***');
});

test('the watched store, door, terminal and listeners do their work, and every secret that passes is known [A-252]', async () => {
  const held = new Set<string>();
  const hold = (secret: string) => void held.add(secret);
  const item = encodeCredential({
    version: 2,
    binding: { server: 's', resource: 'r', issuer: 'i', clientId: 'c', account: 'a' },
    tokenEndpoint: 'https://as.example/token',
    authMethod: 'client_secret_basic',
    accessToken: new Secret('canary-access'),
    refreshToken: new Secret('canary-refresh'),
    clientSecret: new Secret('canary-"client"'),
    expiresAt: null,
    obtainedAt: 1,
    scopes: [],
    generation: 1,
  });
  const store = watchStore(createMemoryStore(), hold);
  await store.write('key', item);
  assert.equal((await store.read('key'))?.reveal(), item.reveal());
  assert.deepEqual([...held], ['canary-access', 'canary-refresh', 'canary-"client"']);
  held.clear();

  await using server = await startHttp((_request, response) => {
    response.setHeader('mcp-session-id', 'canary-session');
    response.end(JSON.stringify({ access_token: 'canary-new', id_token: 'canary-id', scope: 'open' }));
  });
  await using http = watchHttp(testHttp(), hold);
  const headers = [
    ['authorization', 'Basic Y2FuYXJ5OmJhc2lj'],
    ['mcp-session-id', 'canary-own-session'],
    ['content-type', 'application/x-www-form-urlencoded'],
  ] as const;
  const body = 'grant_type=authorization_code&code=canary%2Fcode&code_verifier=canary-verifier';
  await using response = await send(http, server.origin, { method: 'POST', namedBy: 'loopback', headers, body });
  assert.match(await textOf(response), /canary-new/);
  const sent = ['Y2FuYXJ5OmJhc2lj', 'basic', 'canary-own-session', 'canary/code', 'canary-verifier'];
  assert.deepEqual([...held].sort(), [...sent, 'canary-session', 'canary-new', 'canary-id'].sort());
  held.clear();

  const typed = ['http://127.0.0.1:1/callback?state=s&code=canary%20pasted', 'canary-typed\n', 'open'];
  const bare = { interactive: true, ask: async () => typed.shift() } as unknown as Terminal;
  const terminal = watchTerminal(bare, hold);
  const { signal } = new AbortController();
  for (const hidden of [true, true, false]) await terminal.ask('?', { hidden, signal });
  assert.deepEqual([...held], ['canary pasted', 'canary-typed']);
  held.clear();

  const answer = [
    ['code', 'canary-code'],
    ['state', 'shown'],
  ] as const;
  const listener = {
    redirectUri: 'http://127.0.0.1:1/callback',
    response: async () => answer,
  } as unknown as CallbackListener;
  const listeners = watchListeners({ listen: async () => listener }, hold);
  const watched = await listeners.listen({ ...usualRedirectUri, port: 0 });
  assert.deepEqual(await watched.response(signal), answer);
  assert.equal(watched.redirectUri, listener.redirectUri);
  assert.deepEqual([...held], ['canary-code']);
});

test('session identifiers are forgotten when others have come; what is in use, and what lasts, is not [A-252]', () => {
  const redactor = new Redactor();
  redactor.hold('canary-lasting');
  redactor.hold('canary-token', 'token');
  redactor.hold('canary-ended-session', 'session');
  assert.equal(redactor.redact('late: canary-ended-session'), 'late: ***');
  for (let count = 0; count < 10_000; count += 1) {
    redactor.hold('canary-live-session', 'session');
    redactor.hold(`offered-session-${count}`, 'offered');
    redactor.hold(`own-session-${count % 100}`, 'session');
  }
  const said = 'canary-lasting canary-token canary-live-session offered-session-9999';
  assert.equal(redactor.redact(said), '*** *** *** ***');
  for (const gone of ['canary-ended-session', 'offered-session-1', 'offered-session-5000']) {
    assert.equal(redactor.redact(gone), gone);
  }
});

test('identifiers and tokens without end take no memory without end', () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const redactor = new Redactor();
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 200_000; count += 1) {
    redactor.hold(`${count}-${'x'.repeat(200)}`, count % 2 === 0 ? 'offered' : 'session');
  }
  gc();
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(grown < 4 * 1024 * 1024, `${grown} bytes are kept`);
  assert.equal(redactor.redact(`199999-${'x'.repeat(200)}`), '***');
});

test('a bridge’s wire tells of the token and the session that it sends, once for headers that are repeated', () => {
  const held: unknown[] = [];
  const bare = { send: () => ({}) } as unknown as Wire & AsyncDisposable;
  const wire = watchWire(bare, (...seen) => void held.push(seen));
  const headers = [
    ['authorization', 'Bearer canary-token'],
    ['mcp-session-id', 'canary-session'],
  ] as const;
  const request = { headers } as unknown as WireRequest;
  for (let count = 0; count < 3; count += 1) wire.send(request, {} as WireWatcher);
  assert.deepEqual(held, [
    ['canary-token', 'token'],
    ['canary-session', 'session'],
  ]);
});

test('a credential that a killed refresh has left is known as it is opened; what a server says elsewhere is not taken for a secret [A-252]', async () => {
  const held: string[] = [];
  const hold = (secret: string) => void held.push(secret);
  const item = new Secret('{"accessToken":"canary-left","refreshToken":"canary-\\u0041"}');
  const bare = { find: async () => item } as unknown as Recovery;
  assert.equal(await watchRecovery(bare, hold).find('key', new Secret('spent')), item);
  assert.deepEqual(held.splice(0), ['canary-left', 'canary-A']);
  const response = Buffer.from('{"access_token":"canary-came","refresh_token":"canary-next"}').toString('base64');
  const sealed = { find: async () => new Secret(JSON.stringify({ response })) } as unknown as Recovery;
  await watchRecovery(sealed, hold).find('key', new Secret('spent'));
  assert.deepEqual(held.splice(0), ['canary-came', 'canary-next']);
  await using server = await startHttp((_request, response) => {
    response.end(JSON.stringify({ access_token: 'a-word-of-the-server' }));
  });
  await using http = watchHttp(testHttp(), hold);
  for (const wish of [
    { method: 'POST', namedBy: 'person', body: '{}' },
    { method: 'GET', namedBy: 'loopback' },
  ] as const) {
    await using response = await send(http, server.origin, wish);
    assert.match(await textOf(response), /a-word-of-the-server/);
  }
  assert.deepEqual(held, [], 'else a server could have any word of its choice replaced');
});
