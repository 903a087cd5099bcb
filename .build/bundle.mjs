// The last step of `npm run build`: bundles the compiled sources in build/ to dist/, which is what bin/ starts.
//
//   hot-path.packed    `postern token` and `credential` with a valid token, compiled already
//   main.packed         everything else of our own code, compiled as far as each run needs it; runtime packages stay
//                       beside it and are loaded when used
//   http-client.packed  undici's connection class, compiled already; the package beside it is for CONNECT proxies
//   yargs-helpers.js    the parser of yargs, 30 ms sooner loaded than from the package
//   keychain-child.js   the process that is started, and can be killed, where a keychain may hang
//   sandbox-*.js        the sandbox with all of its packages inside: users of `login` need not install, nor trust, them
//
// CommonJS where start-up counts, because Node.js loads it faster. The numbers behind this stand in src/README.md.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { packCompiled } from './pack-compiled.mjs';
import { usualRuns } from './usual-runs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = join(root, process.argv[2] ?? 'build', 'src');
const dist = join(root, process.argv[3] ?? 'dist');

mkdirSync(dist, { recursive: true });
const fresh = mkdtempSync(join(dist, '.new-'));
const common = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  supported: { 'regexp-unicode-property-escapes': true },
  outdir: fresh,
  legalComments: 'linked',
  logLevel: 'warning',
};

const { metafile } = await build({
  ...common,
  metafile: true,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  entryPoints: {
    'hot-path': join(compiled, 'hot-path.js'),
    main: join(compiled, 'main.js'),
  },
  packages: 'external',
  plugins: [{ name: 'others', setup: nameOthers }],
  define: { 'import.meta.filename': '__filename', 'import.meta.dirname': '__dirname' },
  minify: true,
});

const client = await build({
  ...common,
  metafile: true,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  entryPoints: { 'http-client': join(root, 'node_modules', 'undici', 'lib', 'dispatcher', 'client.js') },
  plugins: [{ name: 'without http2', setup: leaveOutHttp2 }],
  minify: true,
});

await build({
  ...common,
  format: 'esm',
  splitting: true,
  chunkNames: 'sandbox-[name]-[hash]',
  entryPoints: {
    'sandbox-start': join(compiled, 'sandbox', 'start.js'),
    'sandbox-faults': join(compiled, 'sandbox', 'faults', 'table.js'),
    'yargs-helpers': 'yargs/helpers',
    'keychain-child': join(compiled, 'stores', 'keychain', 'keychain-child.js'),
  },
  // Its CommonJS packages ask for Node's own modules by `require`.
  banner: { js: "import { createRequire as __from } from 'node:module'; const require = __from(import.meta.url);" },
  keepNames: true, // oidc-provider finds its parts by the names of classes and functions
  minifyWhitespace: true,
  minifySyntax: true,
});

await pack('hot-path', metafile, undefined);
await pack('main', metafile, usualRuns);
await pack('http-client', client.metafile, () => undefined);
copyFileSync(join(root, 'node_modules', 'undici', 'LICENSE'), join(fresh, 'http-client.LEGAL.txt'));

// A program that starts meanwhile finds the old files or the new ones, whole: what names others comes last.
const named = ['yargs-helpers.js', 'sandbox-faults.js', 'sandbox-start.js', 'keychain-child.js', 'http-client.packed', 'main.packed', 'hot-path.packed'];
const files = readdirSync(fresh);
for (const file of [...files.filter((name) => !named.includes(name)), ...named]) {
  renameSync(join(fresh, file), join(dist, file));
}
for (const file of readdirSync(dist)) {
  if (!files.includes(file)) rmSync(join(dist, file), { recursive: true, force: true });
}

/** What is packed holds its source. */
async function pack(name, { outputs }, use) {
  const from = join(fresh, `${name}.cjs`);
  const [, output] = Object.entries(outputs).find(([path]) => path.endsWith(`/${name}.cjs`));
  const imports = output.imports.filter(({ kind }) => kind === 'dynamic-import').length;
  await packCompiled({ from, to: join(fresh, `${name}.packed`), imports, use });
  rmSync(from);
}

/**
 * What is a bundle of its own is asked for there. What is CommonJS and imported late is required: the first `import`
 * of a process costs 4 ms, and undici by `import` another 5.
 */
function nameOthers(bundler) {
  const own = [
    [/\/sandbox\/start\.js$/, './sandbox-start.js'],
    [/\/sandbox\/faults\/table\.js$/, './sandbox-faults.js'],
    [/^yargs\/helpers$/, './yargs-helpers.js'],
    [/^undici\/lib\/dispatcher\/client\.js$/, './http-client.packed'],
  ];
  for (const [filter, path] of own) bundler.onResolve({ filter }, () => ({ path, external: true }));
  bundler.onResolve({ filter: /^(?:node:|undici(?:\/|$))/ }, ({ path, kind }) =>
    kind === 'dynamic-import'
      ? { path, namespace: 'required' }
      : { path, external: true, sideEffects: !path.startsWith('node:') },
  );
  bundler.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
    contents: `module.exports = require(${JSON.stringify(path)})`,
  }));
}

/** 5 ms to load, for connections of a kind that is never offered here; this is what undici does where there is none. */
function leaveOutHttp2(bundler) {
  bundler.onResolve({ filter: /^node:http2$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
  bundler.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = { constants: {} }' }));
}
