import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { copyLines } from '../../../src/app/help/screen.js';
import { registry } from '../../../src/app/registry.js';

const linesAt = (width: number, command: string) => copyLines({ width, color: false }, command);

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
