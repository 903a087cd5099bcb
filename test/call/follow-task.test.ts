import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareHome, type Rpc, requestOf } from '../bridge/host.js';
import { runHere, startHere, terminalHere } from '../support/in-process.js';
import { metaOf, newerServer, type Reply } from './newer-server.js';

const id = 'täsk-1';
const tools = { tools: [{ name: 'tool', inputSchema: { type: 'object' } }] };
const state = (status: string | object, more: object = {}) => ({
  result: { resultType: 'complete', taskId: id, status, ttlMs: null, pollIntervalMs: 0, ...more },
});
const created = { result: { ...state('working', { statusMessage: 'Begun.' }).result, resultType: 'task' } };
const completed = state('completed', { result: { content: [{ type: 'text', text: 'done' }] } });

/** A newer server that makes a task of each call; `states`: how that is, one after the other, the last again and again. */
function taskServer(states: readonly Reply[], other: (message: Rpc) => Reply = () => ({ result: {} })) {
  let asked = 0;
  return newerServer((message) => {
    if (message.method === 'tools/list') return { result: tools };
    if (message.method === 'tools/call') return created;
    if (message.method !== 'tasks/get') return other(message);
    asked += 1;
    return states[Math.min(asked, states.length) - 1] ?? assert.fail();
  });
}

const call = (url: string, ...more: readonly string[]) => ['call', url, 'tool', '--protocol', '2026-07-28', ...more];

test('[Q-5.9][Q-2.6] the extension is declared by its full name with each request; a task is asked for until it ends, its id in a header', async () => {
  await using server = await taskServer([state('working', { statusMessage: 'Half.' }), state('working'), completed]);
  await using home = await bareHome();
  const { code, stdout, stderr } = await runHere(home, call(server.url));
  assert.deepEqual([code, stdout], [0, 'done\n'], stderr);
  assert.match(stderr, /Task täsk-1: working "Begun\."\n(?:.*\n)*Task täsk-1: working "Half\."\n/);
  const methods = server.seen.map(({ message }) => message.method);
  assert.deepEqual(methods, ['tools/list', 'tools/call', 'tasks/get', 'tasks/get', 'tasks/get']);
  for (const one of server.seen) {
    const offered = metaOf(one)['io.modelcontextprotocol/clientCapabilities'] as { extensions?: object };
    assert.deepEqual(offered.extensions, { 'io.modelcontextprotocol/tasks': {} });
  }
  for (const one of server.seen.slice(2)) {
    assert.equal(one.headers['mcp-name'], `=?base64?${Buffer.from(id).toString('base64')}?=`);
    assert.equal(one.message.params?.['taskId'], id);
  }
  const raw = await runHere(home, call(server.url, '--output', 'raw'));
  assert.equal(
    raw.stdout,
    '{"content":[{"type":"text","text":"done"}]}\n',
    'the result alone, as the server spelled it',
  );
});

test('[Q-4.1][Q-5.9] what a task asks is asked once for each key, and told with tasks/update', async () => {
  const question = { mode: 'form', message: 'Who?', requestedSchema: { properties: { name: { default: 'Ada' } } } };
  const asks = state('input_required', { inputRequests: { who: { method: 'elicitation/create', params: question } } });
  await using server = await taskServer([asks, asks, completed]);
  await using home = await bareHome();
  const { code, stderr } = await runHere(home, call(server.url, '--elicitation', 'defaults'));
  assert.equal(code, 0, stderr);
  const updates = server.seen.filter(({ message }) => message.method === 'tasks/update');
  assert.deepEqual(
    updates.map(({ message }) => message.params?.['inputResponses']),
    [{ who: { action: 'accept', content: { name: 'Ada' } } }],
  );
});

test('[Q-5.9] a task that fails, that its server ends, and what no task can be is said; one that fails as a tool is its result', async () => {
  const failed = { content: [{ type: 'text', text: 'no' }], isError: true };
  const form = { method: 'elicitation/create', params: { message: 'Who?' } };
  const forms = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [at, form]));
  const cases: [Reply, number, RegExp][] = [
    [
      state('failed', { error: { code: -32_603, message: 'Out of paper.' } }),
      8,
      /refused "tools\/call" \(-32603\): "Out of paper\."/,
    ],
    [state('cancelled', { statusMessage: 'Maintenance.' }), 8, /has cancelled its task; it said: "Maintenance\."/],
    [state('completed', { result: failed }), 8, /The tool "tool" reported an error/],
    [state('completed'), 5, /its task has ended without a result/],
    [state('input_required', { inputRequests: forms }), 5, /it asks 21 things at a time/],
    [state({ odd: true }), 5, /its task is "\{\\"odd\\":true\}", which no task can be/],
    [state('paused'), 5, /its task is "paused", which no task can be/],
    [{ result: { ...completed.result, taskId: 'other' } }, 5, /it tells of another task/],
    [
      { error: { code: -32_602, message: 'Task has expired' } },
      8,
      /refused "tasks\/get" \(-32602\): "Task has expired"/,
    ],
  ];
  await using home = await bareHome();
  for (const [how, exit, said] of cases) {
    await using server = await taskServer([how]);
    const { code, stderr } = await runHere(home, call(server.url));
    assert.equal(code, exit, stderr);
    assert.match(stderr, said);
  }
  await using nameless = await newerServer(({ method }) => ({
    result: method === 'tools/list' ? tools : { resultType: 'task', status: 'working' },
  }));
  assert.match((await runHere(home, call(nameless.url))).stderr, /its task has no usable id/);
  await using prompt = await newerServer(() => created);
  const words = ['call', prompt.url, 'prompts/get', 'a', '--protocol', '2026-07-28'];
  assert.match((await runHere(home, words)).stderr, /"task".*prompts\/get/);
});

