import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Entry, rawEntry } from '../../src/setup/formats/entry.js';
import { gitVariables } from '../../src/setup/formats/git-config.js';
import { tomlAt } from '../../src/setup/formats/toml.js';
import { yamlAt } from '../../src/setup/formats/yaml.js';
import { needs } from '../support/needs.js';
import { temporaryFolder } from '../support/temporary.js';
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
  git: {
    key: { format: 'git', section: 'credential', subsection: 'https://h/a"b\\' },
    holds: [
      ['helper', ''],
      ['helper', `!${command}`],
      ['useHttpPath', 'true'],
    ],
  },
  kubeconfig: {
    key: { format: 'kubeconfig', user: 'work' },
    holds: {
      apiVersion: 'v1',
      command: '/n "o"',
      args: ['a', 'b: #c'],
      interactiveMode: 'Never',
      provideClusterInfo: true,
    },
  },
  yaml: {
    key: { format: 'yaml', path: ['extensions', 'work.x'] },
    holds: {
      members: { enabled: true, type: 'stdio', name: 'no', cmd: '/n "o"', args: ['a', 'b: #c', '7', ''] },
      without: ['uri', 'headers'],
    },
  },
  line: { key: { format: 'line', prefix: 'GOAUTH=' }, holds: 'GOAUTH=netrc; x' },
} as const satisfies Record<string, Entry>;

/** Files as people have them. */
const files: Record<keyof typeof entries, readonly string[]> = {
  toml: [
    'model = "x" # mine\n\n[mcp_servers.a]\ncommand = "c"\nargs = [\n  "[mcp_servers.x]", # no table\n  \'\'\'\n[t]\n\'\'\',\n]\n\n[mcp_servers.a.env]\nK = "v"\n\n# the end\n',
    '[tui]\nnotifications = true',
    'd = 1979-05-27 07:32:00 # a date\ns = """a "quoted" \\""" \n"""\n',
  ],
  git: [
    '[user]\n\tname = A # me\n[credential]\n\thelper = cache \\\n  --timeout=3\n[alias]\n\tx = "!f() { echo a; }; f"\n',
    '# only this',
  ],
  kubeconfig: [
    'apiVersion: v1\nkind: Config\nclusters:\n- cluster:\n    server: https://h\n  name: c\nusers:\n- name: a\n  user:\n    token: x\n# end\ncurrent-context: ""\n',
    'users:\n  - user: {}\n    name: "a"\n',
    'users: []\n',
    'kind: Config\n',
  ],
  yaml: [
    '# mine\nmode: auto # m\nextensions:\n  # first\n  a: # keep\n    enabled: true\n    args:\n    - -y # yes\n\n    text: |\n      a: b\n\n      c\n\n# the end\nlast: [1, 2]\n',
    '---\nextensions:\n    a:\n        b: c\n',
    'mode: auto\nextensions: {}\nlast: "x"\n',
    'mode: auto',
  ],
  line: ['# go\nGOFLAGS=-mod=mod\nGOPROXY=direct\n', 'GOFLAGS=x'],
};

function put(text: string, entry: Entry): string {
  const result = putEntry(text, entry);
  assert.ok(result.ok, `${result.ok || result.problem}: ${text}`);
  return result.text;
}

const forms = [
  (text: string) => text,
  (text: string) => text.replaceAll('\n', '\r\n'),
  (text: string) => `\ufeff${text}`,
];

