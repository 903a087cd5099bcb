import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { completionOf } from '../../../src/call/shell/completion.js';
import { looksSecret, wordsOfLine } from '../../../src/call/shell/line-words.js';
import type { JsonObject } from '../../../src/core/text/json.js';
import { posixWord } from '../../../src/core/text/printable.js';
import { createClock } from '../../../src/stores/clock.js';
import { createLocks } from '../../../src/stores/state/locks.js';
import { createShellHistory } from '../../../src/stores/state/small-files.js';
import { anyText } from '../../support/arbitraries.js';
import { makeHome } from '../../support/home.js';
import { assertMode } from '../../support/modes.js';

test('words that are quoted for a shell are read as they were, and any line is read without a fault', () => {
  fc.assert(
    fc.property(fc.array(anyText({ minLength: 1 })), (words) => {
      const line = words.map(posixWord).join(' ');
      assert.deepEqual(wordsOfLine(line), { words, open: '' });
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '"', "'", '\\', '=') }), (line) => {
      const { words, open } = wordsOfLine(line);
      assert.ok(words.join('').length <= line.length);
      assert.ok(['', '"', "'", '\\'].includes(open));
    }),
  );
});

test('lines that seem to hold a secret are known, and usual ones are not', () => {
  for (const line of [
    'login password=hunter2',
    'login api_key:=5',
    ...['pw=a', 'db_pwd=a', 'PWD2:=5', 'key=a', 'deployKey=a', '{"pwd": "a"}', '{"key":"a"}'].map(
      (word) => `x ${word}`,
    ),
    'x access-token=abc',
    `x json:='{"client_secret": "a"}'`,
    'fetch url=https://me:word@example.com/',
    'x value=sk-abcdefghij123',
    'x value=eyJhbGciOiJIUzI1NiJ9.e30.x',
    'x Authorization="Bearer abc"',
    'x value=Zk8sQ1pLmX93vbTr2YwEo5Ua',
    'x value=0f3c9a7be21d4458a6b3c1d2e4f50617',
  ]) {
    assert.ok(looksSecret(line), line);
  }
  for (const line of [
    'tools',
    'echo text=hello repeat=3',
    'resources/read file:///home/me/notes.txt',
    'prompts/get summarize-notes style=short',
    'search query="how to keep a garden"',
    'add a:=5 b:=1000000000',
    'x keys=3 monkeys=2 keyboard=iso',
  ]) {
    assert.equal(looksSecret(line), false, line);
  }
});

const properties = { text: { type: 'string' }, loud: { type: 'boolean' }, tone: { enum: ['low', 'high'] } };
const lists: Readonly<Record<string, readonly JsonObject[]>> = {
  'tools/list': [
    { name: 'echo', inputSchema: { type: 'object', properties, required: ['text'] } },
    { name: 'note_add', inputSchema: {} },
    { name: 'note_list', inputSchema: {} },
    { name: 'note\u001b[31m', inputSchema: {} },
    { name: 'note x; y', inputSchema: {} },
  ],
  'prompts/list': [{ name: 'sum', arguments: [{ name: 'style' }] }],
  'resources/list': [{ uri: 'note://1' }, { uri: 'note://2' }],
};
const listed = async (method: string) => lists[method] ?? [];

test('what is completed: tools and methods, then arguments that are left, then their choices', async () => {
  const at = async (line: string) => (await completionOf(line, listed))[0];
  assert.deepEqual(await at('note'), ['note_add ', 'note_list ']);
  assert.deepEqual(await at('ec'), ['echo ']);
  assert.deepEqual(await at('echo '), ['text=', 'loud=', 'tone=']);
  assert.deepEqual(await at('echo text=a l'), ['loud=']);
  assert.deepEqual(await at('echo text:=1 '), ['loud=', 'tone=']);
  assert.deepEqual(await at('echo loud='), ['loud=true ', 'loud=false ']);
  assert.deepEqual(await at('echo tone=h'), ['tone=high ']);
  assert.deepEqual(await at('tools/call echo te'), ['text=']);
  assert.deepEqual(await at('prompts/get '), ['sum ']);
  assert.deepEqual(await at('prompts/get sum '), ['style=']);
  assert.deepEqual(await at('resources/read note://2'), ['note://2']);
  assert.deepEqual(await at('help no'), ['note_add ', 'note_list ']);
  assert.ok((await at('')).includes('exit '));
});

test('whatever was typed, what fits begins with what it takes the place of', async () => {
  const unit = fc.constantFrom('e', 'echo ', 'tools/call ', 'text=', 'tone=', ' ', '"', "'", '\\', 'x', '\u001b');
  await fc.assert(
    fc.asyncProperty(fc.string({ unit }), async (line) => {
      const [fitting, part] = await completionOf(line, listed);
      assert.ok(line.endsWith(part));
      for (const one of fitting) assert.ok(one.startsWith(part) && /^[\x20-\x7e]+$/.test(one), one);
    }),
  );
});

test('the history is private and bounded, the newest first, each line once', async () => {
  await using home = await makeHome();
  const directory = join(home.path, 'state', 'postern');
  const locks = createLocks({ directory: `${directory}/locks`, clock: createClock() });
  const history = createShellHistory({ directory, locks });
  assert.deepEqual(await history.read(), []);
  for (const line of ['a', 'b', 'a', 'x'.repeat(1_001)]) await history.add(line);
  assert.deepEqual(await history.read(), ['a', 'b']);
  for (let at = 0; at < 510; at += 1) await history.add(`line ${at}`);
  const lines = await history.read();
  assert.equal(lines.length, 500);
  assert.equal(lines[0], 'line 509');
  assertMode((await stat(join(directory, 'shell-history.json'))).mode, 0o600);
});
