import { createHash } from 'node:crypto';
import type { Items } from './items.js';

export type StoredValue =
  | { readonly damaged: false; readonly text: string }
  /** Its parts are not those that were written. */
  | { readonly damaged: true };

/** A value in parts: which set they are, how many, how long together, and their SHA-256. */
interface Head {
  readonly set: PartSet;
  readonly count: number;
  readonly digest: string;
}

/** New parts never overwrite those that the head still names. */
type PartSet = 'a' | 'b';

const headPattern = /^postern-parts 1 ([ab]) ([1-9][0-9]{0,4}) ([0-9a-f]{64})$/;

/** The value of `key`; undefined when there is none. Looks again when another process replaces it at that moment. */
export async function readValue(items: Items, key: string): Promise<StoredValue | undefined> {
  let before: string | undefined;
  for (;;) {
    const text = await items.get(key);
    if (text === undefined) return undefined;
    const whole = isHead(text) ? await joined(items, key, parseHead(text)) : text;
    if (whole !== undefined) return { damaged: false, text: whole };
    if (text === before) return { damaged: true };
    before = text;
  }
}

/**
 * Writes the value, in parts where an item cannot hold it: the parts first, the head last, then the old parts are
 * deleted. Whatever fails in between, the key has its old value or its new one. Nothing is ever cut off.
 * @param maxLength UTF-16 code units in one item, at least 128.
 */
export async function writeValue(items: Items, key: string, value: string, maxLength: number): Promise<void> {
  if (value.length <= maxLength && !isHead(value)) {
    await items.set(key, value);
    if (maxLength !== Number.POSITIVE_INFINITY) await deleteParts(items, key);
    return;
  }
  const old = await items.get(key);
  const set: PartSet = old !== undefined && parseHead(old)?.set === 'a' ? 'b' : 'a';
  const parts = split(value, maxLength);
  for (const [index, part] of parts.entries()) await items.set(partKey(key, set, index), part);
  await items.set(key, `${headMark}1 ${set} ${parts.length} ${digestOf(value)}`);
  await deleteParts(items, key, { [set]: parts.length });
}

/** Removes the value: the head first, so that no reader finds a half, then every part, also of a write that failed. */
export async function removeValue(items: Items, key: string, maxLength: number): Promise<boolean> {
  const text = await items.get(key);
  const isRemoved = await items.delete(key);
  if (maxLength !== Number.POSITIVE_INFINITY || (text !== undefined && isHead(text))) await deleteParts(items, key);
  return isRemoved;
}

async function joined(items: Items, key: string, head: Head | undefined): Promise<string | undefined> {
  if (head === undefined) return undefined;
  const parts: string[] = [];
  for (let index = 0; index < head.count; index += 1) {
    const part = await items.get(partKey(key, head.set, index));
    if (part === undefined) return undefined;
    parts.push(part);
  }
  const value = parts.join('');
  return digestOf(value) === head.digest ? value : undefined;
}

function parseHead(text: string): Head | undefined {
  const [, set, count, digest] = headPattern.exec(text) ?? [];
  return (set === 'a' || set === 'b') && digest !== undefined ? { set, count: Number(count), digest } : undefined;
}

/** Cuts between code points: half a surrogate pair does not survive UTF-8. */
function split(value: string, maxLength: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < value.length; ) {
    let end = Math.min(value.length, at + maxLength);
    const last = value.charCodeAt(end - 1);
    if (end < value.length && last >= 0xd800 && last <= 0xdbff) end -= 1;
    parts.push(value.slice(at, end));
    at = end;
  }
  return parts;
}

/**
 * Deletes parts, of each set but the first `kept` ones. The last go first, so that what an interrupted deletion leaves
 * is found again: parts from 0 on without a gap.
 */
async function deleteParts(items: Items, key: string, kept: Partial<Record<PartSet, number>> = {}): Promise<void> {
  for (const set of ['a', 'b'] as const) {
    const from = kept[set] ?? 0;
    let end = from;
    while ((await items.get(partKey(key, set, end))) !== undefined) end += 1;
    for (let index = end - 1; index >= from; index -= 1) await items.delete(partKey(key, set, index));
  }
}

function partKey(key: string, set: PartSet, index: number): string {
  return `${key}-${set}${index}`;
}

function digestOf(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

/** How the head of a value in parts begins; values are JSON, which never does. */
const headMark = 'postern-parts ';

/** Is this the head of a value in parts, and not a value? */
export function isHead(text: string): boolean {
  return text.startsWith(headMark);
}
