import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { needs } from '../support/needs.js';
import { programCommand, startCommand } from '../support/program.js';
import { startAtTerminal } from '../support/pty.js';
import { bareHome, requestOf, scriptedServer, startBridge, usual } from './host.js';

async function isGone(pid: number): Promise<boolean> {
  for (let look = 0; look < 1_000; look += 1) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    if (stat === '' || /^\d+ \(.*\) Z/.test(stat)) return true;
    await later(10);
  }
  return false;
}

test('answers that are under way when the host ends its input still come, and the session is ended [A-240]', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method === 'slow') setTimeout(() => usual(seen, response), 300);
    else usual(seen, response, 's');
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  host.send({ id: 1, method: 'slow' });
  host.program.stdin.end();
  const { code, stdout } = await host.program.finished;
  assert.equal(code, 0);
  assert.match(stdout, /"id":1,"result"/);
  await requestOf(server, ({ method }) => method === 'DELETE');
});

test('an answer that never comes, nor the end of the session, does not hold the end up [A-240]', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'never' && seen.method !== 'DELETE') usual(seen, response, 's');
  });
  await using home = await bareHome();
  for (const end of ['input', 'SIGTERM', 'SIGINT'] as const) {
    await using host = startBridge(home, server.url);
    await host.open();
    host.send({ id: 1, method: 'never' });
    await requestOf(server, ({ message }) => message.method === 'never');
    if (end === 'input') host.program.stdin.end();
    else host.program.kill(end);
    const { code } = await host.program.finished;
    assert.equal(code, { input: 0, SIGTERM: 143, SIGINT: 130 }[end], end);
  }
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

test('stdout carries messages and nothing else, also when the server is not there [A-234]', async () => {
  await using home = await bareHome();
  await using host = startBridge(home, 'http://127.0.0.1:9/mcp', '--verbose');
  const { id, error } = await host.ask({ id: 1, method: 'initialize', params: {} });
  assert.equal(id, 1);
  assert.equal(error?.data?.['code'], 'network_failed');
  assert.match(error?.message ?? '', /refuses connections/);
  host.program.stdin.end();
  const { code, stdout } = await host.program.finished;
  assert.equal(code, 0);
  for (const line of stdout.trim().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0');
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
