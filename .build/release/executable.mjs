// node .build/release/executable.mjs OUT-FILE
//
// Makes a single executable of the Node.js that runs this and of the built program, as one script. The native part of the
// keychain's package lies beside it in there.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);

/** Makes the executable at that path. */
export async function makeExecutable(out) {
  const work = mkdtempSync(join(tmpdir(), 'postern-executable-'));
  try {
    const topics = join(root, 'dist', 'topics');
    const texts = readdirSync(topics).map((name) => [`topics/${name}`, join(topics, name)]);
    const assets = { 'keychain.node': nativePart(), ...Object.fromEntries(texts) };
    const start = join(work, 'start.cjs');
    await build({
      ...{ bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' },
      entryPoints: [join(root, 'bin', 'postern.js')],
      outfile: start,
      external: ['@node-rs/xxhash'], // which Redis' client does without
      plugins: [{ name: 'inside', setup: takeInside }],
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

/** The file that is installed for this system. */
function nativePart() {
  const { platform, arch } = process;
  const end = { linux: '-gnu', win32: '-msvc' }[platform] ?? '';
  const name = `${platform}-${arch}${end}`;
  return require.resolve(`@napi-rs/keyring-${name}/keyring.${name}.node`);
}

/** In place of bin/load.js: the same files, inside of this script. */
function takeInside(bundler) {
  const names = ['main', 'hot-path', 'keychain-child'];
  const files = names.map((name) => `'${name}': () => require('../dist/${name}.js')`);
  bundler.onResolve({ filter: /^\.\/load\.js$/ }, () => ({ path: 'load', namespace: 'inside' }));
  bundler.onLoad({ filter: /.*/, namespace: 'inside' }, () => ({
    contents: `const files = { ${files.join(', ')} }; exports.load = (name) => files[name]();`,
    resolveDir: join(root, 'bin'),
  }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await makeExecutable(process.argv[2]);
