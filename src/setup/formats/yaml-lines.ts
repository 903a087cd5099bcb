import { isMap, isNode, isScalar, isSeq, type ParseOptions, parseAllDocuments, type SchemaOptions, visit } from 'yaml';
import { lineStart, NotEditable } from './text.js';

/** Offsets of whole lines. */
export interface Lines {
  readonly start: number;
  readonly end: number;
}

/**
 * The documents of a text. To find a name that is twice in a map, the library compares each with all others.
 * @throws NotEditable
 */
export function documentsIn(text: string, options: ParseOptions & SchemaOptions = {}) {
  const documents = [...parseAllDocuments(text, { ...options, logLevel: 'silent', uniqueKeys: false })];
  for (const document of documents) {
    visit(document, {
      Map: (_, { items }) => {
        const names = items.flatMap(({ key }) => (isScalar(key) ? [key.value] : []));
        if (new Set(names).size < names.length) throw new NotEditable('unreadable');
      },
    });
  }
  return documents;
}

/** Behind the last value in a node; comments behind it are not part of it. */
export function lastOffset(item: unknown): number {
  let last = 0;
  if (!isNode(item)) return last;
  visit(item, {
    Node: (_, node) => {
      const isBlock = (isMap(node) || isSeq(node)) && node.flow !== true && node.items.length > 0;
      if (!isBlock) last = Math.max(last, node.range?.[1] ?? 0);
    },
  });
  return last;
}

export function columnOf(text: string, at: number): number {
  return at - lineStart(text, at);
}

/** A block in the indentation that it has to have now. */
export function reindented(block: string, indent: string): string {
  const own = /^ */.exec(block)?.[0] ?? '';
  return block.replace(/^ *(?=\S)/gm, (spaces) => `${indent}${spaces.slice(own.length)}`);
}