test('[Q-5.9] a server that cannot be reached for a moment is asked for the task again', async () => {
  await using server = await taskServer([{ error: { code: 1, message: 'Restarting' }, status: 503 }, completed]);
  await using home = await bareHome();
  const { code, stderr } = await runHere(home, call(server.url));
  assert.equal(code, 0, stderr);
});

test('[Q-5.9] Ctrl-C ends the task: the server is told, and the person what became of it', async () => {
  const unknown = { error: { code: -32_602, message: 'no such task' } };
  const cancelled = [state('working'), state('cancelled')];
  const cases: [(seen: { cancel: boolean }) => Reply, Reply, RegExp][] = [
    [({ cancel }) => cancelled[cancel ? 1 : 0] ?? assert.fail(), { result: {} }, /The server has ended its task\./],
    [() => state('working'), { result: {} }, /The server has heard it, and may go on with its task for a while\./],
    [({ cancel }) => (cancel ? completed : state('working')), { result: {} }, /Its task had ended before\./],
    [() => state('working'), unknown, /Its task had ended: the server no longer knows it\./],
    [
      () => state('working'),
      { error: { code: -32_603, message: 'No way.' } },
      /It may go on with its task: .*"No way\."/,
    ],
  ];
  await using home = await bareHome();
  for (const [how, acknowledged, said] of cases) {
    const seen = { cancel: false };
    await using server = await newerServer(({ method }) => {
      if (method === 'tasks/get') return how(seen);
      if (method === 'tasks/cancel') seen.cancel = true;
      return method === 'tools/list' ? { result: tools } : method === 'tools/call' ? created : acknowledged;
    });
    await using program = startHere(home, call(server.url));
    await requestOf(server, ({ message }) => message.method === 'tasks/get');
    program.kill('SIGINT');
    const { code, stderr, stdout } = await program.finished;
    assert.deepEqual([code, stdout], [130, ''], stderr);
    assert.match(stderr, new RegExp(`Cancelled\\. ${said.source}\n$`));
    assert.equal(seen.cancel, true);
  }
});

test('[Q-5.9] at the time limit a task is ended, too; a server that does not answer to the end of one is waited for no longer than 2 s', async () => {
  await using server = await taskServer([state('working', { pollIntervalMs: 3_600_000 })]);
  await using home = await bareHome();
  const late = await runHere(home, call(server.url, '--timeout', '1'));
  assert.equal(late.code, 6);
  assert.match(late.stderr, /"tools\/call" .*\b1 second/);
  assert.equal(server.seen.filter(({ message }) => message.method === 'tasks/cancel').length, 1);
  let silent = false;
  await using mute = await newerServer(
    ({ method }) => {
      if (method === 'tasks/cancel') silent = true;
      return method === 'tools/list' ? { result: tools } : method === 'tools/call' ? created : state('working');
    },
    ['2026-07-28'],
    () => silent,
  );
  await using program = startHere(home, call(mute.url));
  await requestOf(mute, ({ message }) => message.method === 'tasks/get');
  program.kill('SIGINT');
  const { code, stderr } = await program.finished;
  assert.equal(code, 130);
  assert.match(stderr, /^Cancelled\b.*\bserver\b.*\btask\b/m);
});

test('[Q-5.9] in a shell Ctrl-C ends the task, and not the shell', async () => {
  await using server = await taskServer([state('working')]);
  await using bare = await bareHome();
  const home = { ...bare, env: { ...bare.env, NO_COLOR: '1' } };
  const words = ['shell', server.url, '--protocol', '2026-07-28'];
  await using terminal = terminalHere(home, words, { stdout: 'terminal', columns: 100 });
  const { screen, type } = terminal;
  await screen.waitForStdout(/> /);
  type('tool\r');
  await screen.waitForStdout(/Task täsk-1: working/);
  await requestOf(server, ({ message }) => message.method === 'tasks/get');
  type('\x03');
  await screen.waitForStdout(/Cancelled\. The server has heard it, and may go on with its task for a while\./);
  type('tools\r');
  await screen.waitForStdout(/^tool/m);
  type('exit\r');
  assert.equal((await screen.finished).code, 0, screen.stdout);
});
