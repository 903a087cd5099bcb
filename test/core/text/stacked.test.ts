import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { columnsOf, cutInside, inColumnsOrStacked } from '../../../src/core/text/layout.js';

const at = (width: number) => ({ width, color: false });

test('rows stand in columns where all fit, else all of them alike', () => {
  const rows = [
    ['work', 'https://a.example/mcp'],
    ['a-long-name', 'https://b.example/a/longer/path'],
  ];
  assert.deepEqual(inColumnsOrStacked(at(80), rows), [
    'work         https://a.example/mcp',
    'a-long-name  https://b.example/a/longer/path',
  ]);
  assert.deepEqual(inColumnsOrStacked(at(40), rows), [
    'work',
    '    https://a.example/mcp',
    'a-long-name',
    '    https://b.example/a/longer/path',
  ]);
});

test('a text of several words goes on below itself, beside its label where there is room', () => {
  const rows = [
    ['one', 'what it means, in rather many words of no length'],
    ['three', 'short'],
  ];
  assert.deepEqual(inColumnsOrStacked(at(40), rows), [
    'one    what it means, in rather many',
    '       words of no length',
    'three  short',
  ]);
});

test('whatever stands in the rows, no line is wider than a terminal of 40 to 200 columns, and no cell is lost', () => {
  const cell = fc.string({ maxLength: 90, unit: fc.constantFrom('a', 'b', '/', ' ', '字') }).map((text) => text.trim());
  const head = fc.string({ minLength: 1, maxLength: 36, unit: fc.constantFrom('a', '-') });
  const given = fc.tuple(fc.array(fc.tuple(head, cell), { minLength: 1 }), fc.integer({ min: 40, max: 200 }));
  fc.assert(
    fc.property(given, ([rows, width]) => {
      const lines = inColumnsOrStacked(at(width), rows);
      for (const line of lines) assert.ok(columnsOf(line) <= width, `${columnsOf(line)} of ${width}: ${line}`);
      const letters = (texts: readonly string[]) => texts.join('').replace(/\s/g, '');
      assert.equal(letters(lines), letters(rows.flat()));
    }),
  );
});

test('a text that is cut inside keeps both its ends and fits', () => {
  assert.equal(cutInside(20, 'https://a.example/mcp?project=abc'), 'https://a.ex…ect=abc');
  assert.equal(cutInside(40, 'short'), 'short');
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '字', '.') }),
      fc.integer({ min: 3, max: 60 }),
      (text, width) => {
        const cut = cutInside(width, text);
        assert.ok(columnsOf(cut) <= width, cut);
        const [head = '', tail = ''] = cut.split('…');
        assert.ok(cut === text || (text.startsWith(head) && text.endsWith(tail)));
      },
    ),
  );
});
