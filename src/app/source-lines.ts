import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { singleExecutable } from '../stores/keychain/single-executable.js';

/**
 * The lines of a stack with the places in our TypeScript instead of those in the bundles of `dist`, as far as a source map
 * lies there. Asked for when a stack is printed: to have Node.js do it costs every start.
 */
export function inSource(stack: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  return stack.replace(/[^\s()]*\bdist\/([\w-]+\.cjs):(\d+):(\d+)/g, (position, name: string, line, column) => {
    if (!maps.has(name)) maps.set(name, mapOf(name));
    const entry = maps.get(name)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return position;
    const { originalSource, originalLine, originalColumn } = entry;
    return `${originalSource.replace(/^(?:\.\.\/)+/, '')}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

function mapOf(name: string): SourceMap | undefined {
  try {
    const inside = singleExecutable()?.getRawAsset(`${name}.map`);
    const bytes = inside === undefined ? readFileSync(join(import.meta.dirname, `${name}.map`)) : Buffer.from(inside);
    return new SourceMap(JSON.parse(bytes.toString()));
  } catch {
    return undefined;
  }
}
