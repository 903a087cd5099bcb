import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { toolListKey } from '../../../src/call/tools/known-tools.js';
import { bareHome, event, type ScriptedServer, scriptedServer, usual } from '../../bridge/host.js';
import type { Home } from '../../support/home.js';
import { runHere } from '../../support/in-process.js';
import type { LoginRecord } from '../../support/product.js';

const json = { 'content-type': 'application/json' };

const echo = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { n: { type: 'integer' }, text: { type: 'string' } }, required: ['text'] },
};

/** A server whose tools, and what it says to a call, the test changes. */
async function serverWithTools() {
  const now = { tools: [echo] as unknown, refusal: undefined as object | undefined, changes: false };
  const server = await scriptedServer((seen, response) => {
    const { id, method, params } = seen.message;
    const isList = method === 'tools/list';
    if (!isList && method !== 'tools/call') return usual(seen, response);
    const result = isList
      ? { tools: now.tools }
      : { content: [{ type: 'text', text: JSON.stringify(params?.['arguments']) }] };
    const reply = { jsonrpc: '2.0', id, ...((!isList && now.refusal) || { result }) };
    if (isList || !now.changes) return response.writeHead(200, json).end(JSON.stringify(reply));
    const changed = event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    return response.writeHead(200, { 'content-type': 'text/event-stream' }).end(changed + event(reply));
  });
  return Object.assign(server, { now });
}

/** What was asked of the server since the last time, without the opening of sessions. */
function asker(server: ScriptedServer) {
  let seen = 0;
  return () => {
    const asked = server.seen.slice(seen).flatMap(({ message }) => message.method ?? []);
    seen = server.seen.length;
    return asked.filter((method) => method.startsWith('tools/')).join(' ');
  };
}

const call = (home: Home, server: ScriptedServer, ...words: readonly string[]) =>
  runHere(home, ['call', server.url, ...words]);

test('a tool with a slash in its name is called where the server lists it, else the word is a method', async () => {
  await using server = await serverWithTools();
  server.now.tools = [{ ...echo, name: 'my/tool' }];
  await using home = await bareHome();
  const asked = asker(server);
  const called = await call(home, server, 'my/tool', 'text=5', 'n=5');
  assert.deepEqual([called.stdout, asked()], ['{"text":"5","n":5}\n', 'tools/list tools/call'], called.stderr);
  assert.match((await call(home, server, 'my/tool', '--help')).stdout, /Says it again/);
  assert.match((await call(home, server, 'my/method', 'a=1', '--json')).stdout, /"echoed"/);
  server.now.refusal = { result: { content: [], isError: true } };
  assert.equal((await call(home, server, 'my/tool', 'text=5')).code, 8);
});

