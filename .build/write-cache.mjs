import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/** Writes beside a CommonJS bundle what V8 makes of it: of every function, run or not, which is right where nearly all run. */
export function writeWholeCache(file) {
  const { source, write } = named(file);
  setFlagsFromString('--no-lazy');
  const script = new Script(source, nameOf(file));
  setFlagsFromString('--lazy');
  write(script);
}

/**
 * Writes beside CommonJS bundles of one folder what V8 makes of what is run of them.
 * @param files The first loads the others.
 * @param use Uses the exports of the first. What ran of its second argument, other exports of the same, is not kept.
 */
export async function writeRunCaches(files, use) {
  const bundles = files.map((file) => ({ file, ...named(file) }));
  const scripts = new Map(bundles.map(({ file, source }) => [file, new Script(source, nameOf(file))]));
  const [first] = files;
  const kept = (file) => exportsOf(scripts.get(file), file, kept);
  const other = (file) => exportsOf(new Script(readFileSync(file, 'latin1'), { filename: 'other' }), file, other);
  await use(kept(first), () => other(first));
  for (const { file, write } of bundles) write(scripts.get(file));
}

/** V8 takes a cache for any source of the same length, so a bundle names its own in its last line (bin/load.js reads it). */
function named(file) {
  const text = readFileSync(file, 'latin1');
  const digest = createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 12);
  const cache = `${basename(file, '.cjs')}.${digest}.cache`;
  const source = `${text.trimEnd()}\n//# cache: ${cache}\n`;
  writeFileSync(file, source, 'latin1');
  return { source, write: (script) => writeFileSync(join(dirname(file), cache), script.createCachedData()) };
}

/** The name that a stack trace has comes out of the cache, and nobody knows yet where the program is going to lie. */
const nameOf = (file) => ({ filename: `dist/${basename(file)}` });

/** @param load of the bundles beside it, which are not in their place yet */
function exportsOf(script, file, load) {
  const required = createRequire(file);
  const own = (path) =>
    path === '../bin/load.js' ? { load: (name) => load(join(dirname(file), `${name}.cjs`)) } : required(path);
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, own, loaded, file, dirname(file));
  return loaded.exports;
}
