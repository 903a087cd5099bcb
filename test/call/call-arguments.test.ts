import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainArguments } from '../../src/call/tools/arguments.js';
import { readCall } from '../../src/call/words.js';
import { Failure } from '../support/product.js';

const files: Readonly<Record<string, string>> = {
  'args.json': '{"a":{"b":[1]}}',
  'list.json': '[1]',
  'broken.json': '{',
};
const bytes = (text: string) => new TextEncoder().encode(text);
const sources = {
  readFile: async (path: string) => bytes(files[path] ?? ''),
  readStdin: async () => bytes('{"from":"stdin"}'),
};
/** Through plain JSON, since parsed objects have no prototype. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
const read = async (...words: string[]) => plain(await readCall(words, sources));

test('nothing lists the tools; a word is a tool; a word with a slash is a method', async () => {
  assert.deepEqual(await read(), { method: 'tools/list', params: {} });
  const echo = { method: 'tools/call', params: { name: 'echo' } };
  assert.deepEqual(await read('echo', 'text=a=b', 'alone'), {
    ...echo,
    tool: {
      name: 'echo',
      given: [
        { kind: 'text', word: 'text=a=b', name: 'text', text: 'a=b' },
        { kind: 'text', word: 'alone', text: 'alone' },
      ],
    },
  });
  assert.deepEqual(await read('tools/call', 'echo', 'n:=3'), {
    ...echo,
    tool: { name: 'echo', given: [{ kind: 'json', members: { n: 3 } }] },
  });
  assert.deepEqual(await read('prompts/get', 'p', 'x=1'), {
    method: 'prompts/get',
    params: { name: 'p', arguments: { x: '1' } },
  });
  assert.deepEqual(await read('resources/read', 'note://1'), { method: 'resources/read', params: { uri: 'note://1' } });
  assert.deepEqual(await read('resources/read', 'uri=note://1'), {
    method: 'resources/read',
    params: { uri: 'note://1' },
  });
  assert.deepEqual(await read('ping'), { method: 'ping', params: {} });
  assert.deepEqual(await read('custom/thing', 'deep:={"a":null}'), {
    method: 'custom/thing',
    params: { deep: { a: null } },
    orTool: { name: 'custom/thing', given: [{ kind: 'json', members: { deep: { a: null } } }] },
  });
});

test('files and stdin bring objects, the later word winning', async () => {
  const { tool } = await readCall(['echo', '@args.json', '-', 'a=1'], sources);
  assert.deepEqual(plain(plainArguments(tool?.given ?? [])), { a: '1', from: 'stdin' });
});

test('what cannot be read is refused before anything is sent', async () => {
  for (const words of [
    ['prompts/get', 'p', 'text'],
    ['custom/x', 'text'],
    ['echo', '=x'],
    ['echo', 'n:=x'],
    ['echo', '@list.json'],
    ['echo', '@broken.json'],
    ['tools/call'],
    ['resources/read', '-'],
  ]) {
    await assert.rejects(
      readCall(words, sources),
      (error) => error instanceof Failure && error.code === 'argument_unusable' && error.exit === 2,
      words.join(' '),
    );
  }
});
