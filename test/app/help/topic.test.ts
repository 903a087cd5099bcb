import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Block, blocksOf } from '../../../src/app/help/blocks.js';
import { linesOf } from '../../../src/app/help/screen.js';
import { readTopic, topicNames } from '../../../src/app/help/topics.js';
import { plainLook } from '../../../src/core/text/look.js';

test('the text of a topic is read as its blocks', () => {
  assert.deepEqual(
    blocksOf(
      '\nOne\nand two.\n\n## A title\n\n    type this\n    and this\n\n- a\n  goes on\n- b\nhere, too\n\n- **name**: what: it is\n- **b**: c\n',
    ),
    [
      { kind: 'paragraph', text: 'One and two.' },
      { kind: 'heading', text: 'A title' },
      { kind: 'code', lines: ['type this', 'and this'] },
      { kind: 'items', lines: ['a goes on', 'b here, too'] },
      {
        kind: 'terms',
        rows: [
          ['name', 'what: it is'],
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
    case 'examples':
    case 'terms':
      return one.rows.map(([term, text]) => `- **${term}**: ${text}`).join('\n');
  }
}

test('property: what is written as blocks is read as these blocks', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), fc.constantFrom('\n\n', '\n\n\n'), (blocks, between) => {
      assert.deepEqual(blocksOf(`\n${blocks.map(written).join(between)}\n`), blocks);
    }),
  );
});

test('no sign of how a topic is written is left in it', () => {
  for (const topic of topicNames.map((name) => readTopic(name))) {
    const blocks = blocksOf(topic.text);
    const copied = blocks.flatMap((block) => (block.kind === 'code' ? block.lines : []));
    for (const line of copied) assert.doesNotMatch(line, /\S {3,}\S/, `${topic.name}: these are columns`);
    for (const line of linesOf(plainLook, blocks)) assert.doesNotMatch(line, /^- |\. - |\*\*\w|<!--|^##|`/, topic.name);
  }
});
