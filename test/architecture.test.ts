import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { breachesOf, budgets, limits, mayImport } from './architecture/breaches.js';
import { importsOf } from './architecture/imports.js';
import { lexSource } from './architecture/lexed-source.js';
import { countsIn, fieldWords, stillThere } from './architecture/words.js';
import { repositoryRoot } from './support/repository.js';

const files = await sources();

async function sources(): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(join(repositoryRoot, 'src'), { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts')).map((name) => `src/${name}`);
  const texts = files.map(async (file) => [file, await readFile(join(repositoryRoot, file), 'utf8')] as const);
  return new Map(await Promise.all(texts));
}

test('src keeps its rooms, package homes and sizes, and goes in no circle', () => {
  assert.ok(files.has('src/core/secret.ts'), 'the sources were found');
  const breaches = breachesOf(files).map(({ file, kind, detail }) => `${file}: ${kind}: ${detail}`);
  assert.deepEqual(breaches, []);
});

/** A condition that goes by the words of a failure, or of a step, and not by its data. */
const byWords =
  /\.(?:message|remedy|came)\b\s*(?:\.(?:includes|startsWith|endsWith|match|search|indexOf)\(|===|!==)|\.(?:test|exec)\([\w.?!]*\.(?:remedy|came)\b/;

test('nothing is decided by the words of a failure', () => {
  const found = [...files].filter(([file, text]) => !file.startsWith('src/sandbox/') && byWords.test(text));
  assert.deepEqual(
    found.map(([file]) => file),
    [],
  );
  assert.match("if (error.remedy.includes('postern '))", byWords);
});

/** A tree without a breach. */
const tree = new Map([
  ['src/core/a.ts', 'export const a = 1;\n'],
  ['src/http/h.ts', "import { a } from '../core/a.js';\nexport const h = a;\n"],
  ['src/stores/k.ts', "import type { a } from '../core/a.js';\nexport type K = typeof a;\n"],
  ['src/sandbox/s.ts', "import { a } from '../core/a.js';\nimport 'node:http';\nexport const s = a;\n"],
  [
    'src/login/l.ts',
    "import { h } from '../http/h.js';\nimport type { K } from '../stores/k.js';\nexport type L = K;\nh;\n",
  ],
  ['src/main.ts', "import type { L } from './login/l.js';\nexport type M = L;\n"],
]);

/** Breaches that one planted file causes in it. */
function planted(file: string, text: string): readonly string[] {
  return breachesOf(new Map([...tree, [file, text]])).map(({ kind }) => kind);
}

test('a planted import out of its room is seen, of whatever form it is', () => {
  assert.deepEqual(breachesOf(tree), []);
  const out = [
    "import { l } from '../login/l.js';",
    "import type { L } from '../login/l.js';",
    "import {\n  type L,\n  l,\n} from '../login/l.js';",
    "import * as l from '../login/l.js';",
    "import l from '../login/l.js';",
    "import{l}from '../login/l.js';",
    'import "../login/l.js";',
    "export { l } from '../login/l.js';",
    "export * from '../login/l.js';",
    "export type { L } from '../login/l.js';",
    "const l = async () => (await import('../login/l.js')).l;",
    "type L = typeof import('../login/l.js');",
    "const l = require('../login/l.js');",
  ];
  for (const text of out) {
    assert.ok(planted('src/stores/x.ts', text).includes('outside its room'), text);
    assert.deepEqual(planted('src/call/x.ts', text), ['outside its room'], text);
    assert.deepEqual(planted('src/login/x.ts', text), [], text);
    assert.deepEqual(planted('src/app/x.ts', text), [], text);
  }
});

test('a planted import between rooms that may not know each other is seen, and no other', () => {
  const rooms = Object.keys(mayImport).filter((room) => !['main', 'hot-path', 'demo'].includes(room));
  for (const room of rooms) {
    for (const other of rooms.filter((each) => each !== room)) {
      // The target need not be there: what counts is where it would be.
      const found = planted(`src/${room}/x.ts`, `import { z } from '../${other}/z.js';`);
      const isSeen = found.includes('outside its room');
      assert.equal(isSeen, !mayImport[room]?.includes(other), `${room} ${other}`);
    }
  }
  for (const feature of ['login', 'call', 'bridge', 'proxy', 'credential', 'setup']) {
    assert.equal(mayImport[feature]?.includes('login'), false, feature);
    assert.equal(mayImport[feature]?.includes('app'), false, feature);
  }
  assert.deepEqual(mayImport['core'], []);
  assert.deepEqual(mayImport['sandbox'], ['http', 'core']);
  assert.deepEqual(planted('src/app/x.ts', "import { t } from '../../test/t.js';"), ['leaves src']);
  assert.deepEqual(planted('src/utils/x.ts', ''), ['unknown room']);
});

test('a planted package outside its home is seen', () => {
  const homes = {
    oauth4webapi: 'oauth',
    undici: 'http',
    open: 'login/browser',
    ora: 'app',
    keytar: 'stores/keychain',
    yargs: 'app',
    'oidc-provider': 'sandbox',
    jose: 'oauth sandbox',
    '@modelcontextprotocol/server': 'sandbox',
  };
  const rooms = ['core', 'http', 'stores', 'stores/keychain', 'oauth', 'login', 'login/browser', 'app', 'sandbox'];
  for (const [name, home] of Object.entries(homes)) {
    for (const room of rooms) {
      const found = planted(`src/${room}/x.ts`, `const x = () => import('${name}/part');`);
      assert.deepEqual(found, home.split(' ').includes(room) ? [] : ['package outside its home'], `${name} in ${room}`);
    }
  }
  for (const room of ['core', 'oauth', 'mcp', 'tokens', 'login', 'call', 'bridge', 'credential', 'setup', 'config']) {
    assert.deepEqual(planted(`src/${room}/x.ts`, "import { x } from 'node:fs';"), ['package outside its home'], room);
  }
  for (const file of ['src/http/x.ts', 'src/stores/x.ts', 'src/sandbox/x.ts', 'src/demo.ts', 'src/app/x.ts']) {
    assert.deepEqual(planted(file, "import { x } from 'node:fs';"), [], file);
  }
  assert.deepEqual(planted('src/app/x.ts', "import x from 'left-pad';"), ['package outside its home']);
  assert.deepEqual(planted('src/http/x.ts', "import { fetch } from 'undici';"), ['package loaded at import']);
  assert.deepEqual(planted('src/http/x.ts', "import type { Agent } from 'undici';"), []);
});

test('a planted circle is seen: of files, of rooms, of the folders of a room, through types and late imports', () => {
  const loop = (text: string) => planted('src/core/a.ts', text);
  assert.deepEqual(loop("import { a } from './a.js';"), ['circle of files']);
  for (const text of [
    "import { h } from '../http/h.js';",
    "const h = () => import('../http/h.js');",
    "import type { h } from '../http/h.js';",
  ]) {
    assert.deepEqual(loop(text), ['outside its room', 'circle of files', 'circle of folders'], text);
  }
  const folders = (back: string) =>
    breachesOf(
      new Map([
        ['src/login/device/a.ts', "import { b } from '../browser/b.js';"],
        ['src/login/browser/b.ts', 'export const b = 1;'],
        ['src/login/browser/c.ts', back],
        ['src/login/device/d.ts', 'export const d = 1;'],
      ]),
    ).map(({ kind }) => kind);
  assert.deepEqual(folders("import { d } from '../device/d.js';"), ['circle of folders']);
  assert.deepEqual(folders("import type { d } from '../device/d.js';"), ['circle of folders']);
  assert.deepEqual(folders(''), []);
});

test('a planted default export, module state, use of the process, long file and platform’s time limit are seen', () => {
  for (const text of [
    'export default 1;',
    'export default function x() {}',
    'const a = 1;\nexport { a as default };',
  ]) {
    assert.deepEqual(planted('src/app/x.ts', text), ['default export'], text);
  }
  assert.deepEqual(planted('src/stores/x.ts', "import { default as x } from 'node:os';"), []);
  assert.deepEqual(planted('src/login/x.ts', 'let count = 0;'), ['module state']);
  assert.deepEqual(planted('src/login/x.ts', 'export let count = 0;'), ['module state']);
  assert.deepEqual(planted('src/login/x.ts', "const x = process.env['X'];"), ['touches the process']);
  assert.deepEqual(planted('src/oauth/x.ts', 'console.log(1);'), ['touches the process']);
  assert.deepEqual(planted('src/stores/x.ts', 'const x = process.pid;'), []);
  assert.deepEqual(planted('src/call/x.ts', '\n'.repeat(300).concat('a;\n')), ['file too long']);
  assert.deepEqual(planted('src/call/x.ts', 'a;\n'.repeat(300)), []);
  assert.deepEqual(planted('src/call/x.ts', 'const x = (name: string) => import(name);'), ['computed import']);
  assert.deepEqual(planted('src/call/x.ts', 'const x = AbortSignal.timeout(5);'), ['limit that is collected']);
});

test('a folder with too many files, and a room with more files, lines or kilobytes than its budget, are seen', () => {
  const many = (count: number, folder: (at: number) => string, text = 'a;\n') =>
    breachesOf(new Map(Array.from({ length: count }, (_, at) => [`src/${folder(at)}/x${at}.ts`, text] as const)));
  const kinds = (found: ReturnType<typeof many>) => found.map(({ kind }) => kind);
  assert.deepEqual(kinds(many(limits.filesOfFolder, () => 'call')), []);
  assert.deepEqual(kinds(many(limits.filesOfFolder + 1, () => 'call')), ['folder too full']);
  const [files, lines, kilobytes] = budgets['call'] ?? [0, 0, 0];
  const inCall = (at: number) => `call/f${at}`;
  assert.deepEqual(kinds(many(files, inCall)), []);
  assert.deepEqual(kinds(many(files + 1, inCall)), ['over its budget']);
  assert.deepEqual(kinds(many(1, inCall, 'a;\n'.repeat(lines + 1))), ['file too long', 'over its budget']);
  assert.deepEqual(kinds(many(1, inCall, `// ${'a'.repeat(kilobytes * 1000)}\n`)), ['over its budget']);
});

test('imports are told from text that looks like them', () => {
  const quiet = [
    "// import { x } from 'yargs';",
    "/* import('undici')\n export default 1 */",
    'const help = \'import x from "yargs"\';',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
    "const help = `import { x } from 'yargs'; ${['a'].map((x) => `${x} import('ora')`)} export default`;",
    'const pattern = /[`\'"]import/; // `',
    'const half = (1 / 2) / 3; const s = \'import("ora")\';',
  ];
  for (const text of quiet) {
    assert.deepEqual(importsOf(text), [], text);
  }
  const after = quiet.map((text) => `${text}\nimport { y } from 'yargs';`);
  for (const text of after) {
    assert.deepEqual(importsOf(text), [{ target: 'yargs', when: 'static' }], text);
  }
  // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
  assert.deepEqual(importsOf("const t = `${await import('ora')}`;"), [{ target: 'ora', when: 'dynamic' }]);
});

test('identifiers use the field’s words; where ours still stand, they become fewer', () => {
  const found = new Map<string, number>();
  for (const text of files.values()) {
    for (const [word, count] of countsIn(lexSource(text).code)) found.set(word, (found.get(word) ?? 0) + count);
  }
  const more = [...found].filter(([word, count]) => count > (stillThere[word] ?? 0));
  assert.deepEqual(
    more.map(([word, count]) => `${word}: ${count} (say ${fieldWords[word]})`),
    [],
  );
});

test('a planted word is seen, in whatever form, and words that only look like one are not', () => {
  const planted = 'const judgedAnswer = theDoor.laneOf(courier); interface Errands {} renewal(mostPlaces);';
  assert.deepEqual([...countsIn(planted).keys()].sort(), [
    'answer',
    'courier',
    'door',
    'errand',
    'judge',
    'lane',
    'most',
    'place',
    'renew',
  ]);
  assert.deepEqual([...countsIn('const failure = later.replace(almost, placement, translate, utmost);').keys()], []);
});
