import { asciiJsonPieces } from './text/json-pieces.js';
import { asciiJson } from './text/printable.js';

/** Writes bytes as they are, and waits until they are taken. @throws Failure `output_failed` */
export type WriteBytes = (bytes: string | Uint8Array) => Promise<void>;

/** stdout, which carries the result and nothing else. Each method throws Failure `output_failed`. */
export interface ResultWriter {
  /** True when a person reads it: then a server's text is not for it as it is. */
  readonly isTerminal: boolean;
  /** Exactly these bytes. */
  readonly write: WriteBytes;
  /** Text and a line feed; of a secret that is known, *** is printed. */
  line(text: string): Promise<void>;
  /** One line of JSON, ASCII only; of a secret that is known, *** is printed. */
  json(value: unknown): Promise<void>;
  /** The same for what a server has answered: nothing of it is replaced, and it is made as the reader takes it. */
  readonly exact: {
    readonly text: (pieces: Iterable<string>) => Promise<void>;
    readonly json: (value: unknown) => Promise<void>;
  };
}

/** What is longer is not copied only to get its line feed. In characters. */
const shortText = 262_144;

/** The result writer on top of stdout. */
export function createResultWriter(
  write: WriteBytes,
  isTerminal: boolean,
  redact: (text: string) => string,
): ResultWriter {
  const line = async (text: string): Promise<void> => {
    if (text.length <= shortText) return write(`${text}\n`);
    await write(text);
    await write('\n');
  };
  return {
    isTerminal,
    write,
    line: (text) => line(redact(text)),
    json: (value) => line(redact(asciiJson(value))),
    exact: {
      text: (pieces) => writePieces(write, pieces),
      json: (value) => writePieces(write, asciiJsonPieces(value)),
    },
  };
}

/** Short pieces are written together, and a long one by itself. In characters. */
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
