import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { valueIn } from '../../src/setup/formats/entry.js';
import type { EntryMembers } from '../../src/setup/formats/text.js';
import { putEntry, restoreEntry } from './edited.js';

const path = ['mcpServers', 'work'];
const key = { format: 'json', path } as const;
const entry = { members: { type: 'http', url: 'https://h/mcp' }, without: [] };

async function put(text: string, holds: EntryMembers = entry): Promise<string> {
  const result = await putEntry(text, { key, holds });
  assert.ok(result.ok, text);
  return result.text;
}

test('an entry is laid out as its neighbours are', async () => {
  const two = '{\n  "a": 1,\n  "mcpServers": {\n    "x": {}\n  }\n}\n';
  assert.equal(
    await put(two),
    '{\n  "a": 1,\n  "mcpServers": {\n    "x": {},\n    "work": {\n      "type": "http",\n      "url": "https://h/mcp"\n    }\n  }\n}\n',
  );
  assert.equal(
    await put('{\r\n\t"a": 1\r\n}'),
    '{\r\n\t"a": 1,\r\n\t"mcpServers": {\r\n\t\t"work": {\r\n\t\t\t"type": "http",\r\n\t\t\t"url": "https://h/mcp"\r\n\t\t}\r\n\t}\r\n}',
  );
});

test('an empty file, and an empty object, take an entry', async () => {
  for (const text of ['', '\n', '\ufeff', '{}', '{ }\n', '\ufeff{\r\n}\r\n']) {
    const made = await put(text);
    assert.deepEqual(valueIn('json', made, path), entry.members, JSON.stringify(text));
    assert.equal(made.startsWith('\ufeff'), text.startsWith('\ufeff'));
    assert.equal(made.includes('\r\n'), text.includes('\r\n'));
  }
});

test('comments and trailing commas stay where they are', async () => {
  const text = '// mine\n{\n  "mcpServers": {\n    // first\n    "x": { "command": "a" }, // why\n  }, /* end */\n}\n';
  const made = await put(text);
  for (const comment of ['// mine\n{', '// first\n', '}, // why\n', '}, /* end */\n']) {
    assert.ok(made.includes(comment), `${comment} in ${made}`);
  }
  assert.deepEqual(valueIn('json', made, path), entry.members);
  const undone = await restoreEntry(made, key, '');
  assert.ok(undone.ok && undone.text === text);
  const last = '{\n  "mcpServers": {\n    "x": {} // why\n  }\n}';
  assert.match(await put(last), /"x": \{\}, \/\/ why\n {4}"work"/);
});

test('members of others stay, what would win over ours goes', async () => {
  const text =
    '{"mcpServers": {"work": {"timeout": 5, "headers": {"AUTHORIZATION": "Bearer s", "X-A": "1"}, /* mine */ "oauth": {}}}}';
  const made = await put(text, { ...entry, without: ['headers/authorization', 'oauth'] });
  assert.ok(made.includes('/* mine */'));
  assert.deepEqual(valueIn('json', made, path), {
    timeout: 5,
    headers: { 'X-A': '1' },
    type: 'http',
    url: 'https://h/mcp',
  });
  const alone = '{"mcpServers": {"work": {"headers": {"authorization": "Bearer s"}, "timeout": 5}}}';
  assert.deepEqual(
    Object.keys(valueIn('json', await put(alone, { ...entry, without: ['headers/authorization'] }), path) ?? {}),
    ['timeout', 'type', 'url'],
  );
});

test('what cannot be edited safely is left alone, and why is said', async () => {
  const problem = async (text: string) => {
    const result = await putEntry(text, { key, holds: entry });
    return result.ok ? 'edited' : result.problem;
  };
  assert.equal(await problem('{"a": }'), 'unreadable');
  assert.equal(await problem("{'a': 1}"), 'unreadable');
  assert.equal(await problem('{"a": 1'), 'unreadable');
  assert.equal(await problem('{"a": 1} x'), 'unreadable');
  assert.equal(await problem(`${'['.repeat(5000)}`), 'unreadable');
  assert.equal(await problem('[]'), 'shape');
  assert.equal(await problem('{"mcpServers": null}'), 'shape');
  assert.equal(await problem('{"mcpServers": {"work": "x"}}'), 'shape');
  assert.equal(await problem('{"mcpServers": {}, "mcpServers": {}}'), 'duplicate');
});

