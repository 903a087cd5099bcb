// The last step of `npm run build`: bundles the compiled sources in build/ to dist/, which is what bin/ starts. What is
// shipped can be read: nothing is minified, and source maps lead to our TypeScript.
//
//   hot-path.js        `postern token` and `credential` with a valid token
//   keychain-child.js  the process that is started, and can be killed, where a keychain may hang
//   main.js            every other command; each command, and each package, is loaded when it is used
//   man/, topics/      pages of the manual, made of the commands' tables and the topics; the topics themselves
//   schemas/           JSON schemas of results
//   compiled/          what V8 made of these files, written by bin/load.js
//
// CommonJS, because Node.js loads it faster. The numbers behind this stand in test/bench/README.md.
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundledPackages, licensesOf } from './bundled-packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = join(root, 'build', 'src');
const parts = join(root, 'build', 'parts');
const dist = join(root, 'dist');

const common = {
  absWorkingDir: root,
  platform: 'node',
  target: 'node20.19',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none', // all licences are in THIRD-PARTY-LICENSES.txt
  logLevel: 'warning',
  metafile: true,
  // Node.js 20 has these. What esbuild would write in their place is compiled at the start, used or not.
  supported: { 'regexp-unicode-property-escapes': true, 'regexp-set-notation': true },
};

const commonJs = {
  ...common,
  format: 'cjs',
  outdir: dist,
  write: false,
  define: { 'import.meta.filename': '__filename', 'import.meta.dirname': '__dirname', 'import.meta.url': '__address' },
};

const alone = await build({
  ...commonJs,
  bundle: true,
  entryPoints: {
    'hot-path': join(compiled, 'hot-path.js'),
    'keychain-child': join(compiled, 'stores', 'keychain', 'keychain-child.js'),
  },
});

rmSync(parts, { recursive: true, force: true });
const split = await build({
  ...common,
  bundle: true,
  format: 'esm',
  splitting: true,
  mainFields: ['module', 'main'],
  outdir: parts,
  entryPoints: { main: join(compiled, 'main.js') },
  // Every file begins with what each command needs. Else esbuild makes a file for each set of modules that the same commands
  // share: 94 of them for `--help`, where this makes 15.
  inject: [join(compiled, 'main.js')],
  keepNames: true, // oidc-provider finds its parts by the names of classes and functions
});

writeFileSync(join(parts, 'package.json'), '{}'); // as modules of esbuild's own: `default` is what one of them exports so
const program = await build({
  ...commonJs,
  entryPoints: readdirSync(parts).filter((name) => name.endsWith('.js')).map((name) => join(parts, name)),
  banner: { js: 'const __address = `file://${__filename}`;' }, // for yargs, which looks for its translations by it
  supported: { ...common.supported, 'dynamic-import': false }, // the first `import` of a process takes 4 ms, `require` none
});

mkdirSync(dist, { recursive: true });
const before = readdirSync(dist);
// `main` names the others, and so comes last.
const isMain = ({ path }) => Number(/main\.js$/.test(path));
const files = [...alone.outputFiles, ...program.outputFiles].sort((one, other) => isMain(one) - isMain(other));
const written = files.map(({ path, contents }) => write(path.slice(dist.length + 1), contents));
write('package.json', '{}'); // these are CommonJS, the package is not
const bundled = bundledPackages(root, [alone.metafile, split.metafile]);
write('THIRD-PARTY-LICENSES.txt', licensesOf(bundled));
writeFileSync(join(root, 'build', 'bundled.json'), JSON.stringify(bundled));
for (const folder of ['man', 'schemas', 'topics', 'compiled']) rmSync(join(dist, folder), { recursive: true, force: true });
cpSync(join(root, 'src', 'app', 'schemas'), join(dist, 'schemas'), { recursive: true });
cpSync(join(root, 'src', 'app', 'help', 'topics'), join(dist, 'topics'), { recursive: true });
const { manPages } = await import(pathToFileURL(join(compiled, 'app', 'help', 'man-pages.js')).href);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
mkdirSync(join(dist, 'man'));
for (const { file, text } of manPages(version)) write(join('man', file), text);
const kept = new Set([...written, 'package.json', 'THIRD-PARTY-LICENSES.txt', 'man', 'schemas', 'topics']);
for (const name of before) if (!kept.has(name)) rmSync(join(dist, name), { recursive: true, force: true });


/** A program that starts meanwhile finds the old file or the new one, whole. */
function write(name, content) {
  writeFileSync(join(dist, `${name}.draft`), content);
  renameSync(join(dist, `${name}.draft`), join(dist, name));
  return name;
}
