import assert from 'node:assert/strict';
import { chmod, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { createToolLists, readToolListSync, toolListPath } from '../../../src/stores/state/tool-lists.js';
import { anyText } from '../../support/arbitraries.js';
import { assertMode } from '../../support/modes.js';
import type { ToolList } from '../../support/product.js';
import { temporaryFolder } from '../../support/temporary.js';

const day = 86_400_000;
const now = Date.UTC(2026, 10, 23);
const key = 'ab'.repeat(32);

const parameter = {
  name: 'n',
  types: ['integer'],
  entries: undefined,
  isRequired: false,
  choices: [1, 2],
  default: 1,
  description: 'How many.',
};

function listOf(...names: readonly string[]): ToolList {
  const rest = {
    description: 'Says.',
    isReadOnly: true,
    isDestructive: false,
    isIdempotent: false,
    isOpen: false,
    isMarked: true,
    parameters: [parameter],
  };
  return { at: now, isWhole: true, tools: names.map((name) => ({ name, ...rest })) };
}

async function openLists() {
  const folder = await temporaryFolder();
  const state = `${folder.path}/state`;
  return { state, lists: createToolLists(state), [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const plain = (list: ToolList | undefined) => (list === undefined ? undefined : JSON.parse(JSON.stringify(list)));

test('what a server has listed is there for a day, at once, in a file that is private', async () => {
  await using at = await openLists();
  assert.equal(readToolListSync(at.state, key, now), undefined);
  await at.lists.keep(key, listOf('echo'));
  assert.deepEqual(plain(readToolListSync(at.state, key, now)), plain(listOf('echo')));
  assert.deepEqual(plain(await at.lists.read(key, now + day - 1)), plain(listOf('echo')));
  assert.equal(await at.lists.read(key, now + day), undefined, 'after a day it counts no more');
  assert.equal(await at.lists.read(key, now - 1), undefined, 'nor does one of a time to come');
  assertMode((await stat(toolListPath(at.state, key))).mode, 0o600);
  await at.lists.keep(key, listOf('other'));
  assert.deepEqual(readToolListSync(at.state, key, now)?.tools[0]?.name, 'other');
  assert.deepEqual(await readdir(join(at.state, 'tools')), [`${key}.json`]);
  await at.lists.forget(key);
  await at.lists.forget(key);
  assert.equal(readToolListSync(at.state, key, now), undefined);
});

test('a file that others could write, or that is none of ours, tells of no tools', async () => {
  await using at = await openLists();
  await at.lists.keep(key, listOf('echo'));
  const path = toolListPath(at.state, key);
  await chmod(path, 0o666);
  assert.equal(readToolListSync(at.state, key, now), undefined);
  await chmod(path, 0o600);
  assert.ok(readToolListSync(at.state, key, now));
  const whole = JSON.stringify(listOf('echo')).slice(1);
  for (const text of ['', '[]', '{"version":1}', `{"version":2,${whole}`, `{"version":1,${whole.slice(0, -9)}`]) {
    await writeFile(path, text);
    assert.equal(readToolListSync(at.state, key, now), undefined, text);
  }
  await writeFile(path, `{"version":1,${whole}`);
  assert.ok(readToolListSync(at.state, key, now));
});

test('there are 64 lists at most, none is longer than 1 MiB, and none that fails is anybody’s trouble', async () => {
  await using at = await openLists();
  for (let number = 0; number < 66; number += 1) {
    await at.lists.keep(`k${number}`, listOf('echo'));
    await utimes(toolListPath(at.state, `k${number}`), number, number);
  }
  assert.equal((await readdir(join(at.state, 'tools'))).length, 64);
  assert.equal(readToolListSync(at.state, 'k1', now), undefined);
  assert.ok(readToolListSync(at.state, 'k65', now));
  await at.lists.keep('k65', listOf('x'.repeat(1_100_000)));
  assert.equal(readToolListSync(at.state, 'k65', now), undefined, 'an older one is no better than none');
  const blocked = await openLists();
  await writeFile(blocked.state, '');
  await blocked.lists.keep(key, listOf('echo'));
  await blocked.lists.forget(key);
  assert.equal(await blocked.lists.read(key, now), undefined);
  await blocked[Symbol.asyncDispose]();
});

test('no key leads out of the folder, and no two usual ones to one file', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const path = toolListPath('/state', text);
      assert.match(path, /^[\\/]state[\\/]tools[\\/][0-9a-z-]+\.json$/);
    }),
  );
  assert.notEqual(toolListPath('/state', '../a'), toolListPath('/state', '../b'));
});
