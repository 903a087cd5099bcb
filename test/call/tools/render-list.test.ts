import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('a signature has types, what is required first, defaults and choices; marks are words', () => {
  const [echo = '', ...others] = [...(listLines('tools/list', { tools }, pipe) ?? [])];
  assert.match(echo, /^echo text:string \[repeat:integer=1\] \[how:loud\|low\] +\(read-only\)$/);
  assert.match(
    others.join('\n'),
    /^wipe +\(destructive\)[\s\S]*^empty +\(destructive, idempotent\)\nset +\(idempotent\)$/m,
  );
  assert.deepEqual([...(listLines('tools/list', { tools: [] }, pipe) ?? [])], ['(none)']);
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
