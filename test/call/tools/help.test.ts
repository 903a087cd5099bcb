import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolHelp } from '../../../src/call/tools/render-list.js';
import { signatureOf } from '../../../src/call/tools/signatures.js';
import { bareHome, scriptedServer, usual } from '../../bridge/host.js';
import { fakeBrowser } from '../../support/fake-browser.js';
import { makeHomeWithKey } from '../../support/home.js';
import { runHere, startHere } from '../../support/in-process.js';
import { walkLogin } from '../../support/product.js';
import { startSandbox } from '../../support/start-sandbox.js';

const paint = {
  name: 'paint',
  description: 'Paints a wall.\n\nTwice, if need be.',
  annotations: { destructiveHint: true },
  inputSchema: {
    properties: {
      color: { enum: ['red', 'light blue'], description: 'Which one.' },
      coats: {
        type: 'integer',
        default: 2,
        description: 'How many coats of it, since one is hardly ever enough for a wall.',
      },
      'odd name': { type: 'array', items: { type: 'integer' } },
      done: { type: 'boolean' },
      about: { type: 'object' },
      by: { type: 'string' },
    },
    required: ['color', 'odd name', 'done', 'about', 'by'],
  },
};

const command = (words: string) => `postern call work ${words}`;
const [tool] = signatureOf(JSON.parse(JSON.stringify(paint)));

test('the help of a tool says what each parameter takes, and has an example to copy', () => {
  assert.ok(tool);
  const text = toolHelp(tool, command, { width: 120, color: false }).join('\n');
  assert.match(text, /^paint color:red\|light blue odd name:integer\[\] [^(]*\[coats:integer=2\] \(destructive\)\n/);
  assert.match(text, /\nPaints a wall\.\n[\s\S]*Twice, if need be\.\n/);
  for (const row of [
    /color +string, required\. Which one\. .*red, "light blue"/,
    /odd name +integer\[\], required\.$/,
    /coats +integer, default 2\. How many/,
  ])
    assert.match(text, new RegExp(`^ {2}${row.source}`, 'm'));
  assert.ok(text.endsWith("\n  postern call work paint color=red 'odd name=[1]' done=true 'about={}' by=hello"), text);
});

/** The words of a line of a POSIX shell, after the program's name. */
const wordsOf = (line: string) =>
  (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", '')).slice(1);

const exampleIn = (help: string) => wordsOf(/Example\n {2}(.*)\n/.exec(help)?.[1] ?? '');

test('each example is taken as it stands, and brings values of the types that the schema wants', async () => {
  await using server = await scriptedServer((seen, response) => {
    const { method, id, params } = seen.message;
    if (method !== 'tools/list' && method !== 'tools/call') return usual(seen, response);
    const content = [{ type: 'text', text: JSON.stringify(params?.['arguments']) }];
    const result = method === 'tools/list' ? { tools: [paint] } : { content };
    return response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await using home = await bareHome();
  const help = await runHere(home, ['call', server.url, 'paint', '--help']);
  assert.equal(help.code, 0, help.stderr);
  const called = await runHere(home, exampleIn(help.stdout));
  assert.equal(called.code, 0, called.stderr);
  assert.deepEqual(JSON.parse(called.stdout), { color: 'red', 'odd name': [1], done: true, about: {}, by: 'hello' });
  assert.equal(server.seen.filter(({ message }) => message.method === 'tools/list').length, 1, 'the list is kept');
  const again = await runHere(home, ['call', server.url, 'tools/call', 'paint', '-h']);
  assert.equal(again.stdout, help.stdout);
  const wrong = await runHere(home, ['call', server.url, 'piant', '--help']);
  assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  assert.match(wrong.stderr, /Did you mean "paint"\? Run: postern call \S+ paint --help\n/);
  const method = await runHere(home, ['call', server.url, 'tools/list', '--help']);
  assert.match(method.stdout, /^Usage: postern call /);
});

test('the help of each tool of the sandbox has an example that works; without a login it fails as a call does', async () => {
  await using sandbox = await startSandbox();
  await using home = await makeHomeWithKey({ POSTERN_STORE: 'file' });
  const without = await runHere(home, ['call', sandbox.serverUrl, 'echo', '--help']);
  assert.deepEqual([without.code, without.stdout], [3, '']);
  assert.match(without.stderr, /login_needed/);
  const browser = await fakeBrowser(home);
  const own = { ...home, env: { ...home.env, BROWSER: browser.path, DISPLAY: ':9' } };
  await using login = startHere(own, ['login', sandbox.serverUrl, '--name', 'work', '--browser']);
  await walkLogin(await browser.opened());
  assert.equal((await login.finished).code, 0);
  const list = await runHere(own, ['call', 'work', '--json']);
  for (const { name } of JSON.parse(list.stdout).tools) {
    const help = await runHere(own, ['call', 'work', name, '--help']);
    const words = exampleIn(help.stdout);
    assert.deepEqual(words.slice(0, 3), ['call', 'work', name], help.stdout + help.stderr);
    const { code, stdout, stderr } = await runHere(own, [...words, '--elicitation', 'decline']);
    // What lacks a scope, or fails by itself, has got as far as the server.
    assert.ok(code === 0 || /insufficient_scope|tool_failed/.test(stderr), `${name}: ${code} ${stdout} ${stderr}`);
  }
  const failed = await runHere(own, ['call', 'work', 'fail']);
  assert.equal(failed.code, 8);
  assert.match(failed.stderr, /what it takes: postern call work fail --help\n/);
});
