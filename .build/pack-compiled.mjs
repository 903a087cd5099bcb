import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/**
 * Packs a CommonJS bundle with what V8 makes of it, so that less has to be compiled at its start: the number of
 * bytes of the source, the source, V8's code cache. In one file, because V8 takes a cache for any source of the same
 * length. Another version of V8 than this one passes the cache over and compiles the source.
 * @param imports How many `import()` it holds. Those of a script that comes out of a cache lead nowhere: whoever runs it
 * gives it one.
 * @param use Uses the bundle's exports; what has run by then is in the cache. Without it every function is, run or not:
 * right for a small bundle, all of which is used.
 */
export async function packCompiled({ from, to, imports, use }) {
  const text = withoutImport(readFileSync(from, 'latin1'), imports);
  const source = `(function (exports, require, module, __filename, __dirname, __import) {${text}\n})`;
  const padded = source.padEnd(Math.ceil(source.length / 8) * 8, '\n'); // the cache begins aligned, or it is copied
  const script = use === undefined ? compiledWhole(padded) : new Script(padded);
  if (use !== undefined) {
    const loaded = { exports: {} };
    script.runInThisContext()(loaded.exports, createRequire(from), loaded, from, dirname(from), () => undefined);
    await use(loaded.exports);
  }
  const head = Buffer.alloc(8);
  head.writeUInt32LE(padded.length);
  writeFileSync(to, Buffer.concat([head, Buffer.from(padded, 'latin1'), script.createCachedData()]));
}

function compiledWhole(source) {
  setFlagsFromString('--no-lazy');
  const script = new Script(source);
  setFlagsFromString('--lazy');
  return script;
}

function withoutImport(text, imports) {
  let found = 0;
  const changed = text.replace(/(?<![\w$.])import\(/g, () => {
    found += 1;
    return '__import(';
  });
  if (found !== imports) throw new Error(`${found} times import(), not ${imports}`);
  return changed;
}
