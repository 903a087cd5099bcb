import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logIn, recordOf, refreshTokensSent } from '../support/at-stage.js';
import { walkLogin } from '../support/product.js';
import { openStage, type Stage } from '../support/stage-here.js';
import { bridgeOn } from './host.js';

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The stored token becomes one that the server does not know, though nothing here tells so. */
async function spoilToken(stage: Stage): Promise<void> {
  const { key } = recordOf(stage);
  await stage.changeItem(key, { accessToken: 'no-token-of-this-server', expiresAt: Date.now() + 3_600_000 });
}

function tabs(stage: Stage): number {
  return stage.browser.all.length;
}

test('[A-238] nobody to ask: an error with a stable code and what to run; the login is used as soon as it is there', async () => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  await using host = bridgeOn(stage, serverUrl, '--non-interactive');
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const refused = await host.ask({ id: 1, method: 'initialize', params });
  assert.equal(refused.id, 1);
  assert.equal(refused.error?.code, -31011);
  assert.equal(refused.error?.data?.['code'], 'login_needed');
  assert.equal(refused.error?.data?.['remedy'], `Run: postern login ${serverUrl}`);
  await logIn(stage);
  const opened = await host.open();
  assert.ok(opened.result !== undefined, JSON.stringify(opened));
  // The note tools want a scope that this login has not.
  const wider = await host.ask({ id: 2, method: 'tools/call', params: { name: 'note_list', arguments: {} } });
  assert.equal(wider.error?.code, -31011, JSON.stringify(wider));
  assert.equal(wider.error?.data?.['code'], 'insufficient_scope');
  assert.match(
    String(wider.error?.data?.['remedy']),
    /then try again; .*: postern login \S+ --scope '.*notes:read.*'$/,
  );
  await using login = stage.start('login', serverUrl, '--no-browser', '--scope', 'mcp:basic notes:read');
  const [url] = await login.waitForStderr(/\bhttps?:\/\/\S+[?&]response_type=code\S*(?=\s)/);
  await walkLogin(url);
  assert.equal((await login.finished).code, 0);
  const listed = await host.ask({ id: 3, method: 'tools/call', params: { name: 'note_list', arguments: {} } });
  assert.ok(listed.result !== undefined, JSON.stringify(listed));
  assert.equal(tabs(stage), 0);
});

test('[A-109] three bridges started at the same moment without a login: one tab, one registration, one token', async () => {
  await using stage = await openStage();
  const { sandbox } = stage;
  const hosts = [1, 2, 3].map(() => bridgeOn(stage, sandbox.serverUrl));
  try {
    const opened = hosts.map((host) => host.open());
    const link = await stage.browser.opened();
    const waits = hosts.map((host) =>
      host.program.waitForStderr(/already logging in/).then(
        () => 1,
        () => 0,
      ),
    );
    await Promise.any([Promise.all(waits.slice(0, 2)), Promise.all(waits.slice(1)), Promise.all([waits[0], waits[2]])]);
    await walkLogin(link);
    for (const answer of await Promise.all(opened)) assert.ok(answer.result !== undefined, JSON.stringify(answer));
  } finally {
    for (const host of hosts) await host[Symbol.asyncDispose]();
  }
  assert.equal(tabs(stage), 1);
  assert.equal(sandbox.requests.filter(({ path }) => path === '/register').length, 1);
  assert.equal(sandbox.stats.tokenRequests, 1);
});

test('a 401 in mid-session is one refresh for all requests, which are sent again', async () => {
  await using stage = await openStage();
  await logIn(stage);
  await spoilToken(stage);
  await using host = bridgeOn(stage, stage.sandbox.serverUrl, '--non-interactive');
  const ids = Array.from({ length: 20 }, (_, index) => index + 1);
  for (const id of ids) host.send({ id, method: 'tools/list', params: { _meta } });
  const answers = [];
  for (const _ of ids) answers.push(await host.next());
  assert.deepEqual(
    answers.map(({ id, error }) => [id, error]).sort(([one], [other]) => Number(one) - Number(other)),
    ids.map((id) => [id, undefined]),
  );
  assert.equal(refreshTokensSent(stage).length, 1);
});

test('a request waits for the person as long as is said, and is answered with an error then; the login goes on', async () => {
  await using stage = await openStage();
  await using host = bridgeOn(stage, stage.sandbox.serverUrl, '--login-wait', '1');
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const late = await host.ask({ id: 1, method: 'initialize', params });
  assert.equal(late.error?.data?.['code'], 'login_under_way');
  await walkLogin(await stage.browser.opened());
  const opened = await host.open();
  assert.ok(opened.result !== undefined, JSON.stringify(opened));
  assert.equal(tabs(stage), 1);
});

test('a step-up in the browser: the request waits and is sent again', async () => {
  await using stage = await openStage();
  await logIn(stage);
  await using host = bridgeOn(stage, stage.sandbox.serverUrl);
  await host.open();
  host.send({ id: 1, method: 'tools/call', params: { name: 'note_list', arguments: {} } });
  await walkLogin(await stage.browser.opened());
  const { id, result } = await host.next();
  assert.equal(id, 1);
  assert.ok(result !== undefined);
  assert.ok(recordOf(stage).scopes.includes('notes:read'));
});

test('what a server says in a refusal reaches the host: of a 403 without a challenge, and of a 401', async () => {
  await using stage = await openStage();
  await logIn(stage);
  await using host = bridgeOn(stage, stage.sandbox.serverUrl, '--non-interactive');
  await host.open();
  const ask = (id: number) => host.ask({ id, method: 'tools/list', params: {} });
  stage.sandbox.setFaults(['server-403-plain']);
  assert.match(String((await ask(11)).error?.message), /responded 403; it said: "forbidden"/);
  stage.sandbox.setFaults(['server-401-always']);
  assert.match(String((await ask(12)).error?.message), /The server said: "invalid_token"/);
});
