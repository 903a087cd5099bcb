import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { headedChromium, openDesktop } from './desktop.js';
import { makeHome } from './home.js';
import { needs } from './needs.js';

/** What Chromium on a busy machine may be: its control is connected to, and then says nothing. */
async function hungChromium() {
  const sockets: Socket[] = [];
  const server = createServer((_request, response) => {
    const { port } = server.address() as AddressInfo;
    response.end(JSON.stringify({ webSocketDebuggerUrl: `ws://127.0.0.1:${port}/devtools/browser/1` }));
  });
  server.on('connection', (socket) => sockets.push(socket));
  const connected = new Promise<void>((resolve) => {
    server.on('upgrade', (request, socket) => {
      const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash('sha1').update(key).digest('base64');
      const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
      socket.write([...lines, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'));
      resolve();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (server.address() as AddressInfo).port, connected, [Symbol.dispose]: close };
}

test('Chromium that hangs once when it is attached to is attached to anew', {
  skip: needs('chromium', 'xvfb'),
}, async () => {
  await using home = await makeHome();
  await using desktop = await openDesktop();
  using hung = await hungChromium();
  const profile = join(home.path, 'hung-profile');
  await mkdir(profile);
  await writeFile(join(profile, 'DevToolsActivePort'), `${hung.port}\n/devtools/browser/1`);
  await using browser = await headedChromium(home, 'hung');
  const shown = browser.isShown('#here');
  await hung.connected;
  const page = 'data:text/html,<title>Here</title><p id=here>';
  const started = spawn(browser.path, [page], { detached: true, env: { ...process.env, ...desktop.env } });
  await shown;
  await browser.sees('Here');
  assert.equal(started.exitCode, null);
});
