import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Entry, rawEntry, valueIn } from '../../src/setup/formats/entry.js';
import { putEntry, restoreEntry } from './edited.js';

const command = `'/opt/n o/node' '/p "q"/postern.js' credential git`;
const entries = {
  toml: {
    key: { format: 'toml', path: ['mcp_servers', 'work.x'] },
    holds: {
      members: { url: 'https://h/mcp', http_headers_helper: command },
      without: ['bearer_token_env_var', 'env_http_headers'],
    },
  },
  yaml: {
    key: { format: 'yaml', path: ['extensions', 'work.x'] },
    holds: {
      members: { enabled: true, type: 'stdio', name: 'no', cmd: '/n "o"', args: ['a', 'b: #c', '7', ''] },
      without: ['uri', 'headers'],
    },
  },
} as const satisfies Record<string, Entry>;

/** Files as people have them. */
const files: Record<keyof typeof entries, readonly string[]> = {
  toml: [
    'model = "x" # mine\n\n[mcp_servers.a]\ncommand = "c"\nargs = [\n  "[mcp_servers.x]", # no table\n  \'\'\'\n[t]\n\'\'\',\n]\n\n[mcp_servers.a.env]\nK = "v"\n\n# the end\n',
    '[tui]\nnotifications = true',
    'd = 1979-05-27 07:32:00 # a date\ns = """a "quoted" \\""" \n"""\n',
  ],
  yaml: [
    '# mine\nmode: auto # m\nextensions:\n  # first\n  a: # keep\n    enabled: true\n    args:\n    - -y # yes\n\n    text: |\n      a: b\n\n      c\n\n# the end\nlast: [1, 2]\n',
    '---\nextensions:\n    a:\n        b: c\n',
    'mode: auto\nextensions: {}\nlast: "x"\n',
    'mode: auto',
  ],
};

async function put(text: string, entry: Entry): Promise<string> {
  const result = await putEntry(text, entry);
  assert.ok(result.ok, `${result.ok || result.problem}: ${text}`);
  return result.text;
}

const forms = [
  (text: string) => text,
  (text: string) => text.replaceAll('\n', '\r\n'),
  (text: string) => `\ufeff${text}`,
];

for (const [format, entry] of Object.entries(entries) as [keyof typeof entries, Entry][]) {
  test(`${format}: twice is once, nothing else changes, and taking it away leaves what was there`, async () => {
    for (const file of files[format].flatMap((text) => forms.map((form) => form(text)))) {
      const made = await put(file, entry);
      assert.equal(await put(made, entry), made);
      assert.notEqual(made, file);
      const raw = rawEntry(made, entry.key);
      assert.ok(raw !== undefined);
      const body = format === 'yaml' ? file.replace(/extensions: \{\}\r?\n/, '') : file;
      for (const line of body.split('\n')) assert.ok(made.includes(line.trimEnd()), line);
      assert.equal(/(?<!\r)\n/.test(made), /(?<!\r)\n/.test(file) || !file.includes('\n'), 'line endings');
      const undone = await restoreEntry(made, entry.key, '');
      assert.ok(undone.ok);
      if (file.endsWith('\n') && body === file) assert.equal(undone.text, file);
      const changed = await restoreEntry(made, entry.key, made);
      assert.ok(changed.ok && changed.text === made);
    }
  });

  test(`${format}: a text of any kind is edited or refused, never broken`, async () => {
    const marks = fc.string({
      unit: fc.constantFrom(...'[]"\'=\\#\n\r .-:ab', 'extensions:', '  work.x:', '[mcp_servers.'),
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(marks, fc.string()), async (text) => {
        const result = await putEntry(text, entry);
        if (!result.ok) return;
        const again = await putEntry(result.text, entry);
        assert.ok(again.ok && again.text === result.text);
      }),
      { numRuns: 200 },
    );
  });
}

test('toml: pairs of others stay, what would win over ours goes; inline and dotted forms are refused', async () => {
  const text =
    '[mcp_servers."work.x"] # mine\nurl = \'https://old\'\nbearer_token_env_var = "T"\nstartup_timeout_sec = 5\n\n[mcp_servers."work.x".env_http_headers]\nAuthorization = "T"\n\n[other]\n';
  const made = await put(text, entries.toml);
  assert.equal(
    made,
    `[mcp_servers."work.x"]\nurl = "https://h/mcp"\nstartup_timeout_sec = 5\nhttp_headers_helper = ${JSON.stringify(command)}\n\n[other]\n`,
  );
  assert.equal(valueIn('toml', made, [...entries.toml.key.path, 'http_headers_helper']), command);
  for (const inline of [
    'mcp_servers = {}\n',
    '[mcp_servers]\n"work.x" = { url = "u" }\n',
    'mcp_servers."work.x".url = "u"\n',
    '[[mcp_servers."work.x"]]\n',
    '[mcp_servers."work.x"]\n[a]\n[mcp_servers."work.x".env]\n',
  ]) {
    assert.deepEqual(await putEntry(inline, entries.toml), { ok: false, problem: 'form' }, inline);
  }
  for (const bad of ['a = \n', 'a = "b\n', '[a\n', 'a b\n', 'a = [1\n', 'a = 1 2\n']) {
    assert.deepEqual(await putEntry(bad, entries.toml), { ok: false, problem: 'unreadable' }, bad);
  }
});

test('yaml: members of others stay, what has no meaning any more goes, a list in another style is left alone', async () => {
  const text =
    'extensions:\n  work.x: # mine\n    timeout: 60 # long\n    uri: https://old\n    headers:\n      Authorization: x\n    type: streamable_http\n    available_tools: []\n  b: {}\n';
  const made = await put(text, entries.yaml);
  assert.equal(
    made,
    'extensions:\n  work.x:\n    timeout: 60\n    type: stdio\n    available_tools: []\n    enabled: true\n    name: "no"\n    cmd: /n "o"\n    args:\n    - a\n    - "b: #c"\n    - "7"\n    - ""\n  b: {}\n',
  );
  assert.deepEqual(valueIn('yaml', made, ['extensions', 'work.x', 'args']), entries.yaml.holds.members.args);
  const back = await restoreEntry(made, entries.yaml.key, text);
  assert.ok(back.ok);
  assert.deepEqual(valueIn('yaml', back.text, []), valueIn('yaml', text, []));
  for (const empty of ['extensions: {}\n', 'extensions:\n', 'extensions: null\n', 'extensions: ~ # none\n']) {
    assert.deepEqual(
      Object.keys(valueIn('yaml', await put(empty, entries.yaml), ['extensions']) ?? {}),
      ['work.x'],
      empty,
    );
  }
  for (const other of [
    'extensions: {a: {}}\n',
    '{"extensions": {}}',
    'extensions: &x\n  a: {}\nb: *x\n',
    'extensions: [a]\n',
    'extensions: text\n',
    'a: 1\n---\nb: 2\n',
    'extensions:\n\ta: {}\n',
  ]) {
    assert.equal((await putEntry(other, entries.yaml)).ok, false, other);
  }
});
