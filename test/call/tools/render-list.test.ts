import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { listLines } from '../../../src/call/tools/render-list.js';
import type { JsonObject } from '../../../src/core/text/json.js';
import { columnsOf } from '../../../src/core/text/layout.js';
import { plainLook } from '../../../src/core/text/look.js';
import { anyText } from '../../support/arbitraries.js';

const pipe = { look: plainLook, isTerminal: false, isLong: false };
const screen = (width: number, color = false) => ({ look: { width, color }, isTerminal: true, isLong: false });

const long = 'Says the text again, as often as it is asked for. '.repeat(6).trim();
const tools = [
  {
    name: 'echo',
    description: `${long}\n\nMore of it.`,
    annotations: { readOnlyHint: true },
    inputSchema: {
      properties: { repeat: { type: 'integer', default: 1 }, text: { type: 'string' }, how: { enum: ['loud', 'low'] } },
      required: ['text'],
    },
  },
  { name: 'wipe', description: 'Wipes.', annotations: { destructiveHint: true } },
  { name: 'empty', annotations: { destructiveHint: true, idempotentHint: true } },
  { name: 'set', annotations: { destructiveHint: false, idempotentHint: true } },
  { name: 'x\nforged\u001b[2J', inputSchema: {} },
  { noName: true },
];

test('tools have typed signatures, what is required first, and marks in words', () => {
  assert.deepEqual(
    [...(listLines('tools/list', { tools }, pipe) ?? [])],
    [
      'echo text:string [repeat:integer=1] [how:loud|low]  (read-only)',
      `    ${long}`,
      '',
      '    More of it.',
      'wipe  (destructive)',
      '    Wipes.',
      'empty  (destructive, idempotent)',
      'set  (idempotent)',
      'x forged\\x1b[2J',
    ],
  );
  assert.deepEqual([...(listLines('tools/list', { tools: [] }, pipe) ?? [])], ['(none)']);
  assert.deepEqual([...(listLines('tools/list', {}, pipe) ?? [])], ['(none)']);
  assert.equal(listLines('tools/call', {}, pipe), undefined);
});

test('on a terminal each tool takes a few lines of its width, and a colour says nothing that is not in words', () => {
  for (const width of [40]) {
    const shown = [...(listLines('tools/list', { tools }, screen(width)) ?? [])];
    assert.ok(
      shown.every((line) => columnsOf(line) <= width),
      shown.join('\n'),
    );
    assert.ok(
      shown.some((line) => line.endsWith('…')),
      'the description is cut',
    );
    assert.ok(shown.length <= 12, shown.join('\n'));
    assert.ok(
      shown.filter((line) => line.includes('(read-only)')).every((line) => line.includes('  (read-only)')),
      'a mark stands apart from the parameters',
    );
    const colored = [...(listLines('tools/list', { tools }, screen(width, true)) ?? [])];
    assert.ok(colored.join('').includes('\u001b['));
    assert.equal(stripVTControlCharacters(colored.join('\n')), shown.join('\n'));
  }
});

test('of a long list each description has one line, and says that there is more', () => {
  const many = Array.from({ length: 12 }, (_, at) => ({ name: `tool${at}`, description: long }));
  const linesOfEach = (listed: readonly JsonObject[], isLong = false) =>
    [...(listLines('tools/list', { tools: [...listed] }, { ...screen(80), isLong }) ?? [])].length / listed.length;
  assert.equal(linesOfEach(many), 2);
  assert.equal(linesOfEach(many.slice(1)), 3);
  assert.ok(linesOfEach(many, true) > 4);
  const [, about = ''] = listLines('tools/list', { tools: many }, screen(80)) ?? [];
  assert.ok(about.endsWith('…') && columnsOf(about) <= 80, about);
});

