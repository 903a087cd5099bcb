import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { listTools } from '../support/flows/calls.js';
import { keepLogin, type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import { type Machine, openMachine } from '../support/machine.js';
import { defaultLimits, type Relogin } from '../support/product.js';

/** Answers the protocol's requests: `initialize` honestly, then with whatever `rest` writes. */
function speaking(rest: (response: ServerResponse) => void, sessionId?: string) {
  return async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { id?: number; method?: string };
    if (message.method === 'initialize') {
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }),
      });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    } else if (message.id === undefined) {
      response.writeHead(202).end();
    } else if (message.method === 'server/discover') {
      response.writeHead(400).end();
    } else {
      rest(response);
    }
  };
}

for (const type of ['application/json', 'text/event-stream']) {
  test(`[A-170][R-8.1] an answer without end as ${type}: ended at the limit for one message, the rest is not taken`, async () => {
    await using scene = await openScene({}, { limits: { ...defaultLimits, messageMiB: 2 } });
    await using own = await openOwnScene();
    const login = await keepLogin(scene, own);
    const megabyte = Buffer.alloc(1_048_576, 0x61);
    let written = 0;
    own.server.whenAuthorized = speaking((response) => {
      response.writeHead(200, { 'content-type': type });
      response.write(type === 'application/json' ? '{"jsonrpc":"2.0","id":2,"result":{"x":"' : 'data: ');
      const more = () => {
        while (written < 100 && !response.destroyed) {
          written += 1;
          if (!response.write(megabyte)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    const failure = await failureOf(listTools(scene, login), 'protocol_broken');
    assert.match(failure.message, /\b2 MiB/);
    assert.ok(written < 40, `${written} MB were taken`);
  });
}

for (const [what, sessionId] of [
  ['2 KB long', 'x'.repeat(2048)],
  ['with a space in it', 'a b'],
] as const) {
  test(`[A-160] a session identifier ${what}: the call ends, and it is sent to nobody`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    const login = await keepLogin(scene, own);
    own.server.whenAuthorized = speaking((response) => response.writeHead(500).end(), sessionId);
    const before = own.server.requests.length;
    const failure = await failureOf(listTools(scene, login), 'protocol_broken');
    assert.doesNotMatch(failure.message, /x{20}|a b/);
    assert.equal(own.server.requests.length, before + 2, 'which era it speaks, and the beginning');
  });
}

/** A login at servers of the test's own, as it is kept, on a machine that runs whole command lines. */
async function keptAt(machine: Machine, { server, issuer }: OwnScene): Promise<void> {
  const refresh = { token: 'refresh-1', endpoint: `${issuer.issuer}/token` };
  await machine.keep({ server: server.url, accessToken: 'access-1', expiresAt: Date.now() + 300_000, refresh });
}

test('[A-158][R-5.1a] a server that leads to another one with a login here gets no token of that, nor that one its', async () => {
  await using machine = await openMachine();
  await using own = await openOwnScene();
  await using other = await openOwnScene();
  await keptAt(machine, own);
  await machine.keep({ server: other.server.url, accessToken: 'other', expiresAt: Date.now() + 300_000 });
  const metadata = `${other.server.origin}/.well-known/oauth-protected-resource/mcp`;
  const challenge = `Bearer error="invalid_token", resource_metadata="${metadata}"`;
  for (const answer of [
    (response: ServerResponse) => response.writeHead(307, { location: other.server.url }).end(),
    (response: ServerResponse) => response.writeHead(401, { 'www-authenticate': challenge }).end(),
  ]) {
    own.server.whenAuthorized = (_request, response) => void answer(response);
    await machine.run(['request', own.server.url]);
  }
  assert.deepEqual([other.server.requests, other.issuer.requests], [[], []]);
  assert.ok(
    own.server.tokens.every((token) => /^Bearer access-\d+$/.test(token)),
    own.server.tokens.join(),
  );
});

test('[A-163] a step-up that is refused: the credential at hand stays as it was', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  const item = (await scene.ports.store.read(login.key))?.reveal();
  scene.sandbox.setFaults(['server-403-always', 'callback-hostile-error']);
  const asked: (readonly string[])[] = [];
  const relogin: Relogin = (held, scopes) => {
    asked.push(scopes);
    return scene.login({ scopes, heldScopes: held.scopes });
  };
  const failure = await failureOf(listTools(scene, login, relogin), 'authorization_refused');
  assert.equal(failure.exit, 4);
  assert.deepEqual(asked, [['notes:write']]);
  assert.equal((await scene.ports.store.read(login.key))?.reveal(), item);
  const { logins } = await scene.ports.index.read();
  assert.deepEqual([{ ...logins[0] }, logins.length], [login, 1]);
});

test('[A-164] a 403 whose challenge leads elsewhere: its metadata is not read, the step-up goes where the login was made', async () => {
  await using machine = await openMachine();
  await using own = await openOwnScene();
  await using elsewhere = await openOwnScene();
  await keptAt(machine, own);
  own.server.whenAuthorized = ({ headers }, response) => {
    const scope = 'Bearer error="insufficient_scope", scope="more"';
    const metadata = `${elsewhere.server.origin}/.well-known/oauth-protected-resource/mcp`;
    const isOld = headers.authorization === 'Bearer access-1' && own.issuer.authorizations.length === 0;
    response.writeHead(isOld ? 403 : 204, { 'www-authenticate': `${scope}, resource_metadata="${metadata}"` }).end();
  };
  const { code, stderr } = await machine.run(['request', own.server.url, '--login']);
  assert.equal(code, 0, stderr);
  assert.match(own.issuer.authorizations[0]?.get('scope') ?? '', /\bmore\b/);
  assert.deepEqual([elsewhere.server.requests, elsewhere.issuer.requests], [[], []]);
});
