import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editorOf } from '../../src/app/config-file.js';

test('on Windows an editor is Notepad, or what EDITOR names there', () => {
  const cases = [
    [{}, ['notepad']],
    [{ EDITOR: 'code --wait' }, ['code', '--wait']],
    [{ VISUAL: '"C:\\Program Files\\Ed\\ed.exe" -w  -n' }, ['C:\\Program Files\\Ed\\ed.exe', '-w', '-n']],
    [{ EDITOR: 'C:\\ed.exe' }, ['C:\\ed.exe']],
  ] as const;
  for (const [env, words] of cases) assert.deepEqual(editorOf(env, true), words);
  for (const EDITOR of ['\\ed.exe', '.\\ed.exe', 'C:ed\\ed.exe']) {
    assert.throws(() => editorOf({ EDITOR }, true), { code: 'usage_wrong' });
  }
});

test('elsewhere it has to be named', () => {
  assert.deepEqual(editorOf({ EDITOR: '/usr/bin/vi -n' }, false), ['/usr/bin/vi', '-n']);
  for (const EDITOR of ['', './vi']) {
    assert.throws(() => editorOf({ EDITOR }, false), { code: 'usage_wrong' });
  }
});