test('prompts and resources stand in columns; where an address leaves no room, the name goes below it', () => {
  const prompts = [
    { name: 'review', description: 'Reviews.', arguments: [{ name: 'file', required: true }, { name: 'how' }] },
  ];
  assert.deepEqual([...(listLines('prompts/list', { prompts }, pipe) ?? [])], ['review file [how]', '    Reviews.']);
  const resources = [
    { uri: 'note://1', name: 'one', mimeType: 'text/plain' },
    { uri: 'note://1000', name: 'another of a long name that goes on' },
  ];
  const listed = (layout: Parameters<typeof listLines>[2]) => [
    ...(listLines('resources/list', { resources }, layout) ?? []),
  ];
  assert.deepEqual(listed(pipe), [
    'note://1     text/plain  one',
    'note://1000              another of a long name that goes on',
  ]);
  assert.deepEqual(listed(screen(40)), ['note://1     text/plain  one', 'note://1000              another of a l…']);
  const far = [{ uri: `https://example.com/${'a'.repeat(40)}`, name: 'one', mimeType: 'text/plain' }];
  assert.deepEqual(
    [...(listLines('resources/list', { resources: far }, screen(60)) ?? [])],
    [far[0]?.uri, '    one (text/plain)'],
  );
  const templates = { resourceTemplates: [{ uriTemplate: 'note://{id}', name: 'note' }] };
  assert.deepEqual([...(listLines('resources/templates/list', templates, pipe) ?? [])], ['note://{id}    note']);
});

test('[A-243] whatever a server lists, nothing but text and our own colours reaches a terminal', () => {
  const json = fc.jsonValue() as fc.Arbitrary<never>;
  const tool = fc.record(
    {
      name: anyText(),
      description: anyText(),
      annotations: json,
      inputSchema: fc.record({
        properties: fc.dictionary(
          anyText(),
          fc.oneof(json, fc.record({ enum: fc.array(anyText()), default: anyText() })),
        ),
        required: fc.array(anyText()),
      }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(tool, json)), (tools) => {
      const result = JSON.parse(JSON.stringify({ tools, prompts: tools, resources: tools })) as JsonObject;
      for (const method of ['tools/list', 'prompts/list', 'resources/list']) {
        for (const layout of [pipe, screen(40, true)]) {
          for (const line of listLines(method, result, layout) ?? []) {
            // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
            assert.doesNotMatch(line.replaceAll(/\u001b\[\d+m/g, ''), /[\u0000-\u001f\u007f-\u009f\u202e]/);
          }
        }
      }
    }),
    { numRuns: 25 },
  );
});

test('--long tells what parameters mean, below each tool, and all of its description', () => {
  const schema = {
    properties: {
      text: { type: 'string', description: 'What to say, and to say again as often as it is asked for.' },
      repeat: { type: 'integer' },
      how: { enum: ['loud', 'low'], description: 'How\u001b[2J.' },
    },
  };
  const echo = { name: 'echo', description: long, inputSchema: schema };
  const listed = (layout: object) => [
    ...(listLines('tools/list', { tools: [echo, { name: 'wipe' }] }, { ...pipe, ...layout, isLong: true }) ?? []),
  ];
  assert.deepEqual(listed({}), [
    'echo [text:string] [repeat:integer] [how:loud|low]',
    `    ${long}`,
    '      text  What to say, and to say again as often as it is asked for.',
    '      how   How\\x1b[2J.',
    '',
    'wipe',
  ]);
  const wide = listed(screen(60));
  assert.ok(wide.includes('      text  What to say, and to say again as often as it is'), wide.join('\n'));
  assert.ok(wide.includes('            asked for.'), wide.join('\n'));
  const narrow = listed(screen(40));
  assert.ok(
    narrow.includes('      text') && narrow.includes('        What to say, and to say again as'),
    narrow.join('\n'),
  );
  for (const lines of [wide, narrow]) assert.ok(!lines.some((line) => line.includes('…') || line.length > 60));
  const prompts = [{ name: 'review', arguments: [{ name: 'file', required: true, description: 'Which one.' }] }];
  assert.deepEqual(
    [...(listLines('prompts/list', { prompts }, { ...pipe, isLong: true }) ?? [])],
    ['review file', '      file  Which one.'],
  );
});

test('a description that is cut ends behind a whole word, with one ellipsis', () => {
  for (let width = 40; width <= 120; width += 7) {
    const shown = [...(listLines('tools/list', { tools: tools.slice(0, 1) }, screen(width)) ?? [])];
    assert.match(shown.at(-1) ?? '', /(?:^|[ .])(?:Says|the|text|again|as|often|it|is|asked|for)…$/, String(width));
  }
});
