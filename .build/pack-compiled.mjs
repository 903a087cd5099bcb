import { readFileSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/**
 * Packs a CommonJS bundle with what V8 makes of it, so that nothing has to be compiled at its start: the number of
 * bytes of the source, the source, V8's code cache. In one file, because V8 takes a cache for any source of the same
 * length. Another version of V8 than this one passes the cache over and compiles the source.
 */
export function packCompiled(from, to) {
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(from, 'latin1')}\n})`;
  const padded = source.padEnd(Math.ceil(source.length / 8) * 8, '\n'); // the cache begins aligned, or it is copied
  setFlagsFromString('--no-lazy'); // every function, not only those that run at once
  const script = new Script(padded);
  setFlagsFromString('--lazy');
  const head = Buffer.alloc(8);
  head.writeUInt32LE(padded.length);
  writeFileSync(to, Buffer.concat([head, Buffer.from(padded, 'latin1'), script.createCachedData()]));
}
