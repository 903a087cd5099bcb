import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { bareHome, scriptedServer, usual } from '../../bridge/host.js';
import { makeHomeWithKey } from '../../support/home.js';
import { runHere, startHere, terminalHere } from '../../support/in-process.js';
import { movableClock } from '../../support/movable-clock.js';
import { walkLogin } from '../../support/product.js';
import type { AtTerminal } from '../../support/pty.js';
import { startSandbox } from '../../support/start-sandbox.js';
import { homeWithBrowser } from '../home-with-browser.js';

/** A stdio server: `add` takes two numbers, `slow` reports progress and never ends, `ask` asks, `leave` ends it. */
const source = `
const { appendFileSync } = require('node:fs');
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const number = { type: 'number' };
const tools = [
  { name: 'add', description: 'Adds.', inputSchema: { type: 'object', properties: { first: number, second: number }, required: ['first', 'second'] } },
  { name: 'lock', inputSchema: { type: 'object', properties: { code: { type: 'string', format: 'password' } } } },
  { name: 'store', inputSchema: { type: 'object', properties: { of: { type: 'object', properties: { code: { writeOnly: true } } } } } },
  ...['slow', 'ask', 'leave', 'picture'].map((name) => ({ name, inputSchema: { type: 'object' } })),
];
let asking;
const text = (id, text) => send({ id, result: { content: [{ type: 'text', text }] } });
const call = (id, { name, arguments: given, _meta }) => {
  if (name === 'add') text(id, 'sum ' + (given.first + given.second));
  else if (name === 'lock' || name === 'store') text(id, 'is in it');
  else if (name === 'leave') process.exit(3);
  else if (name === 'picture') process.stdout.write('{"jsonrpc":"2.0", "id":' + id + ', "result": {"content": [{"type":"image","mimeType":"image/png","data":"iVBORw=="}],  "spelled": 1.0}}\\n');
  else if (name === 'ask') {
    asking = id;
    send({ id: 'q', method: 'elicitation/create', params: { message: 'Who?', requestedSchema: { type: 'object', properties: { who: { type: 'string' } } } } });
  } else send({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1, total: 9 } });
};
let rest = '';
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const { id, method, params, result } of lines.map((line) => JSON.parse(line))) {
    if (id === 'q') text(asking, 'you are ' + JSON.stringify(result));
    else if (id === undefined) appendFileSync(process.argv[2], method + '\\n');
    else if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 'tiny', version: '1' }, instructions: 'Add\\u001b[2J\\nthen leave.' } });
    else if (method === 'tools/list') send({ id, result: { tools } });
    else if (method === 'tools/call') call(id, params);
    else send({ id, error: { code: -32601, message: 'no' } });
  }
});
`;

