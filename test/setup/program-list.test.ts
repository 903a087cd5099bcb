import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntryHere, ListedProgram } from '../../src/setup/list-programs.js';
import { programs } from '../../src/setup/programs/programs.js';
import { programList } from '../../src/setup/render.js';

const found: Readonly<Record<string, string>> = {
  git: '/usr/bin/git',
  kubectl: '/opt/tools/of/a/company/with/a/long/name/bin/kubectl',
};

const entry: EntryHere = { server: 'https://mcp.example/mcp', path: '/home/a/.cursor/mcp.json', state: 'same' };

const all = programs.map(
  (program): ListedProgram => ({
    program,
    command: found[program.name],
    file: undefined,
    hasFile: false,
    entries: program.name === 'cursor' ? [entry] : [],
  }),
);

const drawn = (width: number, isWhole = true) => programList(all, { width, color: false }, isWhole);

test('setup --list shows what is here or was set up; with --all of the others their names', () => {
  const [heading, ...lines] = drawn(80);
  assert.match(heading ?? '', /^PROGRAM +WAY +FOUND$/);
  const end = lines.indexOf('');
  assert.deepEqual(
    lines.slice(0, end).map((line) => line.trim().split(/ {2,}/)),
    [
      ['git', 'credential', '/usr/bin/git'],
      ['kubectl', 'credential', '/opt/tools/of/a/company/with/a/long/name/bin/kubectl'],
      ['cursor', 'bridge', 'not found'],
      ['set up: https://mcp.example/mcp'],
    ],
  );
  const names = lines.slice(end + 2, -2).join(' ');
  for (const { name } of programs) {
    assert.equal(
      new RegExp(`(?:^|[ ,])${name}(?:,|$)`).test(names),
      !['git', 'kubectl', 'cursor'].includes(name),
      name,
    );
  }
  assert.ok(lines.length < 16, 'on one screen');
});

test('without --all the others are counted', () => {
  const lines = drawn(80, false);
  assert.deepEqual(lines.slice(0, -2), drawn(80).slice(0, lines.length - 2));
  assert.match(lines.at(-2) ?? '', new RegExp(`\\b${programs.length - 3}\\b.*postern setup --list --all$`));
});
