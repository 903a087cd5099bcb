import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { bold, manPages, roff } from '../../src/app/help/man-pages.js';
import { ownTables } from '../../src/app/help/own-tables.js';
import { topicNames } from '../../src/app/help/topics.js';
import { registry } from '../../src/app/registry.js';
import { anyText } from '../support/arbitraries.js';
import { needs } from '../support/needs.js';
import { repositoryRoot } from '../support/repository.js';

const pages = manPages('9.9.9');

/** What a terminal shows of a page, without its bold and italic letters. */
function groff(text: string) {
  const args = ['-man', '-ww', '-Tutf8', '-P-c', '-P-b', '-P-u', '-rLL=100n'];
  return spawnSync('groff', args, { input: text, encoding: 'utf8' });
}

test('every command and topic has a page, and package.json names each of them', () => {
  const names = [
    'postern.1',
    ...[...registry.map(({ table }) => table), ...ownTables].map(({ name }) => `postern-${name}.1`),
    ...topicNames.map((name) => `postern-${name}.7`),
  ];
  assert.deepEqual(pages.map(({ file }) => file).toSorted(), names.toSorted());
  const { man } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as { readonly man: string[] };
  assert.deepEqual(
    man,
    names.toSorted().map((name) => `dist/man/${name}`),
    'the member "man" of package.json',
  );
  assert.deepEqual(readdirSync(join(repositoryRoot, 'dist', 'man')).toSorted(), names.toSorted());
});

test('groff has nothing to say against any page, and shows every option', { skip: needs('man') }, () => {
  for (const { file, text } of pages) {
    const { stdout, stderr, status } = groff(text);
    assert.deepEqual([status, stderr], [0, ''], file);
    const table = registry.find(({ table: { name } }) => file === `postern-${name}.1`)?.table;
    for (const { name } of table?.options ?? []) assert.match(stdout, new RegExp(`^ .*--${name}\\b`, 'm'), file);
    for (const { command } of table?.examples ?? []) assert.ok(stdout.replace(/\s+/g, ' ').includes(command), command);
  }
});

test('man shows a page of the build', { skip: needs('man') }, () => {
  const env = { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8' };
  const page = join(repositoryRoot, 'dist', 'man', 'postern-login.1');
  const { stdout, stderr, status } = spawnSync('man', ['--warnings', '-l', page], { env, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^NAME\n +postern-login +- log in/m);
});

test('property: no text is a request or an escape, and each is shown as it is', { skip: needs('man') }, () => {
  fc.assert(
    fc.property(fc.array(anyText(), { minLength: 1, maxLength: 20 }), (texts) => {
      const lines = texts.map((text) => text.replaceAll(/[^\x21-\x7e“”’–…é]/g, 'x')).filter((text) => text !== '');
      const shown = (made: readonly string[]) => {
        const { stdout, stderr } = groff(['.TH A 1', '.nf', ...made, '.fi'].join('\n'));
        assert.equal(stderr, '');
        return stdout;
      };
      for (const line of lines) {
        if (line.length > 90) continue;
        const text = shown([roff(line), bold(line)]);
        assert.equal(text.split('\n').filter((one) => one.trim() === line).length, 2, text);
      }
    }),
    { numRuns: 5 },
  );
});
