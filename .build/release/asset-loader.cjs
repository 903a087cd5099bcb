'use strict';

// bin/load.js of the single executable: the bundles lie in it as assets, and what V8 made of them, by this very Node.js.
const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

const known = new Map();

function load(name) {
  if (!known.has(name)) known.set(name, exportsOf(name));
  return known.get(name);
}

function exportsOf(name) {
  const cache = asset(`${name}.cache`);
  const script = new Script(asset(`${name}.cjs`).latin1Slice(), { filename: `dist/${name}.cjs`, cachedData: cache });
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, required, loaded, process.execPath, '');
  return loaded.exports;
}

function required(path) {
  if (path === '../bin/load.js') return { load };
  const [, part] = /^\.\/sandbox-(.+)\.js$/.exec(path) ?? [];
  if (part !== undefined) return load('sandbox')[part];
  const builtIn = process.getBuiltinModule(path);
  if (builtIn === undefined) throw Object.assign(new Error(`Cannot find module '${path}'`), { code: 'MODULE_NOT_FOUND' });
  return builtIn;
}

function asset(name) {
  try {
    return Buffer.from(getRawAsset(name)); // the executable's own memory, not a copy
  } catch {
    return undefined; // not every bundle has been run by the build
  }
}

module.exports = { load, read: (name) => asset(name).toString(), isBuilt: () => true };
