import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { startHttp } from '../support/http-server.js';
import { startKeyring } from '../support/keyring.js';
import { needs } from '../support/needs.js';
import { startProgram } from '../support/program.js';
import { storeLogin } from '../support/stored-login.js';

/** Bytes each way. By hand, for the whole of it: POSTERN_PROXY_BYTES=10000000000 npm test -- proxy/large */
const total = Number(process.env['POSTERN_PROXY_BYTES'] ?? '400000000');
const chunk = Buffer.alloc(262_144, 7);
const event = Buffer.from(`data: ${'x'.repeat(92)}\n\n`);
/** A day of an event a second. */
const events = 86_400;

/** Resident memory of a process, in bytes: now, and the most that it ever was. */
function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1024;
  return { now: kilobytes('VmRSS'), peak: kilobytes('VmHWM') };
}

/** Writes as fast as the other side reads. */
function pour(into: NodeJS.WritableStream, bytes: number, piece = chunk): void {
  let left = bytes;
  const more = (): void => {
    while (left > 0) {
      left -= piece.byteLength;
      if (!into.write(piece)) {
        into.once('drain', more);
        return;
      }
    }
    into.end();
  };
  more();
}

test('bodies of any size and long event streams pass in memory that stays flat [A-225]', {
  skip: needs('gnome-keyring', 'secret-tool'),
  timeout: 3_600_000,
}, async () => {
  await using keyring = await startKeyring();
  await using home = await makeHome(keyring.env);
  await using server = await startHttp((request, response) => {
    let received = 0;
    request.on('data', (piece: Buffer) => {
      received += piece.byteLength;
    });
    request.on('end', () => {
      if (request.method === 'PUT') response.end(String(received));
      else if (request.method === 'GET') pour(response, total);
      else if (request.method === 'POST') {
        response.setHeader('content-type', 'text/event-stream');
        pour(response, event.byteLength * events, event);
      } else response.end();
    });
  });
  const address = `${server.origin}/mcp`;
  await storeLogin(home, { server: address, name: 'big', accessToken: 'token-of-big', expiresAt: null });
  await using program = startProgram(home, ['proxy', 'big']);
  const [url] = await program.waitForStdout(/^http:\S+(?=\n)/m);
  const ask = (method: string, send: boolean) =>
    new Promise<{ bytes: number; text: string }>((resolve, reject) => {
      const request = httpRequest(url, { method, agent: false });
      request.once('error', reject).once('response', (response) => {
        let bytes = 0;
        let text = '';
        response.on('data', (piece: Buffer) => {
          bytes += piece.byteLength;
          if (send) text += String(piece);
        });
        response.once('end', () => resolve({ bytes, text })).once('error', reject);
      });
      if (send) pour(request, total);
      else request.end();
    });
  const rounded = Math.ceil(total / chunk.byteLength) * chunk.byteLength;
  await ask('OPTIONS', false);
  const idle = memoryOf(program.pid).now;
  const got = await Promise.all([ask('GET', false), ask('PUT', true), ask('POST', false)]);
  assert.equal(got[0]?.bytes, rounded);
  assert.equal(got[1]?.text, String(rounded));
  assert.equal(got[2]?.bytes, event.byteLength * events);
  const { peak } = memoryOf(program.pid);
  const grown = Math.round((peak - idle) / 1_048_576);
  process.stderr.write(`proxy: ${rounded} bytes each way and ${events} events, ${grown} MiB above idle at its peak\n`);
  assert.ok(grown < 64, `${grown} MiB above idle`);
});
