import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareHome, event, type ScriptedServer, scriptedServer } from '../bridge/host.js';
import { runHere, startHere } from '../support/in-process.js';
import { metaOf, newerServer, revision } from './newer-server.js';

/** What is offered whoever is there. */
const extensions = { 'io.modelcontextprotocol/tasks': {} };

const methodsOf = ({ seen }: ScriptedServer) => seen.map(({ message }) => message.method);

test('[Q-1.1][Q-1.2][Q-2.1][Q-2.2][Q-2.4][Q-2.5][Q-2.6] a server of the newer era alone is called: no session, each request says all', async () => {
  await using server = await newerServer(({ params }) => ({ result: { resultType: 'complete', echoed: params } }));
  await using home = await bareHome();
  const first = await runHere(home, ['call', server.url, 'prompts/get', 'naïve', '--json']);
  assert.equal(first.code, 0, first.stderr);
  assert.deepEqual(methodsOf(server), ['server/discover', 'prompts/get']);
  const again = await runHere(home, ['call', server.url, 'tools/list']);
  assert.equal(again.code, 0, again.stderr);
  assert.deepEqual(methodsOf(server).slice(2), ['tools/list'], 'the verdict is kept');
  for (const one of server.seen) {
    assert.equal(one.method, 'POST');
    assert.equal(metaOf(one)[revision], '2026-07-28');
    assert.equal(one.headers['mcp-protocol-version'], '2026-07-28');
    assert.equal(one.headers['mcp-method'], one.message.method);
    assert.equal(one.headers['mcp-session-id'], undefined);
    assert.equal((metaOf(one)['io.modelcontextprotocol/clientInfo'] as { name: string }).name, 'postern');
    assert.deepEqual(metaOf(one)['io.modelcontextprotocol/clientCapabilities'], { extensions });
  }
  assert.equal(server.seen[1]?.headers['mcp-name'], '=?base64?bmHDr3Zl?=');
});

test('[Q-1.4] a server of another newer revision is asked once more in one that both know, and never initialized after it', async () => {
  await using server = await newerServer(() => ({ result: { ok: true } }), ['2025-11-25']);
  await using home = await bareHome();
  const { code, stderr } = await runHere(home, ['call', server.url, 'prompts/list', '--protocol', '2026-07-28']);
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    server.seen.map((one) => [one.message.method, metaOf(one)[revision]]),
    [
      ['prompts/list', '2026-07-28'],
      ['prompts/list', '2025-11-25'],
    ],
  );
});

test('[Q-1.13] a server without a revision that is known here is named so, with those of both', async () => {
  await using server = await newerServer(() => ({ result: {} }), ['2031-01-01']);
  await using home = await bareHome();
  const { code, stderr } = await runHere(home, ['call', server.url]);
  assert.equal(code, 5);
  assert.match(stderr, /"2031-01-01".*2026-07-28.*2025-11-25/s);
  assert.match(stderr, /\[revision_unknown, exit 5\]/);
});

test('[Q-4.1][Q-4.2][Q-4.3][Q-4.4] questions come as a result: each is asked, and the request goes out again with the state as it came', async () => {
  const state = 'opaque "\\u0000" ü';
  let round = 0;
  await using server = await newerServer(() => {
    round += 1;
    if (round === 1) return { result: { resultType: 'input_required', requestState: state } };
    if (round > 2) return { result: { messages: [] } };
    const requestedSchema = { type: 'object', properties: { name: { type: 'string', default: 'Ada' } } };
    const params = { mode: 'form', message: 'Who?', requestedSchema };
    return {
      result: { resultType: 'input_required', inputRequests: { who: { method: 'elicitation/create', params } } },
    };
  });
  await using home = await bareHome();
  const words = ['call', server.url, 'prompts/get', 'greet', '--elicitation', 'defaults', '--protocol', '2026-07-28'];
  const { code, stderr } = await runHere(home, words);
  assert.equal(code, 0, stderr);
  const [first, second, third] = server.seen.map(({ message }) => message);
  assert.equal(new Set([first?.id, second?.id, third?.id]).size, 3);
  assert.deepEqual([first?.params?.['requestState'], second?.params?.['requestState']], [undefined, state]);
  assert.equal(third?.params?.['requestState'], undefined);
  assert.deepEqual(third?.params?.['inputResponses'], { who: { action: 'accept', content: { name: 'Ada' } } });
  assert.equal(third?.params?.['name'], 'greet');
});

