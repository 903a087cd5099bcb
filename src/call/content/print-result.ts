import type { CommandOutput } from '../../core/command.js';
import type { Files } from '../../core/ports.js';
import type { JsonObject } from '../../core/text/json.js';
import { jsonPieces } from '../../core/text/json-pieces.js';
import { printable } from '../../core/text/printable.js';
import type { OutputForm } from '../call.options.js';
import { lines, terminalText } from '../render.js';
import { listLines } from '../tools/render-list.js';
import { type Media, type Piece, piecesOf } from './pieces.js';
import { Saver } from './save.js';

export interface Result {
  readonly method: string;
  readonly result: JsonObject;
  /** The result's bytes as the server sent them, one for each page of a list; none where they are not at hand. */
  readonly raw: readonly Uint8Array[];
}

interface Printing {
  readonly form: OutputForm;
  /** `--save`. */
  readonly folder: string | undefined;
  /** `--long`. */
  readonly isLong?: boolean;
}

type PrintWorld = Pick<CommandOutput, 'out' | 'look' | 'tell'> & { readonly files: Files };

/**
 * Prints a result on stdout, and saves what can be files where a folder is given.
 * @throws Failure `not_saved`, `file_unwritable`, `output_failed`
 */
export async function printResult(world: PrintWorld, given: Result, printing: Printing): Promise<void> {
  const { out, files, tell } = world;
  const { form, folder, isLong = false } = printing;
  const { method, result, raw } = given;
  const pieces = piecesOf(method, result);
  const saver = folder === undefined ? undefined : new Saver(files, folder);
  if (form === 'text') return printForPerson(world, { ...given, isLong }, pieces, saver);
  if (form === 'raw' && raw.length > 0) await printRaw(world, raw);
  else await out.exact.json(result);
  for (const piece of pieces ?? []) {
    const path = saver && piece.kind === 'media' ? await saved(saver, piece) : undefined;
    if (path !== undefined) tell(`Saved ${printable(path, 1_000)}`);
  }
}

async function printRaw({ out }: PrintWorld, pages: readonly Uint8Array[]): Promise<void> {
  for (const page of pages) {
    if (out.isTerminal) await out.exact.text(terminalText([new TextDecoder().decode(page)]));
    else {
      await out.write(page);
      await out.write('\n');
    }
  }
}

async function printForPerson(
  { out, look }: PrintWorld,
  { method, result, isLong }: Result & { readonly isLong: boolean },
  pieces: readonly Piece[] | undefined,
  saver: Saver | undefined,
): Promise<void> {
  const { isTerminal } = out;
  const list = listLines(method, result, { look, isTerminal, isLong });
  if (list !== undefined) return out.exact.text(lines(list, (line) => line));
  const isText = pieces?.every((piece) => isPlain(method, piece)) === true;
  // A program behind a pipe gets all of what is not text alone, and so does a person of a prompt, as ever.
  const isWhole = pieces === undefined || method === 'prompts/get' || !isTerminal;
  if (saver === undefined && isWhole && !isText) {
    const text = jsonPieces(result, '  ');
    return out.exact.text(isTerminal ? terminalText(text) : text);
  }
  for (const piece of pieces ?? []) {
    const text = await textOf(piece, saver, isTerminal);
    await out.exact.text(isTerminal ? terminalText([text], look.width) : [text]);
  }
}

function isPlain(method: string, piece: Piece): boolean {
  if (method === 'prompts/get') return false;
  const isOwnText = piece.kind === 'media' && method === 'resources/read' && typeof piece.content === 'string';
  return piece.kind === 'text' || isOwnText;
}

async function textOf(piece: Piece, saver: Saver | undefined, isTerminal: boolean): Promise<string> {
  if (piece.kind === 'text') return piece.text;
  if (piece.kind === 'other') return piece.line;
  const path = saver && (await saved(saver, piece));
  if (path !== undefined) return isTerminal ? printable(path, 4_000) : path;
  return typeof piece.content === 'string' ? piece.content : inWords(piece);
}

async function saved(saver: Saver, media: Media): Promise<string | undefined> {
  return media.content === undefined ? undefined : saver.save(media, media.content);
}

/** Of what is no text, where it is not saved: `[image/png, 12 kB: add --save DIR]`. */
function inWords({ what, mediaType, content }: Media): string {
  const type = printable(mediaType === '' ? what : mediaType, 80);
  if (content === undefined) return `[${type}: the server sent no valid base64]`;
  const size = content.length;
  const inBytes = size < 1_000 ? `${size} bytes` : size < 1_000_000 ? `${Math.round(size / 1_000)} kB` : undefined;
  return `[${type}, ${inBytes ?? `${(size / 1_000_000).toFixed(1)} MB`}: add --save DIR]`;
}
