import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { startHttp } from '../../support/http-server.js';
import { type Machine, openMachine } from '../../support/machine.js';
import type { SandboxOptions } from '../../support/product.js';
import { startSandbox } from '../../support/start-sandbox.js';

const bound: SandboxOptions = { dpop: 'required' };

const claimsOf = (proof: unknown) => JSON.parse(Buffer.from(String(proof).split('.')[1] ?? '', 'base64url').toString());

async function logIn(machine: Machine, server: string): Promise<void> {
  const { code, stderr } = await machine.run(['login', server, '--name', 'one']);
  assert.equal(code, 0, stderr);
}

/** A bound login whose server has become another one, at the same address. */
async function boundTo(handler: (request: IncomingMessage, response: ServerResponse, count: number) => void) {
  const machine = await openMachine();
  let serverUrl = '';
  {
    await using sandbox = await startSandbox(bound);
    ({ serverUrl } = sandbox);
    await logIn(machine, serverUrl);
  }
  const seen: IncomingMessage[] = [];
  const server = await startHttp(
    (request, response) => handler(request, response, seen.push(request)),
    undefined,
    '127.0.0.1',
    Number(new URL(serverUrl).port),
  );
  return {
    machine,
    serverUrl,
    proofs: () => seen.map(({ headers }) => claimsOf(headers['dpop'])),
    sockets: () => new Set(seen.map(({ socket }) => socket)).size,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await machine[Symbol.asyncDispose]();
    },
  };
}

test('a request that is sent again because its connection broke carries a new proof', async () => {
  await using one = await boundTo((request, response, count) => {
    if (count === 2) request.socket.destroy();
    else if (count > 2) response.end('ok');
    else response.writeHead(401, { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n-1' }).end();
  });
  const { code, stdout, stderr } = await one.machine.run(['request', one.serverUrl]);
  assert.deepEqual([code, stdout], [0, 'ok'], stderr);
  const [, broken, again, ...more] = one.proofs();
  assert.deepEqual([broken.nonce, again.nonce, more], ['n-1', 'n-1', []]);
  assert.equal(one.sockets(), 2, 'the first connection was kept, and then broke');
  assert.notEqual(again.jti, broken.jti);
});

test('nonces of an authorization server and of a server are kept apart: each is shown its own alone', async () => {
  await using sandbox = await startSandbox({ ...bound, dpopNonce: true });
  await using machine = await openMachine();
  await logIn(machine, sandbox.serverUrl);
  for (let count = 0; count < 2; count += 1) {
    machine.advance(3_600_000);
    const { code, stderr } = await machine.run(['call', 'one', 'whoami']);
    assert.equal(code, 0, stderr);
  }
  assert.ok(sandbox.stats.refreshes >= 2, 'each call has asked both');
  const noncesAt = (at: 'authorization' | 'server') =>
    new Set(
      sandbox.requests.flatMap(({ headers, at: where }) =>
        where === at && headers['dpop'] !== undefined ? (claimsOf(headers['dpop']).nonce ?? []) : [],
      ),
    );
  const [ofIssuer, ofServer] = [noncesAt('authorization'), noncesAt('server')];
  assert.ok(ofIssuer.size > 0 && ofServer.size > 0);
  assert.deepEqual(
    [...ofIssuer].filter((nonce) => ofServer.has(nonce)),
    [],
  );
});

test('a server whose clock is ten minutes ahead is believed, one a year ahead is not', async () => {
  for (const [ahead, believed] of [
    [600, 600],
    [400 * 86_400, 0],
  ] as const) {
    await using one = await boundTo((_request, response) => {
      const date = new Date(Date.now() + ahead * 1000).toUTCString();
      response.writeHead(401, { 'www-authenticate': 'DPoP error="invalid_dpop_proof"', date }).end();
    });
    const { code, stderr } = await one.machine.run(['request', one.serverUrl, '--json']);
    assert.deepEqual([code, JSON.parse(stderr).error.code], [4, 'dpop_proof_refused'], stderr);
    const skew = one.proofs().at(-1).iat - Date.now() / 1000;
    assert.ok(Math.abs(skew - believed) < 60, `${skew} s`);
  }
});
