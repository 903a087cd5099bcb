import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterTools, validate } from '../../../src/mcp/lending/tool-messages.js';
import { hasToolRules, idleRulePrinter, ToolPolicy, type ToolRules } from '../../../src/mcp/lending/tool-policy.js';

const policyOf = (rules: Partial<ToolRules>) =>
  new ToolPolicy({ allowTool: [], denyTool: [], readOnly: false, ...rules }, () => undefined);

const call = (name: string, id: unknown = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

test('a refused batch is answered in no more memory than a few times its own [A-258]', () => {
  const pings = Array.from({ length: 900 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
  const policy = policyOf({ denyTool: ['x*'] });
  const body = bytesOf([call('x'.repeat(100_000), 'c'), ...pings, call('x'.repeat(500), 'd')]);
  const verdict = validate(policy, body);
  assert.equal(verdict.kind, 'refused');
  assert.ok(verdict.kind === 'refused' && (verdict.response?.byteLength ?? 0) < 2 * 1024 * 1024);
  const many = validate(policy, bytesOf(Array.from({ length: 1_001 }, (_, id) => call('x', id))));
  assert.match(many.kind === 'refused' ? String(many.response) : many.kind, /"id":null.*1,000 messages/);
});

test('a name takes linear time, whatever stands in it and in the rules [A-259]', () => {
  const before = process.cpuUsage().user;
  const policy = policyOf({ denyTool: ['*a*a*a*a*a*a*b'] });
  assert.equal(policy.verdict('a'.repeat(1_000)), 'passed');
  assert.equal(policy.verdict('a'.repeat(5_000_000)), 'refused', 'no tool has such a name');
  assert.ok(process.cpuUsage().user - before < 10_000_000, 'to try every place for every star would take years');
});

test('stars stand for any characters, none included, and for nothing that is there twice', () => {
  const allows = (glob: string, name: string) => policyOf({ allowTool: [glob] }).verdict(name) === 'passed';
  assert.ok(
    allows('*', '') && allows('a*', 'a') && allows('a*b*c', 'abc') && allows('a**c', 'a/c') && allows('a', 'a'),
  );
  assert.ok(allows('*_note', 'a_note_note') && allows('*ab*', 'xabab'));
  assert.ok(!allows('ab*ba', 'aba') && !allows('a*', 'ba') && !allows('*a', 'ab') && !allows('a*b*b', 'ab'));
  assert.ok(!allows('a.c', 'abc') && !allows('a', 'ab'));
});

test('no spelling of a denied name is called: case, width, accents, what is drawn as nothing, what ends a text', () => {
  const policy = policyOf({ denyTool: ['delete_note'] });
  for (const name of [
    'DELETE_NOTE',
    'delete\u200b_note',
    'dele\u00adte_note',
    '\ufeffdelete_note',
    'delete_note\ufe0f',
    'ｄelete_note',
    'délete_note',
    'delete_note ',
    'delete_note\u0000',
    'delete_note\u0000.x',
    'delete_note\n',
    'delete_note\ud800',
  ]) {
    assert.equal(validate(policy, bytesOf(call(name))).kind, 'refused', JSON.stringify(name));
    const listed = filterTools(policy, bytesOf({ jsonrpc: '2.0', id: 1, result: { tools: [{ name }] } }), () => true);
    assert.match(String(listed), /"tools":\[\]/, JSON.stringify(name));
  }
  assert.equal(validate(policy, bytesOf(call('note_of_नमस्ते'))).kind, 'passed');
});

test('what a server says of a name that is none takes no memory, and a list in a batch in a batch is not passed on', () => {
  const policy = policyOf({ readOnly: true });
  const name = 'x'.repeat(2_000);
  policy.learn([{ name, annotations: { readOnlyHint: true } }], true);
  assert.equal(policy.verdict(name), 'refused');
  const list = { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'x' }] } };
  assert.equal(
    filterTools(policy, bytesOf([[list]]), () => true),
    undefined,
  );
});

test('what looks like several names, or a pattern of another kind, is refused: it would deny nothing', () => {
  const rules = { allowTool: [], denyTool: [], readOnly: false };
  assert.ok(!hasToolRules(rules));
  assert.ok(hasToolRules({ ...rules, denyTool: ['files.delete*', 'ns/write', 'löschen', 'a:b'] }));
  for (const wrong of ['', 'read,write', 'read write', '/^delete/i?', 'delete|drop', 'delet[e]', 'delete\\d', ' x']) {
    const refused = { code: 'tool_name_unusable', exit: 2 };
    assert.throws(() => hasToolRules({ ...rules, denyTool: ['ok', wrong] }), refused, wrong);
    assert.throws(() => hasToolRules({ ...rules, allowTool: [wrong] }), refused, wrong);
  }
});

test('a rule that fits none of the tools is named once, when the list has come whole, with what was meant', () => {
  const warned: string[] = [];
  const rules = {
    allowTool: ['read_note', 'wirte_note'],
    denyTool: ['DELETE_NOTE', 'delet_note', 'drop_*', '*_note'],
    readOnly: false,
  };
  const policy = new ToolPolicy(
    rules,
    idleRulePrinter(1, (line) => warned.push(line)),
  );
  const page = (names: readonly string[], nextCursor?: string) =>
    filterTools(
      policy,
      bytesOf({ jsonrpc: '2.0', id: 1, result: { tools: names.map((name) => ({ name })), nextCursor } }),
      () => true,
    );
  page([]);
  page(['read_note', 'write_note'], 'more');
  assert.deepEqual(warned, [], 'the rest may have it');
  page(['delete_note']);
  page(['delete_note']);
  assert.deepEqual(warned, [
    '--allow-tool "wirte_note" does not fit any of the 3 tools that the server lists. Did you mean "write_note"?',
    '--deny-tool "delet_note" does not fit any of the 3 tools that the server lists. Did you mean "delete_note"?',
    '--deny-tool "drop_*" does not fit any of the 3 tools that the server lists.',
  ]);
});

test('a rule for several servers is idle where it fits the tools of none', () => {
  const printed: string[] = [];
  const printer = idleRulePrinter(2, (line) => printed.push(line));
  const rule = { option: '--deny-tool', name: 'x', count: 2, meant: undefined } as const;
  printer(rule);
  assert.deepEqual(printed, []);
  printer({ ...rule, count: 3, meant: 'y' });
  assert.match(printed.join(), /any of the 5 tools[^?]*"y"\?$/);
});
