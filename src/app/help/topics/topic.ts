import type { CommandTable } from '../../../core/command.js';

/**
 * A chapter of the long reference. Its text is paragraphs with an empty line between them, and in these:
 * `## title`, `- one of several`, which may go on in the next line, `term :: what is said of it`, and four blanks before a line
 * that is to be copied.
 */
export interface Topic {
  readonly name: string;
  /** One line for the list of topics. */
  readonly summary: string;
  readonly text: (tables: readonly CommandTable[]) => string;
}

/** A piece of a topic, as terminals and man pages lay it out. */
export type Block =
  | { readonly kind: 'heading' | 'paragraph'; readonly text: string }
  | { readonly kind: 'code' | 'items'; readonly lines: readonly string[] }
  | { readonly kind: 'terms'; readonly rows: readonly (readonly [term: string, text: string])[] };

/** The blocks of a topic's text. */
export function blocksOf(text: string): readonly Block[] {
  return text
    .split(/\n{2,}/)
    .map((part) => part.replace(/^\n+|\s+$/g, ''))
    .filter((part) => part !== '')
    .map(blockOf);
}

function blockOf(part: string): Block {
  const lines = part.split('\n');
  if (lines.every((line) => line.startsWith('    ')))
    return { kind: 'code', lines: lines.map((line) => line.slice(4)) };
  if (part.startsWith('## ')) return { kind: 'heading', text: part.slice(3) };
  if (part.startsWith('- ')) return { kind: 'items', lines: part.slice(2).split('\n- ').map(asLine) };
  if (lines.every((line) => line.includes(' :: '))) return { kind: 'terms', rows: lines.map(termOf) };
  return { kind: 'paragraph', text: asLine(part) };
}

/** A text that is written in several lines, and laid out anew. */
function asLine(text: string): string {
  return text.replaceAll(/\n */g, ' ');
}

function termOf(line: string): readonly [string, string] {
  const [term = '', ...text] = line.split(' :: ');
  return [term, text.join(' :: ')];
}
