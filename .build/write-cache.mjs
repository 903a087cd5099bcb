import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/**
 * Writes beside a CommonJS bundle what V8 makes of it, so that less has to be compiled at its start. V8 takes a cache for
 * any source of the same length, so the bundle names its own in its last line (bin/load.js reads it).
 * @param use Uses the bundle's exports; what has run by then is in the cache, but for what ran of its second argument, other exports of the same. Without it every function is, run or not:
 * right for a small bundle, all of which is used.
 */
export async function writeCache(file, use) {
  const text = readFileSync(file, 'latin1');
  const digest = createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 12);
  const cache = `${basename(file, '.cjs')}.${digest}.cache`;
  const source = `${text.trimEnd()}\n//# cache: ${cache}\n`;
  writeFileSync(file, source, 'latin1');
  // The name that a stack trace has comes out of the cache, and nobody knows yet where the program is going to lie.
  const options = { filename: `dist/${basename(file)}` };
  const script = use === undefined ? compiledWhole(source, options) : new Script(source, options);
  const other = () => exportsOf(new Script(source, { filename: 'other' }), file);
  await use?.(exportsOf(script, file), other);
  writeFileSync(join(dirname(file), cache), script.createCachedData());
}

const scriptIn = (file) => new Script(readFileSync(file, 'latin1'), { filename: file });

function exportsOf(script, file) {
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, besides(file), loaded, file, dirname(file));
  return loaded.exports;
}

/** `require` for a bundle that is not in its place yet: other bundles are those beside it. */
function besides(file) {
  const required = createRequire(file);
  const load = (name) => exportsOf(scriptIn(join(dirname(file), `${name}.cjs`)), file);
  return (path) => (path === '../bin/load.js' ? { load } : required(path));
}

function compiledWhole(source, options) {
  setFlagsFromString('--no-lazy');
  const script = new Script(source, options);
  setFlagsFromString('--lazy');
  return script;
}