test('a list that is cut short says so, and no tool is said to be missing for it [A-257]', async () => {
  const ends: readonly (readonly [string, (at: number) => unknown, number, RegExp])[] = [
    ['repeats', () => 'same', 2, /same page cursor twice/],
    ['rings', (at) => String(at % 3), 4, /same page cursor twice/],
    ['is empty', () => '', 2, /same page cursor twice/],
    ['is a number', (at) => at + 1, 1, /cursor for the next page is not a string/],
    ['never ends', (at) => String(at + 1), 100, /more than 100 pages\. To read more, raise callPages/],
  ];
  for (const [name, cursor, pages, note] of ends) {
    let asks = 0;
    await using server = await scriptedServer((seen, response) => {
      const { id, method, params } = seen.message;
      if (!String(method).startsWith('tools/')) return usual(seen, response);
      const tool = { ...echo, name: `t${asks}` };
      const list = { tools: name === 'never ends' ? [] : [name === 'repeats' ? echo : tool], nextCursor: cursor(asks) };
      if (method === 'tools/list') asks += 1;
      const result = method === 'tools/list' ? list : { content: [{ type: 'text', text: String(params?.['name']) }] };
      response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    await using home = await bareHome();
    const list = await call(home, server, '--output', 'json');
    assert.deepEqual([list.code, asks], [0, pages], `${name}: ${list.stderr}`);
    assert.match(list.stderr, note, name);
    if (name === 'repeats') assert.equal(JSON.parse(list.stdout).tools.length, 1);
    const help = await call(home, server, 't149', '--help');
    assert.equal(help.code, 2, name);
    assert.match(help.stderr, /"t149"/, name);
    assert.equal((await call(home, server, 't149', 'text=x')).stdout, 't149\n', name);
  }
});

test('a tool’s list is asked for once in the session that needs it, kept, and not asked for where JSON is given', async () => {
  await using server = await serverWithTools();
  await using home = await bareHome();
  const asked = asker(server);
  const raw = await call(home, server, 'echo', 'n:="as it is"');
  assert.deepEqual([raw.stdout, asked()], ['{"n":"as it is"}\n', 'tools/call']);
  const first = await call(home, server, 'echo', 'text=5', 'n=5');
  assert.deepEqual([first.stdout, asked()], ['{"text":"5","n":5}\n', 'tools/list tools/call']);
  const second = await call(home, server, 'echo', 'hello');
  assert.deepEqual([second.stdout, asked()], ['{"text":"hello"}\n', 'tools/call']);
});

test('what does not fit the list is refused before the call, after a look at a new one', async () => {
  await using server = await serverWithTools();
  await using home = await bareHome();
  const asked = asker(server);
  const mistyped = await call(home, server, 'ehco', 'hello');
  assert.deepEqual([mistyped.code, asked()], [2, 'tools/list']);
  assert.match(
    mistyped.stderr,
    /no tool "ehco"\.\s+Did you mean "echo"\? Run: postern call \S+\/mcp echo hello\s+\[tool_unknown, exit 2\]/,
  );
  const method = await call(home, server, 'tools-list');
  assert.match(method.stderr, /Did you mean "tools\/list"\? Run: postern call \S+\/mcp tools\/list\n/);
  const written = await call(home, server, 'echo(text: "https://x/")');
  assert.match(written.stderr, /"echo\(text:[\s\S]*postern call \S+ echo text=/);
  asked();
  const wrong = await call(home, server, 'echo', 'text=a', 'n=x');
  assert.deepEqual([wrong.code, asked()], [2, 'tools/list']);
  assert.match(wrong.stderr, /\bn\b.*"x".*whole number/);
  server.now.tools = [{ name: 'other' }];
  const renamed = await call(home, server, 'other');
  assert.deepEqual([renamed.code, asked()], [0, 'tools/list tools/call'], 'a tool that is new is found');
});

test('a list is asked for anew once the server says that it has changed, or refuses what fits it', async () => {
  const refusals = [
    { error: { code: -32602, message: 'Invalid params' } },
    { result: { isError: true, content: [{ type: 'text', text: 'MCP error -32602: Tool echo not found' }] } },
  ];
  for (const refusal of [undefined, ...refusals]) {
    await using server = await serverWithTools();
    await using home = await bareHome();
    const asked = asker(server);
    assert.equal((await call(home, server)).code, 0);
    assert.equal(asked(), 'tools/list');
    Object.assign(server.now, { refusal, changes: refusal === undefined });
    assert.equal((await call(home, server, 'echo', 'a')).code, refusal === undefined ? 0 : 8);
    assert.equal(asked(), 'tools/call');
    await call(home, server, 'echo', 'a');
    assert.equal(asked(), 'tools/list tools/call');
  }
});

test('where a server lists nothing that can be read, text is text', async () => {
  for (const tools of [undefined, 'x']) {
    await using server = await serverWithTools();
    await using home = await bareHome();
    server.now.tools = tools;
    const { stdout, stderr } = await call(home, server, 'echo', 'n=5');
    assert.equal(stdout, '{"n":"5"}\n', stderr);
    const alone = await call(home, server, 'echo', 'alone');
    assert.deepEqual([alone.code, alone.stdout], [2, '']);
  }
});

test('[A-243] a hostile list is kept within bounds, and what it says is harmless on a terminal', async () => {
  await using server = await serverWithTools();
  await using home = await bareHome();
  const bad = '\u001b[2J\u202e';
  server.now.tools = [
    {
      name: '__proto__',
      inputSchema: JSON.parse('{"properties":{"__proto__":{"type":"integer"}},"required":["__proto__"]}'),
    },
    { name: bad, inputSchema: { properties: { [bad]: { enum: [bad] } }, required: [bad] } },
    ...Array.from({ length: 3_000 }, (_, at) => ({ name: `t${at}`, description: 'x'.repeat(5_000) })),
  ];
  const proto = await call(home, server, '__proto__', '5');
  assert.equal(proto.stdout, '{"__proto__":5}\n', proto.stderr);
  for (const words of [[bad], [bad, `${bad}=x`], [bad, 'x=1'], ['\u001b[2K']]) {
    const { stderr } = await call(home, server, ...words);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    assert.doesNotMatch(stderr, /[\u0000-\u0009\u000b-\u001f\u202e]/);
  }
  const folder = join(home.env['XDG_STATE_HOME'] ?? '', 'postern', 'tools');
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  assert.ok(sizes.length <= 1 && (sizes[0] ?? 0) <= 1_048_576, String(sizes));
});

test('nothing is kept of a program, and of a login that leaves nothing behind', async () => {
  const login: LoginRecord = {
    ...{
      key: 'k',
      server: 'https://example.com/mcp',
      resource: 'https://example.com/mcp',
      issuer: 'https://as.example',
    },
    ...{ clientId: 'c', account: 'default', scopes: [], expiresAt: null, obtainedAt: 0, refreshable: false },
    ...{ store: 'file', zone: 'public', registration: 'dynamic', generation: 1 },
  };
  assert.equal(toolListKey(login), 'k');
  assert.equal(toolListKey({ server: login.server }), login.server);
  for (const store of ['memory', 'environment'] as const) assert.equal(toolListKey({ ...login, store }), undefined);
  assert.equal(toolListKey({ program: {} }), undefined);
  await using server = await serverWithTools();
  await using home = await bareHome();
  const asked = asker(server);
  const env = { ...home.env, POSTERN_TOKEN: 'a-token', POSTERN_TOKEN_SERVER: server.url };
  for (let times = 0; times < 2; times += 1) {
    const { code, stderr } = await call({ ...home, env }, server, 'echo', 'hello');
    assert.equal(code, 0, stderr);
    assert.equal(asked(), 'tools/list tools/call');
  }
});

test('arguments with dashes, and a method that is mistyped, bring what was meant', async () => {
  await using server = await scriptedServer((seen, response) => {
    const { id, method } = seen.message;
    if (method !== 'tools/lst') return usual(seen, response);
    const error = { code: -32601, message: 'Method not found' };
    return response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
  });
  await using home = await bareHome();
  const said = async (...words: readonly string[]) => (await runHere(home, ['call', server.url, ...words])).stderr;
  assert.match(await said('tools/lst'), /Did you mean tools\/list\?/);
  assert.match(await said('echo', '--text=a b'), /no option "--text" here\.\s+Did you mean text=…\?\n/);
  assert.match(await said('echo', '--text', 'hello', 'n=5'), /Did you mean text=…\?\n/);
  assert.match(await said('echo', '--jsn'), /Did you mean "--json"\? Run: postern call \S+\/mcp echo --json\n/);
});
