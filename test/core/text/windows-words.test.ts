import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { quotedPath, windowsWord } from '../../../src/core/text/printable.js';
import { below, isWholePath } from '../../../src/core/text/system.js';
import { anyText } from '../../support/arbitraries.js';

test('a word of a command for Windows is in the quotes that cmd.exe and PowerShell both know', () => {
  const cases = [
    ['https://example.com/mcp', 'https://example.com/mcp'],
    ['C:\\Users\\ada', 'C:\\Users\\ada'],
    ['https://example.com/mcp?a=1&b=2', '"https://example.com/mcp?a=1&b=2"'],
    ['C:\\Users\\Ada L', '"C:\\Users\\Ada L"'],
    ['C:\\Ada L\\', '"C:\\Ada L\\\\"'],
    ['it’s $(calc) `n', '"it’s `$(calc) ``n"'],
    ['a"&calc"b', '"a\'&calc\'b"'],
    ['a”&calc”b', '"a\'&calc\'b"'],
    ['', '""'],
  ] as const;
  for (const [text, word] of cases) assert.equal(windowsWord(text), word);
});

test('nothing that a server says ends the quotes of such a word', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const word = windowsWord(text);
      if (!word.startsWith('"')) return assert.match(word, /^[\w:/\\.+=-]+$/);
      assert.match(word, /^"(?:[^"\u201c-\u201e$`]|`[$`])*"$/u);
    }),
  );
});

test('a path of Windows is shown as it is, with one kind of separator', () => {
  assert.equal(quotedPath('C:\\Users\\ada', 300, true), '"C:\\Users\\ada"');
  assert.equal(quotedPath('/home/a\\"da', 300, false), '"/home/a\\\\\\"da"');
  assert.equal(below('C:\\Users', 'x.json', true), 'C:\\Users\\x.json');
  assert.equal(below('C:\\Users\\', 'x.json', true), 'C:\\Users\\x.json');
  assert.equal(below('out/here', 'x.json', true), 'out/here/x.json');
  assert.equal(below('out', 'x.json', true), 'out\\x.json');
  assert.equal(below('C:/a\\b', 'x.json', true), 'C:/a\\b\\x.json');
  assert.equal(below('/', 'x.json', false), '/x.json');
  assert.equal(below('a\\b', 'x.json', false), 'a\\b/x.json');
  for (const whole of ['C:\\x', 'c:/x', '\\\\server\\share', '//server/share']) assert.equal(isWholePath(whole), true);
  for (const part of ['\\x', '/x', 'C:x', 'x', '\\\\', '']) assert.equal(isWholePath(part), false);
});
