import { isMap, isNode, isSeq, visit } from 'yaml';
import { lineStart } from './text.js';

/** Offsets of whole lines. */
export interface Lines {
  readonly start: number;
  readonly end: number;
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
