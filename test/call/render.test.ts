import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultText, serverText } from '../../src/call/render.js';

test('[A-243][A-245][A-246] on a terminal a server’s text brings no control sequence; into a pipe it goes as it is', () => {
  const hostile = 'a\u001b[2Jb\u001b]52;c;eA==\u0007c\u009b1m\rd\u0008\tcell\nnext\u202e';
  const shown = serverText(hostile, true);
  assert.ok(
    [...shown].every(
      (char) =>
        char === '\n' ||
        char === '\t' ||
        (char >= ' ' && char !== '\u007f' && !(char >= '\u0080' && char <= '\u009f')),
    ),
  );
  assert.ok(!shown.includes('\u202e'));
  assert.equal(shown.split('\n').length, 2);
  assert.equal(serverText(hostile, false), hostile);
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
  assert.equal(resultText('tools/list', { tools }), 'echo text [times]\n    Says it again.\nx forged');
  assert.equal(resultText('tools/list', { tools: [] }), '(none)');
});

test('text content is shown as text, anything else as JSON', () => {
  assert.equal(
    resultText('tools/call', {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    }),
    'a\nb',
  );
  const image = { content: [{ type: 'image', data: 'AA==' }] };
  assert.deepEqual(JSON.parse(resultText('tools/call', image)), image);
  assert.equal(resultText('resources/read', { contents: [{ uri: 'x', text: 'hello' }] }), 'hello');
  assert.deepEqual(JSON.parse(resultText('custom/x', { a: 1 })), { a: 1 });
});
