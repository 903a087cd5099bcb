import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Block, blocksOf } from '../../../src/app/help/topics/topic.js';

test('the text of a topic is read as its blocks', () => {
  assert.deepEqual(
    blocksOf(
      '\nOne\nand two.\n\n## A title\n\n    type this\n    and this\n\n- a\n- b\n\nname :: what :: it is\nb :: c\n',
    ),
    [
      { kind: 'paragraph', text: 'One and two.' },
      { kind: 'heading', text: 'A title' },
      { kind: 'code', lines: ['type this', 'and this'] },
      { kind: 'items', lines: ['a', 'b'] },
      {
        kind: 'terms',
        rows: [
          ['name', 'what :: it is'],
          ['b', 'c'],
        ],
      },
    ],
  );
});

const line = fc.stringMatching(/^[a-z][a-z `.]{0,20}[a-z]$/);

const plain = { noNullPrototype: true } as const;

const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ kind: fc.constantFrom('heading' as const, 'paragraph' as const), text: line }, plain),
  fc.record(
    { kind: fc.constantFrom('code' as const, 'items' as const), lines: fc.array(line, { minLength: 1 }) },
    plain,
  ),
  fc.record({ kind: fc.constant('terms' as const), rows: fc.array(fc.tuple(line, line), { minLength: 1 }) }, plain),
);

function written(one: Block): string {
  switch (one.kind) {
    case 'heading':
      return `## ${one.text}`;
    case 'paragraph':
      return one.text;
    case 'code':
      return one.lines.map((each) => `    ${each}`).join('\n');
    case 'items':
      return one.lines.map((each) => `- ${each}`).join('\n');
    case 'terms':
      return one.rows.map(([term, text]) => `${term} :: ${text}`).join('\n');
  }
}

test('property: what is written as blocks is read as these blocks', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), fc.constantFrom('\n\n', '\n\n\n'), (blocks, between) => {
      assert.deepEqual(blocksOf(`\n${blocks.map(written).join(between)}\n`), blocks);
    }),
  );
});
