import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { variable, windowsCommand } from '../../src/stores/run-program.js';

const files = new Set([
  'C:\\Program Files\\nodejs\\npx.cmd',
  'C:\\Program Files\\nodejs\\npx',
  'C:\\Windows\\System32\\where.exe',
  'C:\\tools\\both.exe',
  'C:\\tools\\both.cmd',
  'D:\\work\\here.exe',
  'D:\\work\\sub\\run.bat',
  'C:\\100%\\x.cmd',
]);
const env = {
  Path: 'C:\\Windows\\System32;"C:\\Program Files\\nodejs\\";.;\\tools;C:\\tools;C:\\100%',
  PATHEXT: '.COM;.EXE;.BAT;.CMD;.JS',
  SystemRoot: 'C:\\Windows',
};
const command = (...words: string[]) =>
  windowsCommand(words, { env, folder: 'D:\\work', isFile: (path) => files.has(path) });

test('a program is found by its name and what PATHEXT adds to it, on the PATH and nowhere else', () => {
  assert.deepEqual(command('where', 'a b'), { file: 'C:\\Windows\\System32\\where.exe', args: ['a b'] });
  assert.deepEqual(command('WHERE.EXE'.toLowerCase()).file, 'C:\\Windows\\System32\\where.exe');
  assert.equal(command('both').file, 'C:\\tools\\both.exe');
  assert.throws(() => command('here'), { code: 'ENOENT' }, 'the working folder is not searched');
  assert.throws(() => command(''), { code: 'ENOENT' });
  assert.equal(command('.\\here').file, 'D:\\work\\here.exe');
  assert.equal(command('D:\\work\\here.exe').file, 'D:\\work\\here.exe');
  assert.match(command('sub/run').args.join(' '), /"D:\\work\\sub\\run.bat"/);
  assert.equal(variable({ Path: 'x' }, 'PATH'), 'x');
});

test('a batch file is run by cmd.exe, and none of its arguments is a command of its own', () => {
  const { file, args, windowsVerbatimArguments } = command(
    'npx',
    '-y',
    'a & calc',
    '%PATH%',
    'say "hi"',
    'end\\',
    '',
    '^|<>',
  );
  assert.equal(file, 'C:\\Windows\\System32\\cmd.exe');
  assert.equal(windowsVerbatimArguments, true);
  assert.deepEqual(args.slice(0, -1), ['/e:ON', '/v:OFF', '/d', '/c']);
  const words = [
    '"C:\\Program Files\\nodejs\\npx.cmd"',
    '-y',
    '"a & calc"',
    '"%%cd:~,%PATH%%cd:~,%"',
    '"say ""hi"""',
    '"end\\\\"',
    '""',
    '"^|<>"',
  ];
  assert.equal(args.at(-1), `"${words.join(' ')}"`);
  assert.match(command('x').args.at(-1) ?? '', /^""C:\\100%%cd:~,%\\x\.cmd""$/);
  for (const bad of ['a\nb', 'a\rb', 'a\0b']) assert.throws(() => command('npx', bad), { code: 'EINVAL' });
});

test('whatever an argument holds, it stays within its quotes, and no variable is named by it', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', '\\', '%', '&', '^', ' ', 'a', '!') }), (word) => {
      const line = command('npx', word).args.at(-1)?.slice(1, -1) ?? '';
      const own = line.slice('"C:\\Program Files\\nodejs\\npx.cmd" '.length);
      const plain = own.replaceAll('%%cd:~,%', '\u0001');
      assert.doesNotMatch(plain, /%/);
      assert.equal((plain.match(/"/g) ?? []).length % 2, 0, 'cmd.exe counts quotes');
      let quoted = false;
      for (const character of plain) {
        if (character === '"') quoted = !quoted;
        else if (/[&^|<> ]/.test(character)) assert.ok(quoted, plain);
      }
      assert.equal(wordOf(own), word);
    }),
  );
});

/** What a program of Microsoft's C library makes of one quoted argument, once cmd.exe has replaced its variables. */
function wordOf(text: string): string {
  const plain = text.replaceAll('%%cd:~,%', '%');
  if (!plain.startsWith('"')) return plain;
  const inside = plain.slice(1, -1);
  return inside.replaceAll(/(\\+)(?=""|$)|""/g, (_found, slashes: string | undefined) =>
    slashes === undefined ? '"' : '\\'.repeat(slashes.length / 2),
  );
}
