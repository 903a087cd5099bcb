'use strict';

const { existsSync, readFileSync, statSync } = require('node:fs');
const { Script } = require('node:vm');

const isOlder = process.versions.v8.startsWith('11.');
let flagsAreSet = false; // by src/http, of V8 11
const known = new Map();

// As `require` would, but with what V8 made of the bundle earlier, where that lies beside it. A bundle is the function
// that Node.js would make of it: to put one around megabytes would copy them. What several bundles ask for is loaded once.
// `use` names what runs of it: a cache has only that, and the less it has, the sooner it is read.
function load(name, use) {
  flagsAreSet ||= isOlder && name === 'http-client';
  if (!known.has(name)) known.set(name, exportsOf(name, use));
  return known.get(name);
}

function exportsOf(name, use) {
  const folder = `${__dirname}/../dist`;
  const filename = `${folder}/${name}.cjs`;
  const source = readFileSync(filename, 'latin1');
  const [, cache] = source.slice(-80).trimEnd().split('\n//# cache: ');
  const file = cache && `${folder}/${[cache, use, engine()].filter(Boolean).join('.')}.cache`;
  const cachedData = file && cached(file);
  const script = new Script(source, { filename: `dist/${name}.cjs`, cachedData });
  if (file && !cachedData && isUsual()) process.once('exit', () => keep(script, file, folder));
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, requireFrom(filename), loaded, filename, folder);
  return loaded.exports;
}

// Bundles ask for modules of Node's, and for this file; what else there is, is found as Node.js finds it.
function requireFrom(filename) {
  let found;
  return (path) => {
    if (path.startsWith('node:')) return require(path);
    if (path === '../bin/load.js') return module.exports;
    found ??= require('node:module').createRequire(filename);
    return found(path);
  };
}

// V8 takes only what the very same program has made, that of Node.js 20 also what another one has, and then goes wrong: so
// the name says which it was. Where V8 is a library beside the program, nothing here knows which that is.
function engine() {
  if (isOlder && process.config.variables.node_shared) return 'none';
  return `${process.version}-${process.platform}-${process.arch}-${statSync(process.execPath).size}`;
}

function cached(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

// The build has made it for its own Node.js. Under another one the first run does, in the folder of the program itself:
// whoever may write there could change the program. With other flags V8 makes what it does not take without them.
function isUsual() {
  const { NODE_OPTIONS, NODE_V8_COVERAGE } = process.env;
  return process.execArgv.length === 0 && !NODE_OPTIONS && !NODE_V8_COVERAGE && engine() !== 'none';
}

// At the end, when it is known which functions are used. After a while V8 forgets them again.
function keep(script, file, folder) {
  if (process.uptime() > 60 || flagsAreSet) return;
  const { accessSync, closeSync, constants, fsyncSync, openSync, renameSync, rmSync, writeSync } = require('node:fs');
  const fresh = `${file}.${process.pid}`;
  try {
    accessSync(folder, constants.W_OK);
    const data = script.createCachedData();
    const to = openSync(fresh, 'wx', 0o644);
    try {
      if (writeSync(to, data) < data.length) throw new Error('the disk is full');
      fsyncSync(to);
    } finally {
      closeSync(to);
    }
    renameSync(fresh, file); // nobody reads half of it
  } catch {
    rmSync(fresh, { force: true }); // not ours to write, or no room: it is made anew each time
  }
}

function read(name) {
  return readFileSync(`${__dirname}/../dist/${name}`, 'utf8');
}

function isBuilt() {
  return existsSync(`${__dirname}/../dist/main.cjs`);
}

module.exports = { engine, isBuilt, load, read };
