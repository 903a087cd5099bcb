import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';

// node .build/hot-runs.mjs BUNDLE CACHE LINES: runs the hot path with each of the command lines, and writes what V8 made of
// it. A process of its own, since the hot path takes its environment and its input, and prints to its output.
const [, , file, cache, lines] = process.argv;
const script = new Script(readFileSync(file, 'latin1'), { filename: 'dist/hot-path.cjs' });
const loaded = { exports: {} };
script.runInThisContext()(loaded.exports, createRequire(file), loaded, file, '');
for (const argv of JSON.parse(lines)) {
  const { done } = await loaded.exports.hotPath(argv);
  if (!done) throw new Error(`the hot path left to others: ${argv.join(' ')}`);
}
writeFileSync(cache, script.createCachedData());
process.exit(); // its connections are open
