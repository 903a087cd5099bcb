import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { startWords } from '../../src/setup/machine/external-programs.js';
import { gitLine } from '../../src/setup/programs/access-programs.js';
import { callWords, isExpanded, shellLine } from '../../src/setup/programs/program.js';
import { anyText } from '../support/arbitraries.js';
import { temporaryFolder } from '../support/temporary.js';
import { machine } from './workshop.js';

const argument = anyText().filter((word) => !word.includes('\0'));
const print = [process.execPath, '-e', 'process.stdout.write(JSON.stringify(process.argv.slice(1)))', '--'];

test('a shell line reaches the program word for word, whatever is in it [A-269]', () => {
  fc.assert(
    fc.property(fc.array(argument, { minLength: 1, maxLength: 30 }), (words) => {
      for (const line of [shellLine('linux', [...print, ...words]), gitLine('linux', [...print, ...words]).slice(1)]) {
        const { stdout } = spawnSync('sh', ['-c', line ?? 'false'], { encoding: 'utf8' });
        assert.deepEqual(JSON.parse(stdout), words);
      }
    }),
    { numRuns: 12 },
  );
});

test('on Windows words are quoted for cmd, and what cmd would replace is refused', () => {
  const node = 'C:\\Program Files\\nodejs\\node.exe';
  const line = shellLine('win32', [node, 'C:\\p\\postern.js', 'credential', 'headers', 'work']);
  assert.equal(line, '"C:\\Program Files\\nodejs\\node.exe" C:\\p\\postern.js credential headers work');
  for (const word of ['https://h/%7Ea', 'a"b', 'a!b', 'a^b', 'a\nb']) {
    assert.equal(shellLine('win32', [node, word]), undefined, word);
  }
  assert.equal(shellLine('win32', ['https://h/a?b&c']), '"https://h/a?b&c"');
  assert.equal(gitLine('win32', [node, 'x']), "!'C:/Program Files/nodejs/node.exe' x");
});

test('words that a program would replace by variables are refused', () => {
  for (const word of ['/home/$USER/x', 'a${'.concat('HOME}'), '{env:HOME}', '{file:/etc/passwd}']) {
    assert.ok(isExpanded(['node', word]), word);
  }
  assert.ok(!isExpanded(callWords('bridge', { machine: machine({}), server: 'https://h/mcp', options: [] })));
});

test('paths are chosen that hold longest, and how long is said', async () => {
  await using folder = await temporaryFolder();
  const make = (...parts: string[]) => {
    const path = join(folder.path, ...parts);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, '');
    return path;
  };
  const global = make('lib', 'node_modules', 'postern', 'bin', 'postern.js');
  const link = join(folder.path, 'postern');
  symlinkSync(global, link);
  assert.deepEqual(startWords('/usr/bin/node', link), { node: '/usr/bin/node', script: global, lasts: 'upgrades' });
  const nvm = '/home/a/.nvm/versions/node/v20.20.2/bin/node';
  assert.equal(startWords(nvm, global).lasts, 'this-version-of-node');
  const npx = make('_npx', '0a1b', 'node_modules', 'postern', 'bin', 'postern.js');
  assert.equal(startWords('/usr/bin/node', npx).lasts, 'cache');
  assert.equal(startWords('/usr/bin/node', make('src', 'bin', 'postern.js')).lasts, 'checkout');
  const cellar = make('Cellar', 'node', '22.1.0', 'bin', 'node');
  mkdirSync(join(folder.path, 'opt'));
  symlinkSync(join(folder.path, 'Cellar', 'node', '22.1.0'), join(folder.path, 'opt', 'node'));
  assert.equal(startWords(cellar, global).node, join(folder.path, 'opt', 'node', 'bin', 'node'));
});
