import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { systemCode } from '../core/failure.js';
import { outputFailed } from '../core/output-failures.js';
import { piecesOf } from '../core/text/printable.js';

/** A longer text is written in pieces, so that it does not stand in memory twice more. In characters. */
const longText = 262_144;

/**
 * Writes to a standard stream and waits until it has taken the bytes.
 * @throws Failure `output_failed`: the reader has gone, the disk is full
 */
export function writerTo(stream: Writable): (bytes: string | Uint8Array) => Promise<void> {
  const write = writeOnce(stream);
  return async (bytes) => {
    if (typeof bytes !== 'string' || bytes.length <= longText) return write(bytes);
    for (const piece of piecesOf(bytes, longText)) await write(piece);
  };
}

function writeOnce(stream: Writable): (bytes: string | Uint8Array) => Promise<void> {
  return (bytes) =>
    new Promise((resolve, reject) => {
      const failed = (error: unknown) => reject(outputFailed(systemCode(error), error));
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

/** Bytes of lines that may wait for their reader. */
const maxWaiting = 65_536;

/** Lines for the person. */
export interface Lines {
  /** Never waits: a line is left out, and counted, where too much waits for its reader; that is told once he reads on. */
  readonly line: (text: string) => void;
  /** Resolves once he has taken what was written, or cannot any more; rejects with the signal's reason. */
  readonly taken: (signal: AbortSignal) => Promise<void>;
}

/** Writes lines for the person; one that cannot be shown, since nobody is there, is no reason to stop. */
export function linesTo(stream: Writable): Lines {
  let leftOut = 0;
  stream.on('error', () => undefined);
  stream.on('drain', () => {
    const count = leftOut;
    leftOut = 0;
    if (count > 0) stream.write(`postern: ${count} lines were left out here, as nobody read what came before.\n`);
  });
  return {
    line: (text) => {
      if (stream.writableLength > maxWaiting) leftOut += 1;
      else stream.write(`${text}\n`);
    },
    taken: async (signal) => {
      if (!stream.writableNeedDrain || stream.destroyed) return;
      const waiting = new AbortController();
      const either = AbortSignal.any([signal, waiting.signal]);
      const options = { signal: either };
      await Promise.race([once(stream, 'drain', options), once(stream, 'close', options)]).catch(() => undefined);
      waiting.abort();
      signal.throwIfAborted();
    },
  };
}
