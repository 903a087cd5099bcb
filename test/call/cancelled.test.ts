import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareHome, event, requestOf, type ScriptedServer, scriptedServer, usual } from '../bridge/host.js';
import { startHere } from '../support/in-process.js';

const said = 'Cancelled; the server may already have run the tool.\n';

const isOf = (method: string) => (seen: ScriptedServer['seen'][number]) => seen.message.method === method;

/** Presses Ctrl-C once the server has got that. */
async function cancelAt(server: ScriptedServer, method: string, words: readonly string[]) {
  await using home = await bareHome();
  await using program = startHere(home, ['call', server.url, ...words]);
  await requestOf(server, isOf(method));
  program.kill('SIGINT');
  const started = performance.now();
  const { code, stdout, stderr } = await program.finished;
  const ms = performance.now() - started;
  assert.equal(code, 130);
  assert.equal(stdout, '');
  return { stderr, ms };
}

/** A server that never answers `method`, but may have begun to. */
const silentAt = (method: string, begins = false) =>
  scriptedServer((seen, response) => {
    if (seen.message.method !== method) usual(seen, response, 's1');
    else if (begins)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event({ jsonrpc: '2.0', method: 'x' }));
  });

test('a call that is cancelled once it was sent says so, and tells the server', async () => {
  for (const begins of [false, true]) {
    await using server = await silentAt('tools/call', begins);
    const { stderr } = await cancelAt(server, 'tools/call', ['wipe', 'all:=true', '--quiet']);
    assert.equal(stderr, said);
    const called = server.seen.find(isOf('tools/call'));
    const cancelled = server.seen.filter(isOf('notifications/cancelled'));
    assert.deepEqual(
      cancelled.map(({ message }) => message.params?.['requestId']),
      [called?.message.id],
    );
    assert.equal(cancelled[0]?.headers['mcp-session-id'], 's1');
  }
});

test('a call that is cancelled before it was sent, or that only reads, says no more than that', async () => {
  for (const [method, words] of [
    ['initialize', ['wipe', 'all:=true']],
    ['tools/list', ['wipe', 'all=true']],
    ['tools/list', []],
  ] as const) {
    await using server = await silentAt(method);
    assert.equal((await cancelAt(server, method, words)).stderr, 'Cancelled.\n', method);
    assert.ok(!server.seen.some(isOf('tools/call')));
    assert.equal(server.seen.filter(isOf('notifications/cancelled')).length, method === 'initialize' ? 0 : 1);
  }
});

test('a server that does not take the cancellation holds up nobody', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (!['tools/call', 'notifications/cancelled'].includes(seen.message.method ?? '')) usual(seen, response);
  });
  // What is held up ends after 1.5 s, always; what is not may take as long on a busy machine, but not each time.
  for (let tries = 1; ; tries += 1) {
    const { stderr, ms } = await cancelAt(server, 'tools/call', ['wipe', 'all:=true']);
    assert.equal(stderr, said);
    if (ms < 1_450) return;
    assert.ok(tries < 5, 'it does not end by itself');
  }
});
