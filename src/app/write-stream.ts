import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { ResultWriter, WriteBytes } from '../core/command.js';
import { exitCode, Failure, systemCode } from '../core/failure.js';
import { outputFailed } from '../core/failures.js';
import { asciiJsonPieces } from '../core/text/json-pieces.js';
import { fitted } from '../core/text/layout.js';
import { asciiJson, piecesOf, printable, quoted } from '../core/text/printable.js';

/** Longer texts are written in pieces, so that they are never copied as a whole. In characters. */
const longText = 262_144;

/**
 * Writes to a standard stream and waits until it has taken the bytes.
 * @throws Failure `output_failed`: the reader has gone, the disk is full
 */
export function writerTo(stream: Writable): WriteBytes {
  const write = (bytes: string | Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      const failed = (error: unknown) => reject(outputFailed(systemCode(error), error));
      stream.once('error', failed);
      stream.write(bytes, (error) => {
        if (error) return failed(error); // the listener stays: the stream emits the same error a moment later
        stream.off('error', failed);
        resolve();
      });
    });
  return async (bytes) => {
    if (typeof bytes !== 'string') return write(bytes);
    for (const piece of piecesOf(bytes, longText)) await write(piece);
  };
}

/** Bytes that may wait for a slow reader. */
const maxWaiting = 65_536;

/** Lines for the user. */
export interface Lines {
  /** Never waits: lines are dropped and counted while the reader is too slow; the count is printed later. */
  readonly line: (text: string) => void;
  /** Resolves once the output is read or closed; rejects with the signal's reason. */
  readonly taken: (signal: AbortSignal) => Promise<void>;
}

/** Writes lines for the user; a failure to write them does not stop the program. */
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

/**
 * The result writer on top of stdout.
 * @param width Of the terminal, where lines are wrapped between words; undefined for a file or pipe.
 */
export function createResultWriter(
  write: WriteBytes,
  width: number | undefined,
  redact: (text: string) => string,
): ResultWriter {
  const line = (text: string) => writePieces(write, piecesOf(text, longText));
  const fit = (text: string) =>
    width === undefined || text.length > longText
      ? text
      : text
          .split('\n')
          .flatMap((one) => fitted(one, width))
          .join('\n');
  return {
    isTerminal: width !== undefined,
    write,
    line: (text) => line(fit(redact(text))),
    json: (value) => line(redact(asciiJson(value))),
    exact: {
      text: (pieces) => writePieces(write, pieces),
      json: (value) => writePieces(write, asciiJsonPieces(value)),
    },
  };
}

/** Short pieces are joined up to this length. In characters. */
const together = 32_768;

async function writePieces(write: WriteBytes, pieces: Iterable<string>): Promise<void> {
  let waiting = '';
  for (const piece of pieces) {
    if (waiting.length + piece.length > together) {
      if (waiting !== '') await write(waiting);
      waiting = '';
    }
    if (piece.length > together) await write(piece);
    else waiting += piece;
  }
  await write(`${waiting}\n`);
}

/** Names that a failure lists. */
const maxNamed = 30;

/** In characters. */
const longestShown = 1_000_000;

/**
 * stdout with one value of each JSON result on it, for `--field`: a string as it is, anything else as JSON. At a terminal
 * nothing in it can steer the terminal.
 * @param path Member names and list positions with dots (`logins.0.name`, `logins[0].name`); `\.` is a literal dot.
 */
export function fieldWriter(out: ResultWriter, path: string): ResultWriter {
  const textOf = (value: unknown) => {
    const found = fieldOf(value, path);
    if (typeof found !== 'string') return asciiJson(found);
    return out.isTerminal ? printable(found, longestShown) : found;
  };
  return {
    ...out,
    json: async (value) => out.line(textOf(value)),
    exact: { ...out.exact, json: async (value) => out.exact.text([textOf(value)]) },
  };
}

/** The value at that path. @throws Failure `field_missing`, with the names that there are */
export function fieldOf(value: unknown, path: string): unknown {
  const parts = path.split(/(?<!\\)\./).map((part) => part.replaceAll('\\.', '.'));
  let at = value;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    // `logins[0]`, as in JavaScript and jq, where nothing is called so.
    const [, name, index] = (has(at, part) ? undefined : /^(.*)\[(\d+)\]$/s.exec(part)) ?? [];
    if (index !== undefined) parts.unshift(...(name ? [name] : []), index);
    else if (has(at, part)) at = at[part];
    else throw fieldMissing(path, part, at);
  }
  return at;
}

function has(value: unknown, name: string): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, name) && !(Array.isArray(value) && name === 'length');
}

/** @param at Where `part` of it was looked for. */
function fieldMissing(path: string, part: string, at: unknown): Failure {
  const names = typeof at === 'object' && at !== null && !Array.isArray(at) ? Object.keys(at) : [];
  const more = names.length > maxNamed ? `, and ${names.length - maxNamed} more` : '';
  const shown = names.slice(0, maxNamed).map((name) => printable(name, 80));
  const there = Array.isArray(at)
    ? `a list of ${at.length}, counted from 0`
    : `${shown.join(', ') || 'no members'}${more}`;
  return new Failure({
    code: 'field_missing',
    exit: exitCode.usage,
    message: `The result has no field ${quoted(path, 200)}.`,
    remedy: `In place of ${quoted(part, 80)} there is: ${there}; see all of the result with --json.`,
  });
}
