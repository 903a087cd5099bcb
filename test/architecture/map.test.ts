import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '../support/repository.js';

const src = join(repositoryRoot, 'src');

/** Files and rooms that a text names and that are not in `src/`. A file may be named from inside the room of its section. */
function missingIn(text: string, files: readonly string[]): readonly string[] {
  const named = [...text.matchAll(/`([a-z][\w./-]*(?:\.ts|\/))`/g)].map(([, path = '']) => path);
  return named.filter((path) =>
    path.endsWith('/')
      ? !existsSync(join(src, path)) && !files.some((file) => file.includes(`/${path}`)) && path !== 'src/'
      : !files.some((file) => file === path || file.endsWith(`/${path}`)),
  );
}

test('the map names files and rooms that are there, and every room', async () => {
  const files = (await readdir(src, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const text = await readFile(join(src, 'README.md'), 'utf8');
  const named = text
    .replaceAll('`src/a/b.ts`', '')
    .replaceAll('`test/a/b.test.ts`', '')
    .replaceAll('`test/architecture.test.ts`', '');
  assert.deepEqual(missingIn(named, files), []);
  const rooms = new Set(files.filter((name) => name.includes('/')).map((name) => name.slice(0, name.indexOf('/') + 1)));
  assert.deepEqual(
    [...rooms].filter((room) => !text.includes(`\`${room}\``)),
    [],
  );
});

test('a file or a room that is gone is seen', () => {
  assert.deepEqual(missingIn('`app/run.ts`, `run.ts`, `app/ran.ts`, `ap/`', ['app/run.ts']), ['app/ran.ts', 'ap/']);
});