for (const [format, entry] of Object.entries(entries) as [keyof typeof entries, Entry][]) {
  test(`${format}: twice is once, nothing else changes, and taking it away leaves what was there`, () => {
    for (const file of files[format].flatMap((text) => forms.map((form) => form(text)))) {
      const made = put(file, entry);
      assert.equal(put(made, entry), made);
      assert.notEqual(made, file);
      const raw = rawEntry(made, entry.key);
      assert.ok(raw !== undefined);
      const body = file.replace(
        format === 'kubeconfig' ? /users: \[\]\r?\n/ : format === 'yaml' ? /extensions: \{\}\r?\n/ : /^\b$/,
        '',
      );
      for (const line of body.split('\n')) assert.ok(made.includes(line.trimEnd()), line);
      assert.equal(/(?<!\r)\n/.test(made), /(?<!\r)\n/.test(file) || !file.includes('\n'), 'line endings');
      const undone = restoreEntry(made, entry.key, undefined);
      assert.ok(undone.ok);
      if (file.endsWith('\n') && !/^\ufeff?kind: Config\s+$/.test(body) && body === file)
        assert.equal(undone.text, file);
      const changed = restoreEntry(made, entry.key, raw);
      assert.ok(changed.ok && changed.text === made);
    }
  });

  test(`${format}: a text of any kind is edited or refused, never broken`, () => {
    const marks = fc.string({
      unit: fc.constantFrom(
        ...'[]"\'=\\#\n\r .-:ab',
        'users:',
        'extensions:',
        '  work.x:',
        'GOAUTH=',
        '[credential "',
        '[mcp_servers.',
      ),
    });
    fc.assert(
      fc.property(fc.oneof(marks, fc.string()), (text) => {
        const result = putEntry(text, entry);
        if (!result.ok) return;
        const again = putEntry(result.text, entry);
        assert.ok(again.ok && again.text === result.text);
      }),
      { numRuns: 200 },
    );
  });
}

test('toml: pairs of others stay, what would win over ours goes; inline and dotted forms are refused', () => {
  const text =
    '[mcp_servers."work.x"] # mine\nurl = \'https://old\'\nbearer_token_env_var = "T"\nstartup_timeout_sec = 5\n\n[mcp_servers."work.x".env_http_headers]\nAuthorization = "T"\n\n[other]\n';
  const made = put(text, entries.toml);
  assert.equal(
    made,
    `[mcp_servers."work.x"] # mine\nurl = "https://h/mcp"\nstartup_timeout_sec = 5\nhttp_headers_helper = ${JSON.stringify(command)}\n\n\n[other]\n`,
  );
  assert.equal(tomlAt(made, [...entries.toml.key.path, 'http_headers_helper']), command);
  for (const inline of [
    'mcp_servers = {}\n',
    '[mcp_servers]\n"work.x" = { url = "u" }\n',
    'mcp_servers."work.x".url = "u"\n',
    '[[mcp_servers."work.x"]]\n',
    '[mcp_servers."work.x"]\n[a]\n[mcp_servers."work.x".env]\n',
  ]) {
    assert.deepEqual(putEntry(inline, entries.toml), { ok: false, problem: 'form' }, inline);
  }
  for (const bad of ['a = \n', 'a = "b\n', '[a\n', 'a b\n', 'a = [1\n', 'a = 1 2\n']) {
    assert.deepEqual(putEntry(bad, entries.toml), { ok: false, problem: 'unreadable' }, bad);
  }
});

test('yaml: members of others stay, what has no meaning any more goes, a list in another style is left alone', () => {
  const text =
    'extensions:\n  work.x: # mine\n    timeout: 60 # long\n    uri: https://old\n    headers:\n      Authorization: x\n    type: streamable_http\n    available_tools: []\n  b: {}\n';
  const made = put(text, entries.yaml);
  assert.equal(
    made,
    'extensions:\n  work.x: # mine\n    timeout: 60 # long\n    type: stdio\n    available_tools: []\n    enabled: true\n    name: "no"\n    cmd: "/n \\"o\\""\n    args:\n    - a\n    - "b: #c"\n    - "7"\n    - ""\n  b: {}\n',
  );
  assert.deepEqual(yamlAt(made, ['extensions', 'work.x', 'args']), entries.yaml.holds.members.args);
  const back = restoreEntry(made, entries.yaml.key, rawEntry(text, entries.yaml.key));
  assert.ok(back.ok && back.text === text);
  for (const empty of ['extensions: {}\n', 'extensions:\n', 'extensions: null\n', 'extensions: ~ # none\n']) {
    assert.deepEqual(Object.keys(yamlAt(put(empty, entries.yaml), ['extensions']) ?? {}), ['work.x'], empty);
  }
  for (const other of [
    'extensions: {a: {}}\n',
    '{"extensions": {}}',
    'extensions: &x\n  a: {}\nb: *x\n',
    'extensions: [a]\n',
    'extensions: text\n',
    'extensions:\n  work.x: {cmd: a}\n',
    'extensions:\n  ? work.x\n  : cmd: a\n',
    'a: 1\n---\nb: 2\n',
    'extensions:\n\ta: {}\n',
    '? mode\n: auto\n',
  ]) {
    assert.equal(putEntry(other, entries.yaml).ok, false, other);
  }
});

