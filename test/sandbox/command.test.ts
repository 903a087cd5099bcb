import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResultWriter } from '../../src/app/write-stream.js';
import { plainLook } from '../../src/core/text/look.js';
import { listFaults } from '../../src/sandbox/faults/table.js';
import { command } from '../../src/sandbox/sandbox.command.js';
import { failureOf } from '../support/http.js';
import { startHttp } from '../support/http-server.js';

type Arguments = Parameters<typeof command.run>[1];

const usual: Arguments = {
  port: undefined,
  authorizationPort: undefined,
  lifetime: 300,
  idTokenLifetime: 3600,
  company: undefined,
  issuerPath: undefined,
  metadata: 'both',
  discovery: 'both',
  wellKnown: 'path',
  eras: 'both',
  noRegistration: false,
  requirePushedRequests: false,
  dpop: 'off',
  dpopNonce: false,
  noMetadataDocuments: false,
  allowClientDocumentsFrom: [],
  clientDocumentsCa: undefined,
  trustClientsOf: [],
  clients: undefined,
  approve: false,
  state: undefined,
  misbehave: [],
};

/** Runs the command; it is told to end as soon as it has printed its result and `then` has looked at it. */
async function run(change: Partial<Arguments>, json: boolean, then: (printed: string) => Promise<void>) {
  const end = new AbortController();
  const told: string[] = [];
  let seen: Promise<void> = Promise.resolve();
  const out = createResultWriter(
    async (bytes) => {
      seen = then(String(bytes)).finally(() => end.abort());
    },
    undefined,
    (text) => text,
  );
  const context = {
    out,
    tell: (line: string) => told.push(line),
    json,
    look: plainLook,
    tellLook: plainLook,
    signal: end.signal,
  };
  const exit = await command.run(context as unknown as Parameters<typeof command.run>[0], { ...usual, ...change });
  await seen;
  return { exit, told };
}

test('the sandbox prints the address of its server and nothing else on stdout, and runs until it is told to end', async () => {
  let server = '';
  const { exit, told } = await run({}, false, async (printed) => {
    server = printed.trim();
    assert.equal((await fetch(server, { method: 'POST' })).status, 401);
  });
  assert.equal(exit, 130);
  assert.ok(told.some((line) => line.includes(`postern login ${server}`)));
  assert.match(told[0] ?? '', /not for production/);
  await assert.rejects(fetch(server));
});

test('--json gives both addresses, and the options reach the servers', async () => {
  await run({ issuerPath: '/tenant1', noRegistration: true, misbehave: ['as-pkce-plain'] }, true, async (printed) => {
    const { server, issuer } = JSON.parse(printed);
    assert.match(server, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const { origin, pathname } = new URL(issuer);
    assert.equal(pathname, '/tenant1');
    const metadata = await (await fetch(`${origin}/.well-known/oauth-authorization-server/tenant1`)).json();
    assert.equal('registration_endpoint' in metadata, false);
    assert.deepEqual(metadata.code_challenge_methods_supported, ['plain']);
  });
});

test('[A-298] a fault that does not exist is refused, with the one that was meant', async () => {
  const failure = await failureOf(
    run({ misbehave: ['as-no-pkec'] }, false, async () => undefined),
    'usage_wrong',
  );
  assert.equal(failure.exit, 2);
  assert.match(failure.remedy, /as-no-pkce/);
});

test('[A-298] --misbehave list shows each fault on lines of its own, in groups, as wide as is read, and starts nothing', async () => {
  const pages: string[] = [];
  const out = createResultWriter(
    async (bytes) => void pages.push(String(bytes)),
    undefined,
    (text) => text,
  );
  const context = { out, tell: assert.fail, json: false, look: plainLook, tellLook: plainLook };
  const world = context as unknown as Parameters<typeof command.run>[0];
  assert.equal(await command.run(world, { ...usual, misbehave: ['list'] }), 0);
  const lines = pages.join('').split('\n');
  assert.ok(lines.every((line) => line.length <= 80));
  const text = pages.join('').replace(/\s+/g, ' ');
  for (const { name, what, group } of listFaults()) {
    assert.ok(lines.includes(group), group);
    assert.ok(text.includes(` ${name} ${what}`), name);
  }
});

test('a port that is taken, and a path that is none, are wrong usage', async () => {
  await using taken = await startHttp((_request, response) => response.end());
  for (const change of [{ port: taken.port }, { authorizationPort: taken.port }]) {
    const failure = await failureOf(
      run(change, false, async () => undefined),
      'port_refused',
    );
    assert.match(failure.message, new RegExp(String(taken.port)));
    assert.equal(failure.exit, 2);
  }
  await failureOf(
    run({ issuerPath: 'tenant' }, false, async () => undefined),
    'usage_wrong',
  );
});
