import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultText, serverText, terminalText } from '../../src/call/render.js';
import type { JsonObject } from '../../src/core/text/json.js';

const shown = (method: string, result: JsonObject): string => [...resultText(method, result)].join('');

test('[A-243][A-245][A-246] on a terminal a server’s text brings no control sequence; into a pipe it goes as it is', () => {
  const hostile = 'a\u001b[2Jb\u001b]52;c;eA==\u0007c\u009b1m\rd\u0008\tcell\nnext\u202e';
  const said = serverText(hostile, true);
  assert.ok(
    [...said].every(
      (char) =>
        char === '\n' || char === '\t' || (char >= ' ' && char !== '\u007f' && !(char >= '\u0080' && char <= '\u009f')),
    ),
  );
  assert.ok(!said.includes('\u202e'));
  assert.equal(said.split('\n').length, 2);
  assert.equal(serverText(hostile, false), hostile);
  assert.deepEqual([...terminalText([hostile])], [said]);
  const long = `${hostile}\r\n`.repeat(10_000);
  const pieces = [...terminalText([long])];
  assert.equal(pieces.join(''), serverText(long, true));
  assert.ok(pieces.length > 3);
});

test('a list of tools is read by people, and a forged line break in a name stays on its line', () => {
  const tools = [
    {
      name: 'echo',
      description: 'Says it again.\nMore.',
      inputSchema: { properties: { text: {}, times: {} }, required: ['text'] },
    },
    { name: 'x\nforged', inputSchema: {} },
  ];
  assert.equal(shown('tools/list', { tools }), 'echo text [times]\n    Says it again.\nx forged');
  assert.equal(shown('tools/list', { tools: [] }), '(none)');
});

test('text content is shown as text, anything else as JSON', () => {
  assert.equal(
    shown('tools/call', {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    }),
    'a\nb',
  );
  const image = { content: [{ type: 'image', data: 'AA==' }] };
  assert.deepEqual(JSON.parse(shown('tools/call', image)), image);
  assert.equal(shown('resources/read', { contents: [{ uri: 'x', text: 'hello' }] }), 'hello');
  assert.deepEqual(JSON.parse(shown('custom/x', { a: 1 })), { a: 1 });
});
