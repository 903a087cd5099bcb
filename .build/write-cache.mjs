import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

const { engine } = createRequire(import.meta.url)('../bin/load.js');

/** Writes beside a CommonJS bundle what V8 makes of it: of every function, run or not, which is right where nearly all run. */
export function writeWholeCache(file) {
  const { source, write } = named(file);
  setFlagsFromString('--no-lazy');
  const script = new Script(source, nameOf(file));
  setFlagsFromString('--lazy');
  write(script);
}

/**
 * Writes beside CommonJS bundles of one folder what V8 makes of what is run of them. V8 takes a cache only while it has the
 * flags that it had when the cache was made.
 * @param files The first loads the others; the last is loaded once the program has set its flags.
 * @param use Uses the exports of the first, which sets these flags. What ran of its second argument, other exports of the
 * same, is not kept. Its third writes what has run so far of the first, under a name (bin/load.js).
 */
export async function writeRunCaches(files, use) {
  const bundles = files.map((file) => ({ file, ...named(file) }));
  const scripts = new Map(bundles.map(({ file, source }) => [file, new Script(source, nameOf(file))]));
  const [first] = files;
  const unkept = (file) => new Script(readFileSync(file, 'latin1'), { filename: 'other' });
  const packages = loadedOnce((file) => exportsOf(unkept(file), file, packages)); // which are not worth a cache
  const kept = (file) => (scripts.has(file) ? exportsOf(scripts.get(file), file, kept) : packages(file));
  const other = (file) => (scripts.has(file) ? exportsOf(unkept(file), file, other) : packages(file));
  const withUsualFlags = () => {
    if (process.versions.v8.startsWith('11.')) setFlagsFromString(usualFlag);
  };
  const writeSoFar = (name) => {
    withUsualFlags(); // the next run sets its own again
    bundles[0].write(scripts.get(first), name);
  };
  await use(kept(first), () => other(first), writeSoFar);
  for (const { file, write } of bundles.reverse()) {
    write(scripts.get(file));
    withUsualFlags();
  }
}

function loadedOnce(load) {
  const loaded = new Map();
  return (file) => {
    if (!loaded.has(file)) loaded.set(file, load(file));
    return loaded.get(file);
  };
}

/** src/http sets it to something else: this is what V8 11 starts with. */
const usualFlag = '--wasm-tiering-budget=1800000';

/** V8 takes a cache for any source of the same length, so a bundle names its own in its last line (bin/load.js reads it). */
function named(file) {
  const text = readFileSync(file, 'latin1');
  const digest = createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 12);
  const cache = `${basename(file, '.cjs')}.${digest}`;
  const source = `${text.trimEnd()}\n//# cache: ${cache}\n`;
  writeFileSync(file, source, 'latin1');
  const nameFor = (use) => `${[cache, use, engine()].filter(Boolean).join('.')}.cache`;
  return { source, write: (script, use) => writeFileSync(join(dirname(file), nameFor(use)), script.createCachedData()) };
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
