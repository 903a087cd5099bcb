import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { copyLines, exampleLines } from '../../../src/app/help/screen.js';
import { registry } from '../../../src/app/registry.js';

const linesAt = (width: number, command: string) => copyLines({ width, color: false }, command);

test('a command that is wider than the terminal goes on behind a backslash, never within quotes; other text stays whole', () => {
  const command = "postern request -X POST -d @body.json -H 'content-type: application/json' https://example.com/mcp";
  assert.deepEqual(linesAt(80, command), [
    "  postern request -X POST -d @body.json -H 'content-type: application/json' \\",
    '      https://example.com/mcp',
  ]);
  assert.deepEqual(linesAt(120, command), [`  ${command}`]);
  assert.deepEqual(linesAt(40, 'postern login https://example.com/mcp --name work'), [
    '  postern login \\',
    '      https://example.com/mcp --name \\',
    '      work',
  ]);
  const json = `{"error": "${'x'.repeat(50)}"}`;
  assert.deepEqual(linesAt(40, json), [`  ${json}`]);
  const yaml = '- {name: CREDENTIALS_DIRECTORY, value: /run/postern}';
  assert.deepEqual(linesAt(40, yaml), [`  ${yaml}`]);
});

test('a shell reads the same words from an example on any number of lines', () => {
  const examples = registry.flatMap(({ table }) => table.examples ?? []).map(({ command }) => command);
  const isPlain = (command: string) => /^postern [^|<>;&$`()…{}]*$/.test(command);
  const read = (text: string) =>
    spawnSync('sh', ['-c', `postern() { printf '%s\\n' "$@"; }\n${text}`], { encoding: 'utf8' }).stdout;
  const wide = examples.filter((command) => isPlain(command) && linesAt(40, command).length > 1);
  assert.ok(wide.length > 4, String(wide.length));
  const script = (lines: (command: string) => string) => wide.map(lines).join('\n');
  assert.equal(read(script((command) => linesAt(40, command).join('\n'))), read(script((command) => command)));
});

test('one long example does not push the texts of all others below their lines', () => {
  const long = `postern call work ${'a'.repeat(50)}`;
  const examples = [
    ['postern call work', 'its tools'],
    [long, 'a long one'],
    ['postern call work -l', 'what parameters mean'],
  ] as const;
  assert.deepEqual(exampleLines({ width: 80, color: false }, examples), [
    '  postern call work     its tools',
    `  ${long}`,
    '      a long one',
    '  postern call work -l  what parameters mean',
  ]);
  const narrow = exampleLines({ width: 40, color: false }, examples);
  assert.deepEqual(narrow.slice(0, 2), ['  postern call work', '      its tools'], 'where most have no room, none has');
});
