import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { event, type Rpc, startBridge } from '../bridge/host.js';
import { ask, open } from '../proxy/stand.js';
import { authorizationUrlOf } from '../support/at-stage.js';
import { startCanaries } from '../support/canary.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { makeHomeWithKey } from '../support/home.js';
import { startHere } from '../support/in-process.js';
import { walkLogin } from '../support/product.js';

/** One request to the protected server, whoever sent it. */
interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rpc: string | undefined;
}

/** A person with a login named `own` at a server of the older transport's successor, with sessions and streams. */
async function openLoggedIn() {
  const home = await makeHomeWithKey();
  const scene = await openOwnScene();
  const { server } = scene;
  await using program = startHere(home, ['login', server.url, '--no-browser', '--store', 'file', '--name', 'own']);
  await walkLogin(await authorizationUrlOf(program));
  const { code, stderr } = await program.finished;
  assert.equal(code, 0, stderr);
  const seen: Seen[] = [];
  let wake: () => void = () => undefined;
  const watched = {
    ...scene,
    home,
    seen,
    /** Says how a request is answered, after it was noted. */
    answer: sessions,
    /** Resolves when such a request has come. */
    came: async (fits: (one: Seen) => boolean): Promise<void> => {
      while (!seen.some(fits)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    [Symbol.asyncDispose]: async () => {
      await scene[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
  server.whenAuthorized = server.whenAnonymous = async (request, response) => {
    const { method = '', url = '', headers } = request;
    const message: Rpc = JSON.parse((await text(request)) || '{}');
    seen.push({ method, url, headers, rpc: message.method });
    wake();
    watched.answer(request, message, response);
  };
  return watched;
}

/** A server with sessions: a stream for what it says by itself, and one for a tool that breaks off before its answer. */
function sessions({ method, headers }: IncomingMessage, message: Rpc, response: ServerResponse): void {
  const { id } = message;
  const json = { 'content-type': 'application/json' };
  const stream = { 'content-type': 'text/event-stream' };
  const last = headers['last-event-id'];
  if (method === 'GET' && typeof last === 'string') {
    // The identifier of its event says which request a stream is for.
    response
      .writeHead(200, stream)
      .end(event({ jsonrpc: '2.0', id: JSON.parse(last), result: { content: [] } }, 'end'));
  } else if (method === 'GET') {
    response.writeHead(200, stream).flushHeaders(); // stays open
  } else if (method !== 'POST') {
    response.writeHead(200).end();
  } else if (id === undefined || message.method === undefined) {
    response.writeHead(202).end();
  } else if (message.method === 'initialize') {
    const { protocolVersion } = message.params ?? {};
    const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } };
    response.writeHead(200, { ...json, 'mcp-session-id': 'session-1' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  } else {
    response.writeHead(200, stream);
    response.end(
      `retry: 1\n${event({ jsonrpc: '2.0', method: 'notifications/progress', params: {} }, JSON.stringify(id))}`,
    );
  }
}

/** The token of the login on every request, as a header and nowhere else. */
function assertAllCarryTheToken(seen: readonly Seen[], methods: readonly string[]): void {
  assert.deepEqual([...new Set(seen.map(({ method }) => method))].sort(), [...methods].sort());
  for (const { method, url, headers } of seen) {
    assert.equal(headers.authorization, 'Bearer access-1', `${method} ${url}`);
    assert.doesNotMatch(url, /access/);
  }
}

test('[R-1.2][R-4.1a][R-4.1b] the bridge: messages, the stream of a session, its resumption and its end all carry the token', async () => {
  await using own = await openLoggedIn();
  await using host = startBridge(own.home, own.server.url);
  await host.open();
  await own.came(({ method }) => method === 'GET');
  host.send({ id: 1, method: 'tools/call', params: { name: 'any' } });
  assert.equal((await host.next()).method, 'notifications/progress');
  assert.equal((await host.next()).id, 1);
  host.program.stdin.end();
  assert.equal((await host.program.finished).code, 0);
  assertAllCarryTheToken(own.seen, ['POST', 'GET', 'DELETE']);
  const streams = own.seen.filter(({ method }) => method === 'GET');
  assert.deepEqual(streams.map(({ headers }) => headers['last-event-id'] !== undefined).sort(), [false, true]);
});

test('[R-1.2][R-4.1a][R-4.1b] the proxy: every method and every stream carry the token, and never the caller’s own', async () => {
  await using own = await openLoggedIn();
  await using program = startHere(own.home, ['proxy', 'own']);
  const [address] = await program.waitForStdout(/^http:\S+(?=\n)/m);
  const { port, pathname } = new URL(address);
  const headers = { authorization: 'Bearer of-the-caller', 'content-type': 'application/json' };
  const stand = { port: Number(port) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    await ask(stand, pathname, { method, headers, ...(method === 'DELETE' ? {} : { body }) });
  }
  await ask(stand, pathname, { method: 'HEAD', headers });
  const stream = await open(stand, pathname, { headers: { accept: 'text/event-stream' } });
  stream.destroy();
  await ask(stand, pathname, { headers: { 'last-event-id': '1' } });
  assertAllCarryTheToken(own.seen, ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'GET']);
});

test('[R-1.2][R-4.1a] a call: its messages, a resumed stream and the end of its session carry the token', async () => {
  await using own = await openLoggedIn();
  await using program = startHere(own.home, ['call', 'own', 'any']);
  const { code, stderr } = await program.finished;
  assert.equal(code, 0, stderr);
  assertAllCarryTheToken(own.seen, ['POST', 'GET', 'DELETE']);
});

test('[A-153][A-154] wherever a redirect leads, no request and no token arrives there: call, request, bridge and proxy', async () => {
  await using own = await openLoggedIn();
  await using canaries = await startCanaries();
  const { origin } = own.server;
  const targets = [
    `http://127.0.0.1:${canaries.ports['127.0.0.1']}/mcp`,
    `//127.0.0.2:${canaries.ports['127.0.0.2']}/mcp`,
    `http://localhost:${canaries.ports['127.0.0.1']}/mcp?a=1`,
    `${origin}/stolen`,
    '/stolen',
    '../stolen',
  ];
  const work = targets.flatMap((location) => [301, 302, 303, 307, 308].map((status) => ({ location, status })));
  let at = 0;
  own.answer = (_request, _message, response) => {
    const { location, status } = work[at % work.length] ?? { location: '/', status: 302 };
    at += 1;
    response.writeHead(status, { location }).end();
  };
  await using proxy = startHere(own.home, ['proxy', 'own']);
  const [address] = await proxy.waitForStdout(/^http:\S+(?=\n)/m);
  const { port, pathname } = new URL(address);
  await using host = startBridge(own.home, own.server.url);
  for (const [index] of work.entries()) {
    const method = ['GET', 'POST', 'DELETE'][index % 3] ?? 'GET';
    const answer = await ask({ port: Number(port) }, pathname, { method });
    assert.equal(answer.status, 502, JSON.stringify(answer));
    const { error } = await host.ask({ id: index, method: 'initialize', params: {} });
    assert.ok(error !== undefined);
  }
  for (const args of [
    ['call', 'own', 'any'],
    ['request', own.server.url, '--fail'],
    ['request', own.server.url, '--method', 'POST', '--data', '{}'],
  ]) {
    await using program = startHere(own.home, args);
    program.stdin.end();
    await program.finished;
  }
  assert.ok(at > 2 * work.length, `${at} redirects`);
  assert.deepEqual(canaries.visits, []);
  assert.ok(own.server.requests.every((line) => !line.includes('stolen')));
});
