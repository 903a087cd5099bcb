import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';
import { startHttp } from '../support/http-server.js';
import { defaultLimits } from '../support/product.js';
import { examineWhole } from './doctor-world.js';

/** A response that begins, and does not end. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const drips = setInterval(() => response.write(' '), 10);
  response.once('close', () => clearInterval(drips));
}

test('doctor: metadata that drips is not called invalid: it did not come in time', async () => {
  // Seconds for what does come in time, on a busy machine.
  await using scene = await openScene({}, { limits: { ...defaultLimits, metadataSeconds: 3 } });
  await using hasty = await openScene({}, { limits: { ...defaultLimits, metadataSeconds: 0.3 } });
  await using issuer = await startHttp((_request, response) => drip(response));
  let isSlow = true;
  await using server = await startHttp((request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.method === 'POST') response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    else if (isSlow) drip(response);
    else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [issuer.origin] }));
    }
  });
  const passive = { server: `${server.origin}/mcp`, login: undefined };
  assert.equal((await examineWhole(hasty, passive)).report.firstCause?.id, 'not-in-time');
  isSlow = false;
  assert.equal((await examineWhole(scene, passive)).report.firstCause?.id, 'issuer-unreachable');
});

test('doctor: a server that takes one made-up token of four is found out', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  let count = 0;
  own.server.whenAuthorized = (_request, response) => {
    count += 1;
    if (count === 3) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    else response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
  };
  const { report } = await examineWhole(scene, { server: own.server.url, login: undefined });
  assert.ok(report.has('bad-token-taken'));
});
