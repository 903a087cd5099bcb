import assert from 'node:assert/strict';
import type { Stage } from '../e2e/stage.js';
import { writeStored } from '../support/keyring-queries.js';

/** How often a test is to be repeated: `variable` of the environment, at most `most`; else `usual`. */
export function rounds(variable: string, usual: number, most: number): number {
  const wanted = Number(process.env[variable] ?? usual);
  return Number.isInteger(wanted) && wanted > 0 ? Math.min(wanted, most) : usual;
}

/** Members of a stored credential that tests look at or change. */
export interface ItemFields {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: number;
  readonly obtainedAt: number;
}

/** The item in the real keychain. */
export async function itemOf(stage: Stage, key: string): Promise<ItemFields> {
  const text = await stage.keyring.lookup(key);
  assert.ok(text !== undefined, 'the item is there');
  return JSON.parse(text) as ItemFields;
}

/** Makes the stored token run out `inMs` from now, as far as this machine knows; the item is otherwise as it was. */
export async function letExpire(stage: Stage, key: string, inMs: number): Promise<ItemFields> {
  const item = { ...(await itemOf(stage, key)), expiresAt: Date.now() + inMs };
  await writeItem(stage, key, item);
  return item;
}

/** Puts an item into the real keychain. */
export async function writeItem(stage: Stage, key: string, item: ItemFields): Promise<void> {
  await writeStored(stage.home.env, key, JSON.stringify(item));
}

// biome-ignore lint/performance/noBarrelFile: tests of other rooms find them here
export {
  isTaken,
  keysOf,
  logIn,
  recordOf,
  recordsOf,
  refreshAsked,
  refreshTokensSent,
} from '../support/at-stage.js';
