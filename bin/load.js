'use strict';

const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { Script } = require('node:vm');

// As `require` would, but with what V8 made of the bundle at the build, where that lies beside it. A bundle is the function
// that Node.js would make of it: to put one around megabytes would copy them.
function load(name) {
  const folder = `${__dirname}/../dist`;
  const filename = `${folder}/${name}.cjs`;
  const source = readFileSync(filename, 'latin1');
  const [, cache] = /\n\/\/# cache: (\S+)\n$/.exec(source.slice(-80)) ?? [];
  const script = new Script(source, {
    filename: `dist/${name}.cjs`,
    cachedData: cache && cached(`${folder}/${cache}`),
  });
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, createRequire(filename), loaded, filename, folder);
  return loaded.exports;
}

function cached(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

module.exports = { load };