test('[Q-4.1][Q-4.4] what may not ask, asks for what was not offered, or asks for ever breaks the protocol', async () => {
  const asks = { resultType: 'input_required', requestState: 'x' };
  const form = { method: 'elicitation/create', params: { message: 'Who?' } };
  const forms = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [at, form]));
  const sampling = {
    resultType: 'input_required',
    inputRequests: { a: { method: 'sampling/createMessage', params: {} } },
  };
  const cases: [method: string, result: object, why: RegExp, requests: number][] = [
    ['tools/list', asks, /of the type "input_required", which tools\/list cannot have/, 1],
    ['prompts/get', asks, /asks something for the 11th time/, 11],
    ['prompts/get', { ...asks, inputRequests: forms(21) }, /it asks 21 things at a time/, 1],
    ['prompts/get', { ...asks, inputRequests: forms(20) }, /asks something for the 11th time/, 11],
    ['prompts/get', sampling, /asks for "sampling\/createMessage", which was not offered/, 1],
    ['prompts/get', { resultType: 'input_required' }, /it asks, and says not what/, 1],
    ['prompts/get', { resultType: 'made-up' }, /of the type "made-up"/, 1],
    ['prompts/get', { resultType: { made: 'up' } }, /of the type "\{\\"made\\":\\"up\\"\}"/, 1],
  ];
  for (const [method, result, why, requests] of cases) {
    await using server = await newerServer(() => ({ result }));
    await using home = await bareHome();
    const words = ['call', server.url, method, ...(method === 'prompts/get' ? ['a'] : [])];
    const { code, stderr } = await runHere(home, [...words, '--protocol', '2026-07-28']);
    assert.equal(code, 5, stderr);
    assert.match(stderr, why);
    assert.equal(server.seen.length, requests);
  }
});

test('[Q-4.7] a page that a server wants opened is not taken for a form: nothing is accepted, not by a default either', async () => {
  let asked = false;
  await using server = await newerServer(() => {
    const params = { mode: 'url', message: 'Sign in', url: 'https://evil.example/', elicitationId: 'e' };
    const inputRequests = { page: { method: 'elicitation/create', params } };
    if (asked) return { result: { messages: [] } };
    asked = true;
    return { result: { resultType: 'input_required', inputRequests } };
  });
  await using home = await bareHome();
  const words = ['call', server.url, 'prompts/get', 'a', '--elicitation', 'defaults', '--protocol', '2026-07-28'];
  const { code, stderr } = await runHere(home, words);
  assert.equal(code, 0, stderr);
  assert.deepEqual(server.seen[1]?.message.params?.['inputResponses'], { page: { action: 'decline' } });
});

test('[Q-4.6] a form with a choice or default that no form can have is declined, and that is said', async () => {
  for (const odd of [{ default: { a: 1 } }, { default: [['a']] }, { enum: ['a', { b: 1 }] }, { enum: [[null]] }]) {
    for (const policy of ['defaults', 'ask']) {
      await using server = await newerServer(({ params }) => {
        if (params?.['inputResponses'] !== undefined) return { result: { messages: [] } };
        const requestedSchema = { type: 'object', properties: { good: { type: 'string' }, odd } };
        const inputRequests = { q: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema } } };
        return { result: { resultType: 'input_required', inputRequests } };
      });
      await using home = await bareHome();
      const words = ['call', server.url, 'prompts/get', 'a', '--elicitation', policy, '--protocol', '2026-07-28'];
      const { code, stdout } = await runHere(home, words, '', { columns: 100 });
      assert.equal(code, 0, stdout);
      assert.match(stdout, /Declined: .*"odd"/);
      assert.deepEqual(server.seen.at(-1)?.message.params?.['inputResponses'], { q: { action: 'decline' } });
    }
  }
});

test('[Q-3.2][Q-5.1][Q-5.2][Q-5.3] --watch of a newer server is one long request: what it does not follow is told, a stream that breaks is asked for anew', async () => {
  let streams = 0;
  await using server = await scriptedServer(({ method, message }, response) => {
    const { id } = message;
    if (method !== 'POST' || message.method === 'initialize') {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32022, message: 'Unsupported' } }));
    } else if (message.method === 'server/discover') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { supportedVersions: ['2026-07-28'] } }));
    } else {
      streams += 1;
      const say = (name: string, params: object) => {
        const marked = { ...params, _meta: { 'io.modelcontextprotocol/subscriptionId': id } };
        response.write(event({ jsonrpc: '2.0', method: `notifications/${name}`, params: marked }));
      };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      say('subscriptions/acknowledged', { notifications: { toolsListChanged: true } });
      response.write(': still here\n\n');
      say('tools/list_changed', {});
      if (streams === 1) setTimeout(() => response.destroy(), 300);
    }
  });
  await using home = await bareHome();
  await using watching = startHere(home, ['call', server.url, '--watch', 'file:///a']);
  await watching.waitForStdout(/list of tools changed[\s\S]*list of tools changed/);
  watching.kill('SIGINT');
  const { code, stderr } = await watching.finished;
  assert.equal(code, 130);
  assert.match(stderr, /"file:\/\/\/a"/);
  assert.match(stderr, /connection was lost/);
  const wanted = server.seen.map(({ message }) => message).filter(({ method }) => method === 'subscriptions/listen');
  assert.deepEqual(wanted[0]?.params?.['notifications'], {
    ...{ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
    resourceSubscriptions: ['file:///a'],
  });
  assert.equal(wanted.length, 2);
  assert.ok(
    server.seen.every(({ method }) => method === 'POST'),
    'no stream of its own, no end of a session',
  );
});

