import type { Writable } from 'node:stream';
import { outputFailed } from '../errors/output.js';

/**
 * Writes to a standard stream and waits until it has taken the bytes.
 * @throws Failure `output_failed`: the reader has gone, the disk is full
 */
export function writerTo(stream: Writable): (bytes: string | Uint8Array) => Promise<void> {
  return (bytes) =>
    new Promise((resolve, reject) => {
      const failed = (error: unknown) => reject(outputFailed(codeOf(error), error));
      stream.once('error', failed);
      stream.write(bytes, (error) => {
        if (error) {
          failed(error);
          // The stream tells the same once more, a moment later: the listener stays for that.
          return;
        }
        stream.off('error', failed);
        resolve();
      });
    });
}

/** Writes lines for the person; one that cannot be shown, since nobody is there, is no reason to stop. */
export function linesTo(stream: Writable): (line: string) => void {
  stream.on('error', () => undefined);
  return (line) => void stream.write(`${line}\n`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
