import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverText, terminalText } from '../../src/call/render.js';

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

test('a tool’s answer is broken between words at a terminal; tables with tabs, and what fits, stay as they are', () => {
  const text =
    'short\n  a line that is indented, and longer than the terminal is wide\na\tb and more of it, wider than that\n';
  assert.equal(
    [...terminalText([text], 40)].join(''),
    'short\n  a line that is indented, and longer\n  than the terminal is wide\na\tb and more of it, wider than that\n',
  );
});