test('kubeconfig: the user of that name is replaced, other styles than kubectl’s are refused', () => {
  const text = 'users:\n- name: work\n  user:\n    token: old\n- name: b\n  user: {}\n';
  const made = put(text, entries.kubeconfig);
  assert.ok(!made.includes('old') && made.endsWith('- name: b\n  user: {}\n'));
  const back = restoreEntry(made, entries.kubeconfig.key, rawEntry(text, entries.kubeconfig.key) ?? '');
  assert.ok(back.ok && back.text === text);
  for (const other of [
    '{"users": []}',
    'users: [{name: a}]\n',
    'users: &a\n- name: x\n',
    'a: 1\n---\nb: 2\n',
    '"users":\n- name: a\n',
  ]) {
    assert.deepEqual(putEntry(other, entries.kubeconfig), { ok: false, problem: 'form' }, other);
  }
});

test('kubeconfig: a user whose anchor another value hangs on is left alone', () => {
  const text = 'a: &c /bin/a\nusers:\n- name: work\n  user:\n    token: &c /bin/b\n- name: b\n  user:\n    token: *c\n';
  assert.deepEqual(putEntry(text, entries.kubeconfig), { ok: false, problem: 'unreadable' });
  assert.equal(restoreEntry(text, entries.kubeconfig.key, undefined).ok, false);
  assert.ok(putEntry(text.replace('*c', 'x'), entries.kubeconfig).ok);
});

test('a value in another style behind users:, and a last line that goes on, are left alone', () => {
  for (const value of [' []\nusers: []\n', '\n  []\n', '\n  [ {name: a} ]\n', '\n  {}\n', '\n[]\n', '\n\t- a\n']) {
    assert.deepEqual(putEntry(`users:${value}`, entries.kubeconfig), { ok: false, problem: 'form' }, value);
  }
  for (const text of ['  kind: Config\n', '# mine\n\n  users: []\n', '- a\n']) {
    assert.deepEqual(putEntry(text, entries.kubeconfig), { ok: false, problem: 'form' }, text);
  }
  for (const text of ['[a]\n\tx = 1 \\\n', '[a]\n\tx = 1 \\', '[a]\r\n\tx = 1 \\\r\n']) {
    assert.deepEqual(putEntry(text, entries.git), { ok: false, problem: 'unreadable' }, text);
  }
  // A backslash at the end of a comment goes on nowhere.
  const made = put('[a]\n\tx = "#" # c \\\n', entries.git);
  assert.equal(put(`[a]\n\tx = 1 ; \\\n${made}`, entries.git), `[a]\n\tx = 1 ; \\\n${made}`);
  assert.ok(putEntry('[a]\n\tx = 1\n# \\\n', entries.git).ok);
});

test('git reads what was written, character by character', { skip: needs('git') }, async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'config');
  for (const text of files.git.flatMap((one) => forms.map((form) => form(one)))) {
    const made = put(text, entries.git);
    writeFileSync(file, made);
    const { stdout } = spawnSync('git', ['config', '--file', file, '--list', '-z'], { encoding: 'utf8' });
    const theirs = stdout
      .split('\0')
      .filter(Boolean)
      .map((one) => one.replace('\n', '='));
    const name = 'credential.https://h/a"b\\';
    assert.deepEqual(theirs.slice(-3), [`${name}.helper=`, `${name}.helper=!${command}`, `${name}.usehttppath=true`]);
    const ours = gitVariables(made).map(
      ({ section, subsection, name: key, value }) =>
        `${section}.${subsection === '' ? '' : `${subsection}.`}${key}=${value}`,
    );
    assert.deepEqual(ours, theirs);
  }
});
