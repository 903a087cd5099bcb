import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programNamed } from '../../src/setup/programs/programs.js';

test('a login and a program in the wrong order are told apart, with the line to type; a mistyped program brings the one meant', () => {
  assert.equal(programNamed('Cursor', 'claude').name, 'cursor');
  for (const [typed, name] of [
    ['claude-code', 'claude'],
    ['claude', 'claude'],
    ['code', 'vscode'],
    ['visual-studio-code', 'vscode'],
    ['Gemini-CLI', 'gemini'],
    ['bazelisk', 'bazel'],
  ] as const) {
    assert.equal(programNamed(typed).name, name);
    assert.throws(() => programNamed('work', typed), { remedy: `Did you mean: postern setup ${name} work` });
  }
  assert.throws(() => programNamed('work', 'claude'), {
    code: 'program_unknown',
    message: /"work" is known: the program comes first, then the login\.$/,
    remedy: 'Did you mean: postern setup claude work',
  });
  assert.throws(() => programNamed("wo'rk", 'git'), { remedy: /postern setup git "wo'rk"$|postern setup git 'wo/ });
  assert.throws(() => programNamed('cursr', 'work'), { remedy: /^Did you mean "cursor"\?/ });
});
