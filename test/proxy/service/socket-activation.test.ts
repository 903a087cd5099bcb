import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { homeWith } from '../../login/status/home-with.js';
import { freePort } from '../../support/free-port.js';
import { needs } from '../../support/needs.js';
import { programCommand, startCommand } from '../../support/program.js';
import { ask } from '../stand.js';

const skip = needs('systemd');

/** A service that is installed, and that no manager has begun. */
async function scene() {
  const h = await homeWith({ name: 'work', server: 'http://127.0.0.1:9/mcp' });
  const made = await h.run('proxy', 'work', '--install', '--json');
  const { key, service, servers } = JSON.parse(made.stdout);
  const { port, pathname } = new URL(servers[0].url);
  // It passes nothing on that is not named.
  const environment = Object.entries(h.home.env).flatMap(([name, value]) => ['-E', `${name}=${value}`]);
  const words = programCommand(['proxy', service.id, '--service']);
  return {
    ...h,
    key,
    id: service.id as string,
    port: Number(port),
    path: pathname,
    /** What systemd does for a socket unit: it listens, and starts the service with the first connection. */
    activate: (...options: readonly string[]) =>
      startCommand('systemd-socket-activate', [...environment, ...options, ...words], h.home),
  };
}

async function untilAsked(port: number, path: string): Promise<Awaited<ReturnType<typeof ask>>> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask({ port }, path);
    } catch (error) {
      if (tries > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

test('the first connection starts it at the socket that is handed over, which no program inherits from it', {
  skip,
}, async () => {
  await using s = await scene();
  await using activator = s.activate('-l', `127.0.0.1:${s.port}`);
  const refused = await untilAsked(s.port, '/work');
  assert.equal(refused.status, 401);
  await activator.waitForStderr(/, which the service manager holds, for /);
  const hosts = await Promise.all(Array.from({ length: 50 }, () => ask({ port: s.port }, s.path)));
  // The login's secret is in no store here: the caller is let in, and told what to do.
  assert.deepEqual([...new Set(hosts.map(({ status }) => status))], [503], hosts[0]?.body);
  const info = await readFile(`/proc/${activator.pid}/fdinfo/3`, 'utf8');
  const flags = Number.parseInt(/^flags:\t(\d+)$/m.exec(info)?.[1] ?? '', 8);
  assert.equal(flags & 0o2_000_000, 0o2_000_000, 'it is closed where another program is started');
  activator.kill('SIGTERM');
  assert.equal((await activator.finished).code, 0);
});

test('a descriptor that is not the service’s port of loopback is refused, and nothing is listened at', {
  skip,
}, async () => {
  await using s = await scene();
  const other = await freePort();
  const odd: readonly (readonly string[])[] = [
    ['-l', `127.0.0.1:${other}`],
    ['-l', `0.0.0.0:${s.port}`],
    ['-l', `[::1]:${s.port}`],
    ['-l', join(s.home.path, 'runtime', 'socket')],
    ['-l', `127.0.0.1:${s.port}`, '-l', `127.0.0.1:${other}`],
  ];
  for (const options of odd) {
    await using activator = s.activate(...options);
    await activator.waitForStderr(/Listening on/);
    await poke(options[1] ?? '');
    const { code, stderr } = await activator.finished;
    assert.equal(code, 2, `${options}: ${stderr}`);
    assert.match(stderr, /is not the socket of 127\.0\.0\.1:\d+ that this proxy was installed for/, options.join(' '));
  }
});

async function poke(address: string): Promise<void> {
  const { connect } = await import('node:net');
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(address.replace(/[[\]]/g, '')) ?? [];
  const socket = port === '' ? connect({ path: address }) : connect({ host, port: Number(port) });
  await new Promise((resolve) => socket.once('connect', resolve).once('error', resolve));
  socket.on('error', () => undefined);
}

test('what is said of descriptors to another process is not believed', { skip }, async () => {
  await using s = await scene();
  const [command, ...words] = programCommand(['proxy', s.id, '--service']);
  const env = { ...s.home.env, LISTEN_FDS: '1', LISTEN_PID: '1' };
  await using program = startCommand(command, words, { ...s.home, env });
  await program.waitForStderr(/^http:\/\/127\.0\.0\.1:\d+, for /m);
  assert.equal((await ask({ port: s.port }, '/work')).status, 401);
});