/** A value and a text that says it, in every layout that JSON with comments allows. */
function laidOut(depth: number): fc.Arbitrary<readonly [unknown, string]> {
  const gap = fc.constantFrom('', ' ', '\n', '\r\n\t', ' /* c, "} */ ', ' // c }\n', '\n  ');
  const scalar = fc
    .oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
    .map((value) => [value, JSON.stringify(value)] as const);
  if (depth === 0) return scalar;
  const inner = laidOut(depth - 1);
  const object = fc
    .tuple(
      fc.uniqueArray(fc.tuple(fc.string(), inner, gap, gap), { selector: ([name]) => name, maxLength: 4 }),
      gap,
      fc.boolean(),
    )
    .map(([members, end, comma]) => {
      const value = Object.fromEntries(members.map(([name, [one]]) => [name, one]));
      const text = members.map(([name, [, one], a, b]) => `${a}${JSON.stringify(name)}${b}:${a}${one}${b}`).join(',');
      return [value, `{${text}${comma && members.length > 0 ? ',' : ''}${end}}`] as const;
    });
  const array = fc
    .tuple(fc.array(fc.tuple(inner, gap), { maxLength: 3 }), gap)
    .map(
      ([items, end]) =>
        [items.map(([[one]]) => one), `[${items.map(([[, one], a]) => `${a}${one}${a}`).join(',')}${end}]`] as const,
    );
  return fc.oneof(scalar, object, array);
}

const documents = fc
  .tuple(
    fc.dictionary(
      fc.string().filter((name) => name !== 'mcpServers' && name !== '__proto__'),
      laidOut(2),
      { maxKeys: 3 },
    ),
    fc.option(laidOut(2)),
    fc.constantFrom('', '\ufeff'),
    fc.constantFrom('\n', '\r\n', ' '),
  )
  .map(([others, sibling, mark, break_]) => {
    const servers = sibling === null ? [] : [['other', sibling] as const];
    const inside = servers.map(([name, [, text]]) => `${break_}  "${name}": ${text}`).join(',');
    const rest = Object.entries(others).map(([name, [, text]]) => `${break_}${JSON.stringify(name)}: ${text}`);
    return {
      value: {
        ...Object.fromEntries(Object.entries(others).map(([name, [one]]) => [name, one])),
        mcpServers: Object.fromEntries(servers.map(([name, [one]]) => [name, one])),
      },
      text: `${mark}{${[...rest, `${break_}"mcpServers": {${inside}${break_}}`].join(',')}${break_}}${break_}`,
    };
  });

test('any document is the same but for the entry; twice is once; taking it away again leaves the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(documents, async ({ value, text }) => {
      assert.deepEqual(valueIn('json', text, []), value);
      const made = await put(text);
      assert.deepEqual(valueIn('json', made, []), {
        ...value,
        mcpServers: { ...value.mcpServers, work: entry.members },
      });
      assert.equal(await put(made), made);
      const changed = await put(made, { members: { url: 'https://other' }, without: ['type'] });
      assert.deepEqual(valueIn('json', changed, path), { url: 'https://other' });
      const undone = await restoreEntry(made, key, '');
      assert.ok(undone.ok);
      assert.deepEqual(valueIn('json', undone.text, []), value);
      if (Object.keys(value.mcpServers).length > 0) assert.equal(undone.text, text);
    }),
  );
});

test('a text of any kind is edited or refused, never broken', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.string(), fc.json(), fc.string({ unit: fc.constantFrom(...'{}[]",:/*\\ \n1') })),
      async (text) => {
        const result = await putEntry(text, { key, holds: entry });
        if (result.ok) assert.deepEqual(valueIn('json', result.text, path), entry.members);
      },
    ),
  );
});
