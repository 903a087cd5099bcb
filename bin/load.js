'use strict';

// Loads the program's files with what V8 made of them at an earlier run: a third less work for a short command. That lies in the
// program's own folder, and only its owner can open it: who can write there runs code.
const { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');

const dist = join(__dirname, '..', 'dist');

function load(name) {
  const folder = compiledFolder();
  if (folder !== undefined && enableCompileCache !== undefined) enableCompileCache(folder);
  if (enableCompileCache !== undefined || name !== 'main') return require(`${dist}/${name}.js`);
  // Node.js 20 begins to optimise undici's parser (WebAssembly) at the first response: 70 ms that the end of a process waits for.
  require('node:v8').setFlagsFromString('--wasm-tiering-budget=1000000000');
  return folder === undefined ? require(`${dist}/${name}.js`) : loaderWith(folder)(`./${name}.js`);
}

/** Undefined where the program is another user's, and with flags, by which V8 compiles otherwise. */
function compiledFolder() {
  if (process.execArgv.length > 0 || process.env.NODE_OPTIONS || process.env.NODE_V8_COVERAGE) return undefined;
  const folder = join(dist, 'compiled');
  try {
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { mode: 0o700 });
    const { mode, uid } = lstatSync(folder);
    const user = process.geteuid?.();
    return user === undefined || (uid === user && (mode & 0o170077) === 0o040000) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** For Node.js 20, which keeps nothing itself. Its V8 takes what another build has made, and goes wrong: the name has the build. */
function loaderWith(folder) {
  const { node_shared: isShared } = process.config.variables;
  const build = isShared ? undefined : `${process.version}-${process.arch}-${statSync(process.execPath).size}`;
  const loaded = new Map();
  const made = [];
  process.once('exit', () => {
    for (const [script, file] of made) keep(script.createCachedData(), file);
  });
  return function load(path) {
    if (!path.startsWith('./')) return require(path);
    const known = loaded.get(path);
    if (known !== undefined) return known.exports;
    const filename = join(dist, path);
    const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(filename, 'utf8')}\n})`;
    // V8 takes a cache for any source of the same length: only a file with a digest in its name has one.
    const file = build && /-[0-9A-Z]{8}\.js$/.test(path) ? join(folder, `${path}.${build}`) : undefined;
    const cachedData = file && read(file);
    const script = new Script(source, { filename, cachedData });
    if (file && script.cachedDataRejected !== false) made.push([script, file]);
    const module = { exports: {} };
    loaded.set(path, module);
    script.runInThisContext()(module.exports, load, module, filename, dist);
    return module.exports;
  };
}

function read(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function keep(data, file) {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, data, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(draft, file); // nobody reads half of it
  } catch {
    rmSync(draft, { force: true });
  }
}

module.exports = { load };
