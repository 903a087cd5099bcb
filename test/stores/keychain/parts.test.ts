import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Items, readValue, removeValue, writeValue } from '../../../src/stores/keychain/items.js';
import { anyText } from '../../support/arbitraries.js';

type PartItems = Omit<Items, 'open'>;

/** A keychain whose items hold at most `maxLength`, as Windows' do, and which fails when told to. */
class SmallItems implements PartItems {
  readonly held = new Map<string, string>();
  readonly maxLength: number;
  /** Writes and deletions that succeed before everything fails, as when the process is killed. */
  left = Number.POSITIVE_INFINITY;

  constructor(maxLength: number) {
    this.maxLength = maxLength;
  }

  async get(account: string): Promise<string | undefined> {
    return this.held.get(account);
  }

  async set(account: string, text: string): Promise<void> {
    this.#use();
    assert.ok(text.length <= this.maxLength, 'an item holds no more');
    assert.match(account, /^[0-9a-z-]+$/, 'ASCII, without dots');
    this.held.set(account, Buffer.from(text).toString()); // it stores UTF-8
  }

  async delete(account: string): Promise<boolean> {
    this.#use();
    return this.held.delete(account);
  }

  #use(): void {
    if (this.left === 0) throw new Error('killed');
    this.left -= 1;
  }
}

const max = 128;
const short = '{"short":true}';
const long = (seed: string): string => JSON.stringify({ token: `${seed}é😀`.repeat(200) });
const textOf = (items: PartItems) => readValue(items, 'key');

test('[A-198] a value of any length and script comes back whole, and leaves nothing when it is removed', async () => {
  const text = fc.oneof(anyText({ maxLength: 900 }), fc.constantFrom(short, long('x')));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 4 }), async (values) => {
      const items = new SmallItems(max);
      for (const value of values) {
        await writeValue(items, 'key', value, max);
        assert.equal(await textOf(items), value);
      }
      const parts = Math.ceil((values.at(-1) ?? '').length / (max - 1)) + 1;
      assert.ok(items.held.size <= Math.max(1, parts), 'the old parts are gone');
      assert.equal(await removeValue(items, 'key', max), true);
      assert.equal(items.held.size, 0);
      assert.equal(await removeValue(items, 'key', max), false);
    }),
    { numRuns: 200 },
  );
});

test('[A-198] [A-136] a write killed at any point leaves the old value or the new one; the next one tidies up', async () => {
  for (const [before, after] of [
    [long('a'), long('b')],
    [short, long('b')],
    [long('a'), short],
    [undefined, long('b')],
  ] as const) {
    for (let steps = 0; ; steps += 1) {
      const items = new SmallItems(max);
      if (before !== undefined) await writeValue(items, 'key', before, max);
      items.left = steps;
      const done = await writeValue(items, 'key', after, max).then(
        () => true,
        () => false,
      );
      items.left = Number.POSITIVE_INFINITY;
      const found = await textOf(items);
      assert.ok(done ? found === after : found === before || found === after, `after ${steps} steps`);
      await writeValue(items, 'key', short, max);
      assert.deepEqual([...items.held.keys()], ['key'], `leftovers of a write that took ${steps} steps`);
      if (done) break;
    }
  }
});

test('[A-205] a removal killed at any point is completed by the next', async () => {
  for (let steps = 0; ; steps += 1) {
    const items = new SmallItems(max);
    await writeValue(items, 'key', long('a'), max);
    items.left = steps;
    const done = await removeValue(items, 'key', max).then(
      () => true,
      () => false,
    );
    items.left = Number.POSITIVE_INFINITY;
    await removeValue(items, 'key', max);
    assert.equal(items.held.size, 0, `leftovers of a removal that took ${steps} steps`);
    if (done) break;
  }
});

test('[A-198] a part that is missing, changed or cut, or a head that is no head: damaged, and left as it is', async () => {
  const harm: [string, (items: SmallItems) => unknown][] = [
    ['missing', (items) => items.held.delete('key-a1')],
    ['changed', (items) => items.held.set('key-a1', 'x'.repeat(max))],
    ['cut', (items) => items.held.set('key-a2', (items.held.get('key-a2') ?? '').slice(1))],
    ['swapped', (items) => items.held.set('key-a0', items.held.get('key-a1') ?? '')],
    ['no head', (items) => items.held.set('key', 'postern-parts 1 a 99999999 abc')],
  ];
  for (const [name, doIt] of harm) {
    const items = new SmallItems(max);
    await writeValue(items, 'key', long('a'), max);
    doIt(items);
    const held = new Map(items.held);
    await assert.rejects(readValue(items, 'key'), { code: 'credential_corrupt' }, name);
    assert.deepEqual(items.held, held);
  }
});

test('a value that another process replaces while it is read comes out as one of the two', async () => {
  const items = new SmallItems(max);
  await writeValue(items, 'key', long('a'), max);
  let reads = 0;
  const disturbed: PartItems = {
    get: async (account) => {
      reads += 1;
      if (reads === 3) await writeValue(items, 'key', long('b'), max);
      return items.get(account);
    },
    set: (account, text) => items.set(account, text),
    delete: (account) => items.delete(account),
  };
  assert.equal(await textOf(disturbed), long('b'));
});
