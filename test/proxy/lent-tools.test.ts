import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { makeHome } from '../support/home.js';
import { startHere } from '../support/in-process.js';
import type { Running } from '../support/program.js';
import { startToolServer, type ToolServer } from '../support/tool-server.js';

interface Lent {
  /** What the caller gets: the status, and the body as JSON or text. */
  post(
    body: string | Uint8Array,
    headers?: Readonly<Record<string, string>>,
    more?: string,
  ): Promise<{ status: number; text: string }>;
  get(more: string): Promise<number>;
  readonly proxy: Running;
}

async function lend(server: ToolServer, options: readonly string[], use: (lent: Lent) => Promise<void>): Promise<void> {
  await using home = await makeHome({ POSTERN_TOKEN: 'a-token', POSTERN_TOKEN_SERVER: server.url });
  await using proxy = startHere(home, ['proxy', server.url, ...options]);
  const [url] = await proxy.waitForStdout(/^http:\S+/m);
  const send = async (init: RequestInit, more = '') => {
    const response = await fetch(`${url}${more}`, init);
    return { status: response.status, text: await response.text() };
  };
  await use({
    proxy,
    post: (body, headers = {}, more = '') => {
      const own = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
      return send({ method: 'POST', headers: own, body: Buffer.from(body) }, more);
    },
    get: async (more) => (await send({}, more)).status,
  });
}

const call = (name: string, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } });

const list = JSON.stringify({ jsonrpc: '2.0', id: 'l', method: 'tools/list' });

for (const form of ['json', 'events'] as const) {
  test(`a proxy lends what is read-only, as ${form}: lists are cut, other calls get an error and do not leave`, async () => {
    await using server = await startToolServer(form);
    await lend(server, ['--read-only'], async ({ post }) => {
      // Unknown yet: the server is asked first.
      assert.match((await post(call('read_note'))).text, /"did":"read_note"/);
      assert.deepEqual(server.methods(), ['tools/list', 'tools/list', 'tools/call'], 'both pages');
      const refused = await post(call('delete_note', 12345678901234567890n.toString()));
      assert.equal(refused.status, 200);
      assert.match(refused.text, /"id":"12345678901234567890","error":\{"code":-31013,.*delete_note.*tool_not_lent/);
      assert.match((await post(call('nobody_knows'))).text, /-31013/);
      const { text } = await post(list);
      assert.match(text, /read_note/);
      assert.doesNotMatch(text, /delete_note|write_note/);
      assert.deepEqual(server.called, ['read_note']);
    });
  });
}

test('what is allowed and what is denied by name holds for each message of a batch', async () => {
  await using server = await startToolServer('json');
  await lend(server, ['--allow-tool', '*_note', '--deny-tool', 'DELETE*'], async ({ post }) => {
    assert.match(
      (await post(`[${call('read_note', 1)},${call('delete_note', 2)}]`)).text,
      /^\[.*"id":1,"error".*"id":2,"error".*\]$/s,
    );
    assert.match((await post(call('Delete_note'))).text, /-31013/);
    assert.match((await post(call('other'))).text, /-31013/);
    assert.deepEqual(server.called, []);
    assert.match((await post(`[${call('read_note', 1)},${call('write_note', 2)}]`)).text, /write_note/);
    assert.deepEqual(server.called, ['read_note', 'write_note']);
    const { text } = await post(`[${list}]`);
    assert.doesNotMatch(text, /delete_note|"other"/);
    assert.match(text, /write_note/);
  });
});

/** Calls of `delete_note` that some server would carry out. */
const hostile: Readonly<
  Record<string, readonly [body: string | Uint8Array, headers?: Record<string, string>, more?: string]>
> = {
  'an escape in the method': [call('delete_note').replace('tools/call', 'tools\\u002fcall')],
  'an escape in the name': [call('delete_note').replace('delete_note', '\\u0064elete_note')],
  'an escape in a member': [call('delete_note').replace('"name"', '"\\u006eame"')],
  'two methods': [call('delete_note').replace('{', '{"method":"ping",')],
  'two methods, the other way': [call('delete_note').replace(/\}$/, ',"method":"ping"}')],
  'two names': [call('delete_note').replace('"name"', '"name":"read_note","name"')],
  'two params': [call('delete_note').replace(/\}$/, ',"params":{"name":"read_note"}}')],
  'a method in capitals': [call('read_note').replace('"method"', '"method":"ping","Method"')],
  'a name in capitals': [call('read_note').replace('"name"', '"Name":"delete_note","name"')],
  'a name with a long s': [call('read_note').replace('"params"', '"paramſ":{"name":"delete_note"},"params"')],
  'a prototype of the parameters': [call('read_note').replace('"name"', '"__proto__":{"name":"delete_note"},"name"')],
  'a prototype that is spelled at length': [
    call('read_note').replace('"name"', '"\\u005f_proto__":{"name":"delete_note"},"name"'),
  ],
  'a prototype of the message': [call('read_note').replace('{', `{"__proto__":${call('delete_note')},`)],
  'a method spelled otherwise': [call('delete_note').replace('tools/call', 'Tools/Call')],
  'a notification': [JSON.stringify({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'delete_note' } })],
  'a byte order mark': [`\ufeff${call('delete_note')}`],
  'UTF-16': [Buffer.from(call('delete_note'), 'utf16le'), { 'content-type': 'application/json; charset=utf-16' }],
  'UTF-7': [call('+AGQ-elete_note'), { 'content-type': 'application/json; charset=utf-7' }],
  'two texts': [`${list}\n${call('delete_note')}`],
  'a batch in a batch': [`[[${call('delete_note')}]]`],
  gzip: [gzipSync(call('delete_note')), { 'content-encoding': 'gzip' }],
  text: [call('delete_note'), { 'content-type': 'text/plain' }],
  'two types': [call('delete_note'), { 'content-type': 'application/json, text/plain' }],
  'a header of its own': [call('read_note'), { 'mcp-method': 'tools/call', 'mcp-name': 'delete_note' }],
  'a header of its own, with underscores': [call('read_note'), { Mcp_Name: 'delete_note' }],
  'an address below': [call('read_note'), {}, '/tools/delete_note'],
  'a query': [call('read_note'), {}, '?tool=delete_note'],
};

test('no spelling of a call slips through: what can be read in two ways is refused, and nothing of it leaves', async () => {
  await using server = await startToolServer('json');
  await lend(server, ['--deny-tool', 'delete_note'], async ({ post, get }) => {
    for (const [what, [body, headers, more]] of Object.entries(hostile)) {
      const { status, text } = await post(body, headers, more);
      assert.ok(status >= 400 || text.includes('-31013') || text.includes('-32600'), `${what}: ${status} ${text}`);
      assert.deepEqual(server.methods(), [], what);
    }
    assert.equal(await get('/tools/delete_note'), 403);
    assert.match((await post(call('read_note'), { 'mcp-method': 'tools/call', 'mcp-name': 'read_note' })).text, /did/);
  });
});

test('an answer that can be read in two ways, or is compressed, is not passed on', async () => {
  for (const answer of ['coded', 'twice', 'page'] as const) {
    await using server = await startToolServer(answer);
    await lend(server, ['--deny-tool', 'delete_note'], async ({ post }) => {
      const { status, text } = await post(list);
      assert.equal(status, 502, `${answer}: ${text}`);
      assert.doesNotMatch(text, /delete_note/);
    });
  }
});
