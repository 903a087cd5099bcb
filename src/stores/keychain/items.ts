import { createHash } from 'node:crypto';
import type { Limits } from '../../core/limits.js';
import type { Clock } from '../../core/ports.js';
import { storeDamaged } from './failures.js';

/** Single items of a keychain, each at most as long as the platform allows. */
export interface Items {
  /** Unlocks the keychain, with the user's help, if it is locked. */
  open(): Promise<void>;
  get(account: string): Promise<string | undefined>;
  set(account: string, text: string): Promise<void>;
  /** False when there was none. */
  delete(account: string): Promise<boolean>;
}

export interface KeychainOptions {
  /** As `process.platform` names it. */
  readonly platform: string;
  /** The environment of this process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Is there a user who could unlock the keychain now? */
  readonly interactive: boolean;
  /** Takes a line for that user. */
  readonly notify: (line: string) => void;
  /** For one use of the keychain, and for the user to unlock it. */
  readonly limits: Pick<Limits, 'storeSeconds' | 'unlockSeconds'>;
}

/** A value in parts: which set they are, how many, and their SHA-256. */
interface Head {
  readonly set: PartSet;
  readonly count: number;
  readonly digest: string;
}

/** New parts never overwrite those that the head still names. */
type PartSet = 'a' | 'b';

type PartItems = Omit<Items, 'open'>;

/** How the head of a value in parts begins; values are JSON, which never does. */
const headMark = 'postern-parts ';

const headPattern = /^postern-parts 1 ([ab]) ([1-9][0-9]{0,4}) ([0-9a-f]{64})$/;

/**
 * The value of `key`; undefined when there is none. Looks again when another process replaces it at that moment.
 * @throws Failure `credential_corrupt`
 */
export async function readValue(items: PartItems, key: string): Promise<string | undefined> {
  let before: string | undefined;
  for (;;) {
    const text = await items.get(key);
    if (text === undefined) return undefined;
    const whole = text.startsWith(headMark) ? await joined(items, key, parseHead(text)) : text;
    if (whole !== undefined) return whole;
    if (text === before) throw storeDamaged();
    before = text;
  }
}

/**
 * Writes the value, in parts where an item cannot hold it: the parts first, the head last, then the old parts are
 * deleted. Whatever fails in between, the key has its old value or its new one. Nothing is ever cut off.
 * @param maxLength UTF-16 code units in one item, at least 128.
 */
export async function writeValue(items: PartItems, key: string, value: string, maxLength: number): Promise<void> {
  if (value.length <= maxLength && !value.startsWith(headMark)) {
    await items.set(key, value);
    if (maxLength !== Number.POSITIVE_INFINITY) await deleteParts(items, key);
    return;
  }
  const old = parseHead((await items.get(key)) ?? '');
  const set: PartSet = old?.set === 'a' ? 'b' : 'a';
  const parts = split(value, maxLength);
  for (const [index, part] of parts.entries()) await items.set(partKey(key, set, index), part);
  await items.set(key, `${headMark}1 ${set} ${parts.length} ${digestOf(value)}`);
  await deleteParts(items, key, { [set]: parts.length });
}

/** Removes the value: the head first, so that no reader finds a half, then every part, also of a write that failed. */
export async function removeValue(items: PartItems, key: string, maxLength: number): Promise<boolean> {
  const text = await items.get(key);
  const isRemoved = await items.delete(key);
  if (maxLength !== Number.POSITIVE_INFINITY || text?.startsWith(headMark)) await deleteParts(items, key);
  return isRemoved;
}

async function joined(items: PartItems, key: string, head: Head | undefined): Promise<string | undefined> {
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
async function deleteParts(items: PartItems, key: string, kept: Partial<Record<PartSet, number>> = {}): Promise<void> {
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
