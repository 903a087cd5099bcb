import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminalText } from '../../src/call/render.js';

test('a tool’s answer is broken between words at a terminal; tables with tabs, and what fits, stay as they are', () => {
  const text =
    'short\n  a line that is indented, and longer than the terminal is wide\na\tb and more of it, wider than that\n';
  assert.equal(
    [...terminalText([text], 40)].join(''),
    'short\n  a line that is indented, and longer\n  than the terminal is wide\na\tb and more of it, wider than that\n',
  );
});