test('[Q-2.8][Q-2.10] the list says what goes into headers; a server that misses one all the same is listed anew, and asked once more', async () => {
  const mark = (city: object) => [{ name: 'weather', inputSchema: { type: 'object', properties: { city } } }];
  const lists = [mark({ type: 'string' }), mark({ type: 'string', 'x-mcp-header': 'City' })];
  await using server = await newerServer(({ method }, { headers }) => {
    if (method === 'tools/list') return { result: { tools: lists.length > 1 ? lists.shift() : lists[0] } };
    if (headers['mcp-param-city'] === 'Ulm') return { result: { content: [{ type: 'text', text: 'dry' }] } };
    return { error: { code: -32020, message: 'Mcp-Param-City is missing' }, status: 400 };
  });
  await using home = await bareHome();
  const words = ['call', server.url, 'tools/call', 'weather', 'city:="Ulm"', '--protocol', '2026-07-28'];
  const { code, stdout, stderr } = await runHere(home, words);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /dry/);
  assert.deepEqual(methodsOf(server), ['tools/list', 'tools/call', 'tools/list', 'tools/call']);
});

/** A server of the newer era, which can be put back to the older one. @param error What it says there to a request without a session. */
function server(isOlder: () => boolean, error: { status: number; code: number }): Promise<ScriptedServer> {
  let isOpen = false;
  return scriptedServer(({ message: { id, method = '' } }, response) => {
    const older = { initialize: { protocolVersion: '2025-11-25' }, ping: { older: true } }[method];
    const newer = { 'server/discover': { supportedVersions: ['2026-07-28'] }, ping: { newer: true } }[method];
    isOpen ||= method === 'notifications/initialized';
    if (id === undefined) return response.writeHead(202).end();
    const isRefused = isOlder() && !isOpen && method !== 'initialize';
    const result = isOlder() ? older : newer;
    const said =
      isRefused || result === undefined ? { error: { code: error.code, message: 'no session' } } : { result };
    response.writeHead('error' in said ? error.status : 200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
  });
}

test('[Q-1.9] a server that was put back to an older release is found out, and called in that', async () => {
  let isOlder = false;
  await using older = await server(() => isOlder, { status: 400, code: -32000 });
  await using home = await bareHome();
  const ping = () => runHere(home, ['call', older.url, 'ping', '--json']);
  assert.deepEqual(JSON.parse((await ping()).stdout), { newer: true });
  isOlder = true;
  const { stdout, stderr } = await ping();
  assert.deepEqual(JSON.parse(stdout || '{}'), { older: true }, stderr);
});

test('[Q-1.9] a request that may have been carried out is not repeated: an error alone is no refusal', async () => {
  let isOlder = false;
  await using older = await server(() => isOlder, { status: 200, code: -32603 });
  await using home = await bareHome();
  const ping = () => runHere(home, ['call', older.url, 'ping', '--json']);
  assert.deepEqual(JSON.parse((await ping()).stdout), { newer: true });
  isOlder = true;
  const from = older.seen.length;
  assert.equal((await ping()).code, 8);
  assert.deepEqual(methodsOf(older).slice(from), ['ping', 'server/discover'], 'and the verdict is asked anew');
  const { stdout, stderr } = await ping();
  assert.deepEqual(JSON.parse(stdout || '{}'), { older: true }, stderr);
});

test('[Q-2.9] a tool whose header marks break the rules is left out of lists, and called by none: the person is told which and why', async () => {
  const marked = (name: string) => ({
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': name } },
  });
  const tools = [
    { name: 'good', inputSchema: marked('Region') },
    { name: 'bad', inputSchema: marked('My Region') },
  ];
  await using server = await newerServer(() => ({ result: { tools } }));
  await using home = await bareHome();
  const listed = await runHere(home, ['call', server.url, '--output', 'json']);
  assert.equal(listed.code, 0, listed.stderr);
  assert.deepEqual(
    JSON.parse(listed.stdout).tools.map(({ name }: { name: string }) => name),
    ['good'],
  );
  assert.match(listed.stderr, /"bad" .*"region", "My Region"/);
  const called = await runHere(home, ['call', server.url, 'bad', 'region=x']);
  assert.equal(called.code, 2, called.stderr);
  assert.match(called.stderr, /The server has no tool "bad"/);
  await using older = await scriptedServer(({ message: { id, method } }, response) => {
    const said = { initialize: { result: { protocolVersion: '2025-11-25' } }, 'tools/list': { result: { tools } } };
    const error = { error: { code: -32601, message: 'no' } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(said[method as keyof typeof said] ?? error) }));
  });
  const all = await runHere(home, ['call', older.url, '--output', 'json']);
  assert.equal(JSON.parse(all.stdout).tools.length, 2, 'the older era has no such marks');
});
