import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forgetLogins } from '../support/planted-login.js';
import { type Machine, openMachine } from '../support/stage-here.js';
import { type BridgeHost, bridgeOn, type Rpc, type ScriptedServer, scriptedServer, usual } from './host.js';

const expiresAt = Date.now() + 3_600_000;

/** What is answered once it is like this; a token is believed for some seconds. */
async function answered(machine: Machine, host: BridgeHost, isIt: (answer: Rpc) => boolean): Promise<Rpc> {
  for (let id = 100; ; id += 1) {
    const answer = await host.ask({ id, method: 'tools/list' });
    if (isIt(answer)) return answer;
    assert.ok(id < 180, JSON.stringify(answer));
    machine.advance(1_000);
  }
}

const shown = (server: ScriptedServer) => new Set(server.seen.map(({ headers }) => headers.authorization));

test('[R-5.1a][A-232][A-239] a running bridge holds its server: a name that is given to another one brings no token of that', async () => {
  await using old = await scriptedServer((seen, response) => usual(seen, response));
  await using next = await scriptedServer((seen, response) => usual(seen, response));
  await using machine = await openMachine();
  const { home } = machine;
  await machine.storeLogin({ server: old.url, name: 'work', accessToken: 'token-of-old', expiresAt });
  await using host = bridgeOn(machine, 'work', '--non-interactive');
  await host.open();
  assert.ok((await host.ask({ id: 1, method: 'tools/list' })).result !== undefined);

  await forgetLogins(home);
  await machine.storeLogin({ server: next.url, name: 'work', accessToken: 'token-of-next', expiresAt });
  // The server asks nobody for a token: what goes out is what there is, and that is none.
  await answered(machine, host, () => old.seen.at(-1)?.headers.authorization === undefined);
  assert.deepEqual(shown(old), new Set(['Bearer token-of-old', undefined]));
  assert.deepEqual(next.seen, []);

  // Logged in to again, by another name or none, and at another authorization server, it is the bridge's again.
  const refresh = { token: 'refresh-of-old', endpoint: `${next.origin}/token` };
  await machine.storeLogin({ server: old.url, accessToken: 'token-of-old-again', expiresAt, refresh });
  await answered(machine, host, () => old.seen.at(-1)?.headers.authorization === 'Bearer token-of-old-again');
  assert.deepEqual(next.seen, []);
});

test('[R-5.1a] the same where the server refuses what it gets: the answer says for which server to log in', async () => {
  let isOver = false;
  await using old = await scriptedServer((seen, response) => {
    if (isOver) response.writeHead(401).end();
    else usual(seen, response);
  });
  await using next = await scriptedServer((seen, response) => usual(seen, response));
  await using machine = await openMachine();
  const { home } = machine;
  await machine.storeLogin({ server: old.url, name: 'work', accessToken: 'token-of-old', expiresAt });
  await using host = bridgeOn(machine, 'work', '--non-interactive');
  await host.open();
  await forgetLogins(home);
  await machine.storeLogin({ server: next.url, name: 'work', accessToken: 'token-of-next', expiresAt });
  isOver = true;
  const { error } = await answered(machine, host, (answer) => answer.error !== undefined);
  assert.equal(error?.code, -31011);
  assert.ok(String(error?.data?.['remedy']).includes(`postern login ${old.url}`), JSON.stringify(error));
  const again = await answered(machine, host, (answer) => answer.error?.data?.['code'] === 'login_needed');
  assert.equal(again.error?.data?.['remedy'], `Run: postern login ${old.url}`);
  assert.ok(!shown(old).has('Bearer token-of-next'));
  assert.deepEqual(next.seen, []);
});

test('[Q-3.8] a name that is gone: each request is answered with a code that neither JSON-RPC nor the protocol claims, with what to run, and the login of that name is used once it is there', async () => {
  await using server = await scriptedServer((seen, response) => usual(seen, response));
  await using machine = await openMachine();
  await using host = bridgeOn(machine, 'work', '--non-interactive');
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  for (const [id, method] of [
    [1, 'initialize'],
    [2, 'tools/list'],
  ] as const) {
    const refused = await host.ask({ id, method, params });
    assert.deepEqual([refused.id, refused.error?.code], [id, -31011]);
    assert.equal(refused.error?.data?.['code'], 'login_needed');
    assert.equal(refused.error?.data?.['remedy'], 'Run: postern login URL --name work');
  }
  await host.program.waitForStderr(/No login named "work"/);
  await machine.storeLogin({ server: server.url, name: 'work', accessToken: 'token-of-work', expiresAt });
  assert.ok((await host.open()).result !== undefined);
  assert.ok((await host.ask({ id: 3, method: 'tools/list' })).result !== undefined);
  assert.deepEqual(shown(server), new Set(['Bearer token-of-work']));
});

test('what all requests fail with is printed once, and answers each of them', async () => {
  await using machine = await openMachine();
  await using host = bridgeOn(machine, 'nosuch');
  for (const id of [1, 2]) {
    const { error } = await host.ask({ id, method: 'ping' });
    assert.match(String(error?.message), /No login named "nosuch"/);
  }
  host.program.stdin.end();
  const { code, stderr } = await host.program.finished;
  assert.equal(code, 3);
  assert.equal(stderr.match(/No login named/g)?.length, 1, stderr);
});