async function stage() {
  const bare = await bareHome();
  const home = { ...bare, env: { ...bare.env, NO_COLOR: '1' } };
  const [script, notes] = [join(home.path, 'server.cjs'), join(home.path, 'notes')];
  await writeFile(script, source);
  const words = ['shell', '--', process.execPath, script, notes];
  return {
    home,
    words,
    notes: () => readFile(notes, 'utf8'),
    history: () => readFile(join(home.path, 'state', 'postern', 'shell-history.json'), 'utf8').catch(() => ''),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

test('without a terminal each line of stdin is run in one session; the exit code is of the last that failed', async () => {
  await using given = await stage();
  const { home, words } = given;
  const input =
    '# sums\nadd first=1 second:=2\n\nadd first=x second=1\nnope\nadd 5\nadd --help\n"open\nadd first=3 second=4';
  const { code, stdout, stderr } = await runHere(home, words, input);
  assert.equal(code, 2, stderr);
  assert.deepEqual(
    stdout.split('\n').filter((line) => line.startsWith('sum')),
    ['sum 3', 'sum 7'],
  );
  assert.match(stdout, /Adds\.[\s\S]*first {3}number, required[\s\S]*add first=1\.5 second=1\.5/);
  assert.match(stderr, /value_refused[\s\S]*tool_unknown[\s\S]*argument_unusable/);
  assert.equal((await given.notes()).match(/initialized/g)?.length, 1);
  const helped = await runHere(home, words, 'tools/call add --help\nhelp add\nadd --help\ntools -l\n');
  assert.equal(helped.stdout.match(/first {3}number, required/g)?.length, 3, helped.stdout);
  const fine = await runHere(home, [...words.slice(0, 1), '--json', ...words.slice(1)], 'tools\nexit\nnope\n');
  assert.equal(fine.code, 0, fine.stderr);
  assert.equal(JSON.parse(fine.stdout).tools.length, 7);
  const left = await runHere(home, words, 'leave\nadd first=1 second=1\n');
  assert.equal(left.code, 8);
  assert.match(left.stdout, /^sum 2$/m);
  const none = await runHere(home, ['shell'], '');
  assert.equal(none.code, 2);
});

test('--save and --output count for the whole session, and in a line for that line alone', async () => {
  await using given = await stage();
  const { home, words } = given;
  const [shell = '', ...server] = words;
  const folder = (name: string) => join(home.path, name);
  const input = `picture\npicture --output json --save ${folder('other')}\npicture --output=text\npicture --output raw\n`;
  const { code, stdout, stderr } = await runHere(home, [shell, '--save', folder('pictures'), ...server], input);
  assert.equal(code, 0, stderr);
  const [first, second, third, fourth] = stdout.trimEnd().split('\n');
  assert.match(first ?? '', /pictures\/.+\.png$/);
  assert.equal(JSON.parse(second ?? '').spelled, 1);
  assert.match(third ?? '', /pictures\/.+\.png$/);
  assert.equal(fourth, '{"content": [{"type":"image","mimeType":"image/png","data":"iVBORw=="}],  "spelled": 1.0}');
  assert.match(stderr, /Saved .*other\/.+\.png/);
  assert.deepEqual(await readFile(first ?? ''), Buffer.from('iVBORw==', 'base64'));
  const raw = await runHere(home, [shell, '--output', 'raw', ...server], 'picture\n');
  assert.equal(raw.stdout, `${fourth}\n`);
  for (const wrong of ['picture --output xml', 'picture --save', 'picture --save --output']) {
    const refused = await runHere(home, words, `${wrong}\n`);
    assert.equal(refused.code, 2, wrong);
    assert.match(refused.stderr, /--output .*"xml".*\btext\b|--save\b/, wrong);
  }
});

test('a token that runs out during the session is refreshed without a word', async () => {
  const secret = 's'.repeat(40);
  await using sandbox = await startSandbox({
    clients: [{ client_id: 'ci', client_secret: secret, redirect_uris: [] }],
  });
  await using home = await makeHomeWithKey();
  await writeFile(join(home.path, 'secret'), secret, { mode: 0o600 });
  const client = [
    ...[
      '--client-credentials',
      '--client-id',
      'ci',
      '--client-secret-file',
      join(home.path, 'secret'),
      '--store',
      'file',
    ],
    ...['--authorization-server', sandbox.issuer],
  ];
  const made = await runHere(home, ['login', sandbox.serverUrl, '--name', 'work', ...client]);
  assert.equal(made.code, 0, made.stderr);
  const clock = movableClock();
  await using shell = startHere(home, ['shell', 'work'], { own: { clock } });
  shell.stdin.write('whoami\n');
  await shell.waitForStdout(/^ci /m);
  const before = sandbox.stats.tokenRequests;
  clock.advance(3_600_000);
  shell.stdin.write('whoami\n');
  await shell.waitForStdout(/^ci [\s\S]*^ci /m);
  assert.equal(sandbox.stats.tokenRequests, before + 1);
  shell.stdin.end();
  const { code, stderr } = await shell.finished;
  assert.deepEqual([code, stderr], [0, '']);
});

test('a session that the server has ended is opened anew, and the line is sent again', async () => {
  let sessions = 0;
  await using server = await scriptedServer((seen, response) => {
    const session = seen.headers['mcp-session-id'];
    if (seen.message.method === 'initialize') sessions += 1;
    if (session !== undefined && session !== `s${sessions}`) response.writeHead(404).end();
    else if (seen.message.method !== 'tools/list') usual(seen, response, `s${sessions}`);
    else {
      const result = { tools: [{ name: `tool-${sessions}`, inputSchema: { type: 'object' } }] };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: seen.message.id, result }));
    }
  });
  await using home = await bareHome();
  await using shell = startHere(home, ['shell', server.url]);
  shell.stdin.write('tools\n');
  await shell.waitForStdout(/tool-1/);
  sessions += 1; // the server forgets it
  shell.stdin.write('tools\n');
  await shell.waitForStdout(/tool-3/);
  shell.stdin.end();
  const { code, stderr } = await shell.finished;
  assert.equal(code, 0, stderr);
  assert.match(stderr, /another one was opened/);
});

