// The last step of `npm run build`: bundles the compiled sources in build/ to dist/, which is what bin/ starts.
//
//   fast-path.cjs   `postern token` with a valid token: CommonJS, since `import` costs 4 ms more
//   main.js         everything else, split where the program imports late; yargs inside (it halves the start),
//                   the other runtime packages beside it, loaded when they are used
//   sandbox parts   with all of their packages inside, so that users of `login` need not install them
//
// The numbers behind this stand in src/README.md.
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = join(root, process.argv[2] ?? 'build', 'src');
const dist = join(root, process.argv[3] ?? 'dist');
const installed = ['keytar', '@napi-rs/*', 'oauth4webapi', 'open', 'ora', 'undici'];

mkdirSync(dist, { recursive: true });
const fresh = mkdtempSync(join(dist, '.new-'));

await build({
  ...common('esm'),
  entryPoints: {
    main: join(compiled, 'main.js'),
    'keychain-child': join(compiled, 'system', 'keychain', 'keychain-child.js'), // started as a process
  },
  splitting: true,
  external: installed,
  outdir: fresh,
  chunkNames: '[name]-[hash]', // beside it: the program looks for keychain-child.js next to its own file
  // CommonJS packages of the sandbox and of yargs ask for Node's own modules by `require`.
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
});

await build({
  ...common('cjs'),
  entryPoints: { 'fast-path': join(compiled, 'fast-path.js') },
  external: installed,
  outdir: fresh,
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': '__filename' },
});

// A program that starts meanwhile finds the old files or the new ones, whole: the parts come first, what names them last.
const entries = ['keychain-child.js', 'main.js', 'fast-path.cjs'];
const files = readdirSync(fresh);
for (const file of [...files.filter((name) => !entries.includes(name)), ...entries]) {
  renameSync(join(fresh, file), join(dist, file));
}
for (const file of readdirSync(dist)) {
  if (!files.includes(file)) rmSync(join(dist, file), { recursive: true, force: true });
}

function common(format) {
  return {
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format,
    supported: { 'regexp-unicode-property-escapes': true }, // else such patterns are compiled at load
    // oidc-provider finds its parts by the names of classes and functions.
    keepNames: format === 'esm',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'linked',
    logLevel: 'warning',
  };
}
