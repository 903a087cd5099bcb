import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startTcp } from '../support/http-server.js';
import { mountOf, openStand, tokenFor } from './stand.js';

const chunkOf = (letter: string): string => `8000\r\n${letter.repeat(0x8000)}\r\n`;

test('a 401 in the middle of an upload, itself without an end, does not cut off the head of the second try [A-227]', async () => {
  const sent: string[] = [];
  await using server = await startTcp((socket: Socket) => {
    const at = sent.push('') - 1;
    socket.setEncoding('latin1').on('data', (text: string) => {
      const isFirst = at === 0 && sent[at] === '';
      sent[at] += text;
      if (isFirst) socket.write('HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\nhalf');
      if (at > 0 && sent[at]?.endsWith('\r\n0\r\n\r\n')) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
  });
  let renew: () => void = () => undefined;
  const renewed = new Promise<void>((resolve) => {
    renew = resolve;
  });
  const url = `${server.origin}/mcp`;
  const mount = mountOf(url, { replace: () => renewed.then(() => tokenFor(url, 'canary-token-1')) });
  await using stand = await openStand(mount);
  const caller = connect({ host: '127.0.0.1', port: stand.port }).on('error', () => undefined);
  let seen = '';
  caller.setEncoding('latin1').on('data', (text: string) => {
    seen += text;
  });
  caller.write(
    `PUT ${stand.at()} HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\nTransfer-Encoding: chunked\r\n\r\n${chunkOf('x')}`,
  );
  while (sent[0] === undefined || sent[0] === '') await wait(2);
  await wait(50);
  for (let count = 0; count < 60; count += 1) caller.write(chunkOf('y'));
  caller.write('0\r\n\r\n');
  await wait(500);
  renew();
  while (seen === '') await wait(5);
  assert.match(seen, /^HTTP\/1\.1 204 /);
  const body = sent[1]?.slice((sent[1]?.indexOf('\r\n\r\n') ?? 0) + 4);
  assert.equal(body?.replaceAll(/[^xy]/g, '').length, 61 * 0x8000);
  assert.match(body ?? '', /xxxx/);
  caller.destroy();
});