/** Keys one by one: what comes at once counts as pasted. */
async function press(at: AtTerminal, seen: RegExp, keys: string): Promise<void> {
  // The cursor may have been moved since.
  await at.screen.waitForStdout(new RegExp(seen.source.replace(/\$$/, '(?:\\x1b\\[[0-9;]*[A-Za-z])*$')));
  at.type(keys);
}

test('at a terminal: completion, Ctrl-C for the call alone, a question, Ctrl-D; secrets stay out of the history', async () => {
  await using given = await stage();
  await using at = terminalHere(given.home, given.words, { stdout: 'terminal', columns: 100 });
  const { screen } = at;
  await press(at, /node> $/, 'ad');
  await press(at, /ad$/, '\t');
  await press(at, /add $/, 'f');
  await press(at, /add f$/, '\t');
  await press(at, /first=$/, '2 second=3\r');
  await press(at, /sum 5[\s\S]*node> $/, 'lock code=4711\r');
  await press(at, /is in it[\s\S]*node> $/, 'store of:=\'{"code": 4711}\'\r');
  await press(at, /is in it[\s\S]*is in it[\s\S]*node> $/, 'tools/call lock 4711\r');
  await press(at, /is in it[\s\S]*is in it[\s\S]*is in it[\s\S]*node> $/, 'add pw=4711\r');
  await press(at, /parameter_unknown[\s\S]*node> $/, 'slow\r');
  await press(at, /Progress: 1 of 9/, '\x03');
  await press(at, /may already have[\s\S]*node> $/, 'ask\r');
  await press(at, /who \(string\): /, 'Eve\r');
  await press(at, /\[y\/N\] /, 'y\r');
  await press(at, /you are [\s\S]*Eve[\s\S]*node> $/, 'ask\r');
  await press(at, /Who\?[\s\S]*Who\?[\s\S]*who \(string\): [^E]*$/, '\x03');
  await press(at, /may already have[\s\S]*may already have[\s\S]*node> $/, 'add password=x\r');
  await press(at, /parameter_unknown[\s\S]*parameter_unknown[\s\S]*node> $/, 'abc');
  await press(at, /abc$/, '\x03');
  await press(at, /abc\^C\r\n[\s\S]*node> $/, '\x03');
  await press(at, /Nothing runs[\s\S]*node> $/, 'leave\r');
  await press(at, /server_ended[\s\S]*node> $/, 'add first=20 second=22\r');
  await press(at, /sum 42[\s\S]*node> $/, '\x04');
  assert.equal((await screen.finished).code, 0, screen.stdout);
  assert.match(screen.stdout, /The server says: Add.* then leave\./);
  assert.ok(!screen.stdout.includes('\u001b[2J'), 'what a server says steers no terminal');
  assert.match(await given.notes(), /notifications\/cancelled/);
  const history = await given.history();
  assert.match(history, /add first=2 second=3/);
  assert.doesNotMatch(history, /password|4711/);
});

test('a login that Ctrl-C ends leaves the shell as it was, and nothing of it is said afterwards', async () => {
  await using sandbox = await startSandbox();
  await using given = await homeWithBrowser();
  const home = { ...given.home, env: { ...given.home.env, NO_COLOR: '1' } };
  const command = ['shell', sandbox.serverUrl];
  await using at = terminalHere(home, command, { stdout: 'terminal', columns: 100 });
  await press(at, /Log in now\? \[Y\/n\] /, '\r');
  await walkLogin(await given.browser.opened());
  await given.browser.forget();
  await press(
    at,
    /Connected to Postern sandbox[\s\S]*The server says: A protected server to try clients on\.[\s\S]*> $/,
    'note_list\r',
  );
  await press(at, /in the browser\? \[Y\/n\] /, 'y\r');
  await given.browser.opened();
  at.type('\x03');
  await press(at, /\nCancelled\.\r\n[^\n]*> $/, 'echo text=hello\r');
  await press(at, /hello\r\n[^\n]*> $/, '\x04');
  assert.equal((await at.screen.finished).code, 0, at.screen.stdout);
});
