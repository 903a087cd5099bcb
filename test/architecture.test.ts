import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { breachesOf } from './architecture/breaches.js';
import { importsOf } from './architecture/imports.js';
import { repositoryRoot } from './support/repository.js';

async function sources(): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(join(repositoryRoot, 'src'), { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts')).map((name) => `src/${name}`);
  const texts = files.map(
    async (file) => [file, await readFile(join(repositoryRoot, file), 'utf8')] as const,
  );
  return new Map(await Promise.all(texts));
}

test('src keeps its layers, package homes, sizes, and has no cycle', async () => {
  const files = await sources();
  assert.ok(files.has('src/primitives/secret.ts'), 'the sources were found');
  const breaches = breachesOf(files).map(({ file, kind, detail }) => `${file}: ${kind}: ${detail}`);
  assert.deepEqual(breaches, []);
});

/** Breaches that one planted file causes in a tree that has none. */
function planted(file: string, text: string): readonly string[] {
  const tree = new Map([
    ['src/primitives/a.ts', 'export const a = 1;\n'],
    ['src/errors/b.ts', "import { a } from '../primitives/a.js';\nexport const b = a;\n"],
    ['src/ports.ts', "import type { a } from './primitives/a.js';\nexport type P = typeof a;\n"],
    [
      'src/sandbox/s.ts',
      "import { a } from '../primitives/a.js';\nimport 'node:http';\nexport const s = a;\n",
    ],
    [
      'src/flows/f.ts',
      "import { b } from '../errors/b.js';\nimport type { P } from '../ports.js';\nexport type F = P;\nb;\n",
    ],
  ]);
  assert.deepEqual(breachesOf(tree), []);
  return breachesOf(new Map([...tree, [file, text]])).map(({ kind }) => kind);
}

test('a planted import that points up is seen, of whatever form it is', () => {
  const up = [
    "import { f } from '../flows/f.js';",
    "import type { F } from '../flows/f.js';",
    "import {\n  type F,\n  f,\n} from '../flows/f.js';",
    "import * as f from '../flows/f.js';",
    "import f from '../flows/f.js';",
    "import{f}from '../flows/f.js';",
    'import "../flows/f.js";',
    "export { f } from '../flows/f.js';",
    "export * from '../flows/f.js';",
    "export type { F } from '../flows/f.js';",
    "const f = async () => (await import('../flows/f.js')).f;",
    "type F = typeof import('../flows/f.js');",
    "const f = require('../flows/f.js');",
  ];
  for (const text of up) {
    assert.deepEqual(planted('src/errors/x.ts', text), ['points up'], text);
    assert.deepEqual(planted('src/flows/x.ts', text), [], text);
  }
});

test('a planted import between layers that may not know each other is seen', () => {
  assert.deepEqual(planted('src/cli/x.ts', "import { p } from '../protocol/p.js';"), ['points up']);
  assert.deepEqual(planted('src/flows/x.ts', "import { p } from '../system/p.js';"), ['points up']);
  assert.deepEqual(planted('src/system/x.ts', "import { f } from '../flows/f.js';"), ['points up']);
  assert.deepEqual(planted('src/sandbox/x.ts', "import { b } from '../errors/b.js';"), ['points up']);
  assert.deepEqual(planted('src/main.ts', "import { f } from './flows/f.js';"), ['points up']);
  assert.deepEqual(planted('src/main.ts', "import type { F } from './flows/f.js';"), []);
  assert.deepEqual(
    planted('src/demo/x.ts', "import { s } from '../sandbox/s.js';\nimport '../main.js';"),
    [],
  );
  assert.deepEqual(planted('src/flows/x.ts', "import { P } from '../ports.js';"), ['ports hold types only']);
  assert.deepEqual(planted('src/ports.ts', "import { a } from './primitives/a.js';"), [
    'ports hold types only',
  ]);
  assert.deepEqual(planted('src/cli/x.ts', "import { t } from '../../test/t.js';"), ['leaves src']);
  assert.deepEqual(planted('src/utils/x.ts', ''), ['unknown layer']);
});

test('the sandbox is loaded by its command alone, and only when it runs', () => {
  const late = "const s = () => import('../../sandbox/s.js');";
  assert.deepEqual(planted('src/cli/commands/sandbox.ts', late), []);
  assert.deepEqual(planted('src/cli/commands/login.ts', late), ['points up']);
  assert.deepEqual(planted('src/cli/commands/sandbox.ts', "import { s } from '../../sandbox/s.js';"), [
    'points up',
  ]);
});

test('a planted package outside its home is seen', () => {
  const homes = {
    oauth4webapi: 'protocol',
    undici: 'system',
    open: 'system',
    ora: 'system',
    keytar: 'system',
    yargs: 'cli',
  };
  const ofSandbox = {
    'oidc-provider': 'sandbox',
    jose: 'sandbox',
    '@modelcontextprotocol/server': 'sandbox',
  };
  for (const [name, home] of Object.entries({ ...homes, ...ofSandbox })) {
    for (const layer of ['primitives', 'errors', 'protocol', 'flows', 'cli', 'system', 'sandbox']) {
      const found = planted(`src/${layer}/x.ts`, `const x = () => import('${name}/part');`);
      assert.deepEqual(found, layer === home ? [] : ['package outside its home'], `${name} in ${layer}`);
    }
  }
  for (const layer of ['primitives', 'errors', 'protocol', 'flows', 'cli']) {
    assert.deepEqual(
      planted(`src/${layer}/x.ts`, "import { x } from 'node:fs';"),
      ['package outside its home'],
      layer,
    );
  }
  for (const file of ['src/system/x.ts', 'src/sandbox/x.ts', 'src/main.ts', 'src/demo.ts', 'src/demo/x.ts']) {
    assert.deepEqual(planted(file, "import { x } from 'node:fs';"), [], file);
  }
  assert.deepEqual(planted('src/system/x.ts', "import x from 'left-pad';"), ['package outside its home']);
  assert.deepEqual(planted('src/system/x.ts', "import { fetch } from 'undici';"), [
    'package loaded at import',
  ]);
  assert.deepEqual(planted('src/system/x.ts', "import type { Agent } from 'undici';"), []);
});

test('a planted cycle is seen, also through a late import; types make none', () => {
  const loop = (text: string) => planted('src/primitives/a.ts', text);
  assert.deepEqual(loop("import { a } from './a.js';"), ['cycle']);
  assert.deepEqual(loop("import { b } from '../errors/b.js';"), ['points up', 'cycle']);
  assert.deepEqual(loop("const b = () => import('../errors/b.js');"), ['points up', 'cycle']);
  assert.deepEqual(loop("import type { B } from '../errors/b.js';"), ['points up']);
});

test('a planted default export, module state, use of the process and long file are seen', () => {
  for (const text of [
    'export default 1;',
    'export default function x() {}',
    'const a = 1;\nexport { a as default };',
  ]) {
    assert.deepEqual(planted('src/cli/x.ts', text), ['default export'], text);
  }
  assert.deepEqual(planted('src/system/x.ts', "import { default as x } from 'node:os';"), []);
  assert.deepEqual(planted('src/flows/x.ts', 'let count = 0;'), ['module state']);
  assert.deepEqual(planted('src/flows/x.ts', 'export let count = 0;'), ['module state']);
  assert.deepEqual(planted('src/flows/x.ts', "const x = process.env['X'];"), ['touches the process']);
  assert.deepEqual(planted('src/protocol/x.ts', 'console.log(1);'), ['touches the process']);
  assert.deepEqual(planted('src/system/x.ts', 'const x = process.pid;'), []);
  assert.deepEqual(planted('src/cli/x.ts', '\n'.repeat(300).concat('a;\n')), ['too long']);
  assert.deepEqual(planted('src/cli/x.ts', 'a;\n'.repeat(300)), []);
  assert.deepEqual(planted('src/cli/x.ts', 'const x = (name: string) => import(name);'), ['computed import']);
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
