// node .build/release/executable.mjs OUT-FILE
//
// Makes a single executable of the built program and of the Node.js that runs this: its assets are the bundles, what this
// very Node.js has compiled of them, and the native part of the keychain's package.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');
const compiled = join(root, 'build', 'src');
const require = createRequire(import.meta.url);

const wrapper = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  logLevel: 'error',
  legalComments: 'none', // all licences are in THIRD-PARTY-LICENSES.txt
  define: { 'import.meta.url': '__address', 'import.meta.filename': '__filename', 'import.meta.dirname': '__dirname' },
  banner: {
    js: "(function (exports, require, module, __filename, __dirname) { const __address = require('node:url').pathToFileURL(__filename).href;",
  },
  footer: { js: '})' },
  supported: { 'regexp-unicode-property-escapes': true, 'dynamic-import': false },
};

/** Makes the executable at that path. */
export async function makeExecutable(out) {
  const work = mkdtempSync(join(tmpdir(), 'postern-executable-'));
  try {
    const assets = { ...(await ownBundles(work)), ...builtFiles(), 'keychain.node': nativePart() };
    const start = join(work, 'start.cjs');
    await build({
      ...{ bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' },
      entryPoints: [join(root, 'bin', 'postern.js')],
      outfile: start,
      plugins: [{ name: 'assets', setup: takeAssets }],
    });
    const config = join(work, 'config.json');
    const blob = join(work, 'blob');
    const settings = { main: start, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true, assets };
    writeFileSync(config, JSON.stringify(settings));
    execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
    mkdirSync(dirname(resolve(out)), { recursive: true });
    rmSync(out, { force: true });
    copyFileSync(process.execPath, out);
    chmodSync(out, 0o755);
    await inject(out, blob);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Puts the blob where Node.js looks for it. On macOS the signature of what was changed is replaced by one without a name. */
async function inject(out, blob) {
  const isMac = process.platform === 'darwin';
  if (isMac) execFileSync('codesign', ['--remove-signature', out]);
  const { inject } = require('postject');
  await inject(out, 'NODE_SEA_BLOB', readFileSync(blob), {
    sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
    ...(isMac ? { machoSegmentName: 'NODE_SEA' } : {}),
  });
  if (isMac) execFileSync('codesign', ['--sign', '-', out]);
}

/** Bundles that are ES modules in the npm package, which no executable can load. */
async function ownBundles(work) {
  const path = (...parts) => JSON.stringify(join(compiled, ...parts));
  const texts = {
    sandbox: `export * as start from ${path('sandbox', 'start.js')};
      export * as faults from ${path('sandbox', 'faults', 'table.js')};
      export * as 'state-schema' from ${path('sandbox', 'state-schema.js')};`,
    'keychain-child': `import ${path('stores', 'keychain', 'keychain-child.js')};`,
  };
  const assets = {};
  for (const [name, contents] of Object.entries(texts)) {
    const outfile = join(work, `${name}.cjs`);
    await build({ ...wrapper, stdin: { contents, resolveDir: root }, outfile, keepNames: true });
    assets[`${name}.cjs`] = outfile;
  }
  return assets;
}

/** What lies in `dist`, by the names under which the loader asks for it. Compiled code is taken of this very Node.js alone. */
function builtFiles() {
  const { engine } = require('../../bin/load.js');
  const end = `.${engine()}.cache`;
  const names = readdirSync(dist);
  const bundles = names.filter((name) => name.endsWith('.cjs'));
  const caches = bundles.flatMap((name) => {
    const [, cache] = /\n\/\/# cache: (\S+)\n$/.exec(readFileSync(join(dist, name), 'latin1').slice(-80)) ?? [];
    if (cache === undefined) return [];
    if (!names.includes(cache + end)) {
      console.error(`dist/ was built by another Node.js: the executable starts later without ${cache + end}`);
      return [];
    }
    return [[name.replace(/\.cjs$/, '.cache'), join(dist, cache + end)]];
  });
  const topics = readdirSync(join(dist, 'topics')).map((name) => `topics/${name}`);
  const others = [...names.filter((name) => name.endsWith('.cjs.map') || name === 'completion.json'), ...topics];
  return { ...Object.fromEntries(caches), ...Object.fromEntries([...bundles, ...others].map((name) => [name, join(dist, name)])) };
}

/** The file that is installed for this system. */
function nativePart() {
  const { platform, arch } = process;
  const end = { linux: '-gnu', win32: '-msvc' }[platform] ?? '';
  const name = `${platform}-${arch}${end}`;
  return require.resolve(`@napi-rs/keyring-${name}/keyring.${name}.node`);
}

/** bin/load.js, with another way to the files. */
function takeAssets(bundler) {
  const loader = fileURLToPath(new URL('asset-loader.cjs', import.meta.url));
  bundler.onResolve({ filter: /^\.\/load\.js$/ }, () => ({ path: loader }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await makeExecutable(process.argv[2]);
