import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { bridge } from '../../src/bridge/bridge.js';
import { HostPipe } from '../../src/bridge/host-pipe.js';
import { flowPorts } from '../support/flow-ports.js';
import { needs } from '../support/needs.js';
import { programCommand, runProgram, startCommand } from '../support/program.js';
import { startAtTerminal } from '../support/pty.js';
import { startBuiltBridge } from './built-bridge.js';
import { bareHome, event, requestOf, scriptedServer, startBridge, usual, usualOfBoth } from './host.js';
import { until } from './translation/newer-only.js';

async function isGone(pid: number): Promise<boolean> {
  for (let look = 0; look < 1_000; look += 1) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    if (stat === '' || /^\d+ \(.*\) Z/.test(stat)) return true;
    await later(10);
  }
  return false;
}

const lineOf = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

const opening = [
  { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } },
  { method: 'notifications/initialized' },
].map(lineOf);

test('what was said before the end of stdin is sent and answered, however long it takes, and the session is ended [A-240]', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method === 'slow') setTimeout(() => usual(seen, response), 1_500);
    else usual(seen, response, 's');
  });
  await using home = await bareHome();
  const run = (lines: readonly string[]) => runProgram(home, ['bridge', server.url], lines.join(''));
  const slow = await run(['\ufeff', ...opening, '\n', ' \t\r\n', lineOf({ id: 1, method: 'slow' })]);
  assert.match(slow.stdout, /^[^\n]*"id":0,"result"[^\n]*\n[^\n]*"id":1,"result"[^\n]*\n$/);
  assert.deepEqual([slow.stderr, slow.code], ['', 0]);
  assert.equal(server.seen.at(-1)?.method, 'DELETE');
  const before = server.seen.length;
  const quick = await run(opening);
  assert.deepEqual([quick.stderr, quick.code], ['', 0]);
  const said = server.seen.slice(before).map(({ message }) => message.method);
  assert.ok(said.includes('notifications/initialized'), `${said}`);
});

test('a request that is cut after the end of stdin is an error, and not exit 0', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'never') usual(seen, response, 's');
  });
  await using home = await bareHome();
  await using ports = await flowPorts({ folder: home.path });
  const slept: number[] = [];
  const clock = {
    ...ports.clock,
    sleep: async (ms: number) => {
      await requestOf(server, ({ message }) => message.method === 'never');
      slept.push(ms);
    },
  };
  const [input, output] = [new PassThrough(), new PassThrough()];
  let written = '';
  output.on('data', (chunk) => {
    written += chunk;
  });
  const told: string[] = [];
  await using wire = await ports.openWire();
  const ended = bridge(
    { ...ports, clock },
    {
      ...{ waitMs: 1_000, responseMs: 10_000, tell: (line: string) => void told.push(line), policy: undefined },
      find: async () => {
        const wanted = { server: server.url, account: undefined };
        return { wanted, server: server.url, login: undefined, ask: undefined };
      },
      wire,
      host: new HostPipe(input, output),
      signal: new AbortController().signal,
    },
  );
  input.end([...opening, lineOf({ id: 1, method: 'never' })].join(''));
  assert.equal(await ended, 8);
  assert.ok(slept.includes(120_000), `${slept}`);
  await until(() => /\n.*\n/.test(written));
  const { id, error } = JSON.parse(written.split('\n')[1] ?? '');
  assert.equal(id, 1);
  assert.match(error.message, /\b120 seconds\b/);
  assert.match(told.join(), /\b120 seconds\b/);
});

test('an answer that never comes, nor the end of the session, holds up no signal, nor a host that reads no more [A-240]', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'never' && seen.method !== 'DELETE') usual(seen, response, 's');
  });
  await using home = await bareHome();
  for (const end of ['SIGTERM', 'SIGINT', 'SIGTERM after the end of stdin', 'closed stdout'] as const) {
    await using host = startBuiltBridge(home, server.url);
    await host.open();
    const before = server.seen.length;
    host.send({ id: 1, method: 'never' });
    await requestOf(server, (seen) => server.seen.indexOf(seen) >= before && seen.message.method === 'never');
    if (end === 'closed stdout') {
      host.program.closeStdout();
      host.send({ id: 2, method: 'ping' });
    }
    if (end !== 'SIGTERM' && end !== 'SIGINT') host.program.stdin.end();
    if (end !== 'closed stdout') host.program.kill(end === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
    const { code } = await host.program.finished;
    assert.equal(code, { SIGINT: 130, 'closed stdout': 8 }[end as string] ?? 143, end);
  }
});

test('a listening request, which has no answer, does not hold the end up [A-240]', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'subscriptions/listen') return usualOfBoth(seen, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: {} }));
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  await host.ask({ id: 1, method: 'server/discover', params: { _meta } });
  assert.equal((await host.ask({ id: 2, method: 'subscriptions/listen', params: { _meta } })).id, undefined);
  host.program.stdin.end();
  assert.equal((await host.program.finished).code, 0);
});

test('a host that is killed takes its bridge with it, even where another program holds its pipes open [A-240]', async () => {
  await using server = await scriptedServer((seen, response) => usual(seen, response, 's'));
  await using home = await bareHome();
  const script = `
    const { spawn } = require('node:child_process');
    const bridge = spawn(process.argv[1], process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] });
    // A child that outlives the host and has inherited both pipes.
    const holder = spawn('sleep', ['60'], { stdio: ['ignore', bridge.stdin._handle.fd, bridge.stdout._handle.fd], detached: true });
    bridge.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } }) + '\\n');
    bridge.stdout.once('data', () => console.log(bridge.pid + ' ' + holder.pid));
  `;
  await using host = startCommand(process.execPath, ['-e', script, ...programCommand(['bridge', server.url])], home);
  const [, bridge, holder] = await host.waitForStdout(/^(\d+) (\d+)\n/);
  host.kill('SIGKILL');
  try {
    assert.ok(await isGone(Number(bridge)));
  } finally {
    process.kill(Number(holder), 'SIGKILL');
  }
  assert.equal(await readFile(join(home.path, 'state', 'postern', 'logins.json'), 'utf8').catch(() => ''), '');
});

test('typed at a terminal it says what it waits for and what starts it otherwise; Ctrl-C stops it', {
  skip: needs('script'),
}, async () => {
  await using server = await scriptedServer((seen, response) => usual(seen, response));
  await using home = await bareHome();
  const command = programCommand(['bridge', server.url]);
  await using terminal = await startAtTerminal(home, command, { stdout: 'terminal', columns: 200 });
  await terminal.screen.waitForStdout(/Waiting for an MCP client on stdin\. Ctrl-C to stop\./);
  await terminal.screen.waitForStdout(new RegExp(`postern setup PROGRAM ${server.url} --write`));
  terminal.type('\x03');
  assert.equal((await terminal.screen.finished).code, 130);
});
