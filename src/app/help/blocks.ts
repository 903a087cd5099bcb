/** A piece of a help page, laid out for a terminal (screen.ts) and for the manual (man-pages.ts). */
export type Block =
  /** Names in a text stand between backticks. */
  | { readonly kind: 'heading' | 'paragraph'; readonly text: string }
  | { readonly kind: 'code' | 'items'; readonly lines: readonly string[] }
  | { readonly kind: 'terms'; readonly rows: readonly Row[] }
  /** Command lines to copy, each with what it does. */
  | { readonly kind: 'examples'; readonly rows: readonly Row[] };

/** A label, and what it means. */
export type Row = readonly [label: string, text: string];

/** A block below its heading; nothing where it is empty. */
export function section(title: string, kind: 'terms' | 'examples', rows: readonly Row[]): readonly Block[] {
  if (rows.length === 0) return [];
  return [
    { kind: 'heading', text: title },
    { kind, rows },
  ];
}

export function paragraphs(texts: readonly string[]): readonly Block[] {
  return texts.map((text) => ({ kind: 'paragraph', text }));
}

/**
 * The blocks of a topic: paragraphs of Markdown, and in these `## title`, `- one of several`, `- **term**: what it means`,
 * and four blanks before a line to be copied.
 */
export function blocksOf(markdown: string): readonly Block[] {
  return markdown
    .split(/\n{2,}/)
    .map((part) => part.replace(/^\n+|\s+$/g, ''))
    .filter((part) => part !== '')
    .map(blockOf);
}

function blockOf(part: string): Block {
  const lines = part.split('\n');
  if (lines.every((line) => line.startsWith('    '))) {
    return { kind: 'code', lines: lines.map((line) => line.slice(4)) };
  }
  if (part.startsWith('## ')) return { kind: 'heading', text: part.slice(3) };
  if (!part.startsWith('- ')) return { kind: 'paragraph', text: asLine(part) };
  const items = part.slice(2).split('\n- ').map(asLine);
  const rows = items.flatMap((item) => {
    const [, term = '', text = ''] = /^\*\*(.+?)\*\*: (.*)$/.exec(item) ?? [];
    return term === '' ? [] : [[term, text] as const];
  });
  return rows.length === items.length ? { kind: 'terms', rows } : { kind: 'items', lines: items };
}

/** A text that was written in several lines. */
function asLine(text: string): string {
  return text.replaceAll(/\n */g, ' ');
}
