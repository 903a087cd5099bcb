import { writeSync } from 'node:fs';

/**
 * Straight to stdout's descriptor: `process.stdout` takes a millisecond to be made. False when nothing could be
 * written; when only a part could, the exit code says so.
 */
export function writeAll(text: string): boolean {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (at === 0) {
        return false;
      }
      if (code !== 'EAGAIN') {
        process.exitCode = 1; // a part of it is out, and the rest has no reader
        return true;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); // until the reader of the pipe has read
    }
  }
  return true;
}
