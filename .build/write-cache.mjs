import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

const { wrapped } = createRequire(import.meta.url)('../bin/load.js');

/**
 * Writes beside a CommonJS bundle what V8 makes of it, so that less has to be compiled at its start. V8 takes a cache for
 * any source of the same length, so the bundle names its own in its last line (bin/load.js reads it).
 * @param use Uses the bundle's exports; what has run by then is in the cache. Without it every function is, run or not:
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
  const script = use === undefined ? compiledWhole(wrapped(source), options) : new Script(wrapped(source), options);
  if (use !== undefined) {
    const loaded = { exports: {} };
    script.runInThisContext()(loaded.exports, createRequire(file), loaded, file, dirname(file));
    await use(loaded.exports);
  }
  writeFileSync(join(dirname(file), cache), script.createCachedData());
}

function compiledWhole(source, options) {
  setFlagsFromString('--no-lazy');
  const script = new Script(source, options);
  setFlagsFromString('--lazy');
  return script;
}
