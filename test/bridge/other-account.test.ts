import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forgetLogins } from '../support/planted-login.js';
import { openMachine } from '../support/stage-here.js';
import { bridgeOn, scriptedServer, usual } from './host.js';

const expiresAt = Date.now() + 3_600_000;

test('a session is the account’s that opened it: another one, and another server, never see its identifier, nor its cookie [A-239]', async () => {
  let isOver = false;
  let sessions = 0;
  await using server = await scriptedServer((seen, response) => {
    const { method, headers, message } = seen;
    const session = headers['mcp-session-id'];
    if (isOver && headers.authorization === 'Bearer token-of-a') response.writeHead(401).end();
    else if (message.method === 'initialize') {
      sessions += 1;
      response.setHeader('set-cookie', `pin=${headers.authorization?.slice(7)}; Path=/`);
      usual(seen, response, `session-of-${headers.authorization?.slice(7)}-${sessions}`);
    } else if (method === 'POST' && session === undefined) response.writeHead(400).end('no session');
    else usual(seen, response);
  });
  await using elsewhere = await scriptedServer((seen, response) => usual(seen, response, 'session-elsewhere'));
  await using machine = await openMachine();
  const { home } = machine;
  await machine.storeLogin({ server: server.url, account: 'a', accessToken: 'token-of-a', expiresAt });
  await using host = bridgeOn(machine, server.url, '--non-interactive');
  await host.open();
  assert.ok((await host.ask({ id: 1, method: 'tools/list' })).result !== undefined);
  const ofA = server.seen.find(({ message }) => message.method === 'tools/list')?.headers['mcp-session-id'];
  assert.equal(ofA, 'session-of-token-of-a-1');

  // The person logs out, and in as somebody else.
  await forgetLogins(home);
  await machine.storeLogin({ server: server.url, account: 'b', accessToken: 'token-of-b', expiresAt });
  isOver = true;
  const answer = await host.ask({ id: 2, method: 'tools/list' });
  assert.ok(answer.result !== undefined, JSON.stringify(answer));
  const ofB = server.seen.filter(({ headers }) => headers.authorization === 'Bearer token-of-b');
  assert.ok(ofB.length > 0);
  assert.ok(
    ofB.every(({ headers }) => headers['mcp-session-id'] !== ofA),
    'the other account',
  );
  assert.doesNotMatch(JSON.stringify(ofB.map(({ headers }) => headers.cookie ?? '')), /token-of-a/);
  assert.equal(ofB.at(-1)?.headers.cookie, 'pin=token-of-b');
  const answered = ofB.findLast(({ message }) => message.method === 'tools/list');
  assert.match(String(answered?.headers['mcp-session-id']), /^session-of-token-of-b-/);

  // The same configuration, and home, with another address.
  await using other = bridgeOn(machine, elsewhere.url, '--non-interactive');
  await other.open();
  await other.ask({ id: 1, method: 'tools/list' });
  assert.doesNotMatch(JSON.stringify(elsewhere.seen), /session-of|token-of/);
});
