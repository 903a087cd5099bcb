import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { startHttp } from '../support/http-server.js';
import { ask, firstToken, mountOf, openStand } from './stand.js';

const challenge = { 'www-authenticate': 'Bearer' };

/** A server that refuses the first token with a body that `refuse` writes. */
function refusing(refuse: (response: ServerResponse) => void) {
  return startHttp((request, response) => {
    if (request.headers.authorization === `Bearer ${firstToken}`) refuse(response);
    else response.end('fine');
  });
}

test('a 401 whose body is long is not read to its end, which nobody wants [A-225] [A-227]', async () => {
  const most = 256 * 1024 * 1024;
  let written = 0;
  let over: Promise<unknown> = Promise.resolve();
  await using server = await refusing((response) => {
    over = once(response, 'close');
    response.writeHead(401, { ...challenge, 'content-length': most });
    const piece = Buffer.alloc(65_536);
    const more = (): void => {
      while (written < most && !response.destroyed) {
        written += piece.length;
        if (!response.write(piece)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  assert.equal((await ask(stand, stand.at())).body, 'fine');
  await over;
  assert.ok(written < 64 * 1024 * 1024, `${written} bytes of it were taken`);
});

test('a 401 whose body does not come keeps no connection for long [A-225] [A-227]', async () => {
  let closed: Promise<unknown> | undefined;
  await using server = await refusing((response) => {
    closed = once(response, 'close', { signal: AbortSignal.timeout(10_000) });
    response.writeHead(401, { ...challenge, 'content-length': 10 }).write('half');
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  assert.equal((await ask(stand, stand.at())).body, 'fine');
  assert.ok(closed !== undefined);
  await closed;
});
