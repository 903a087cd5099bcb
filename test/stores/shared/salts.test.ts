import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stretched } from '../../../src/stores/sealed-files/sealed-file.js';
import { materialBy, newSalts, parseSalts } from '../../../src/stores/shared/salts.js';

const readers = 'a long passphrase é';

test('the same passphrase gives something else in another namespace, for the other kind, and by another salt', async () => {
  const typed = Buffer.from(readers);
  const { salts, readers: material } = await newSalts(stretched, 'one', { readers: typed, refreshers: typed });
  assert.equal(await materialBy(stretched, { ...salts, namespace: 'two' }, 'readers', typed), undefined);
  assert.equal(await materialBy(stretched, { ...salts, readers: salts.refreshers }, 'readers', typed), undefined);
  assert.deepEqual(await materialBy(stretched, salts, 'readers', typed), material);
});

test('salts are read as they were written, and nothing else is', () => {
  fc.assert(fc.property(fc.string(), (text) => typeof parseSalts(text, 'default') !== 'object'));
  const text = `postern-shared 1 passphrase ${['a'.repeat(43), 'b'.repeat(47), 'c'.repeat(43), 'd'.repeat(47)].join(' ')}\n`;
  assert.ok(typeof parseSalts(text, 'default') === 'object');
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.constantFrom('', ' ', '\n', '!', '\0'), (at, put) => {
      const changed = text.slice(0, at) + put + text.slice(at + 1);
      return changed === text || typeof parseSalts(changed, 'default') !== 'object';
    }),
  );
});
