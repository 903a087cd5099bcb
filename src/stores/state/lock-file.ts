import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../../core/failure.js';
import { parseObject } from '../../core/text/json.js';
import { isWindows } from '../../core/text/system.js';
import { readIfThere, removeIfThere, whenFree } from '../private-file.js';
import { exists, identityIn, type ProcessIdentity, stateOf } from './process-identity.js';

/** What a lock file says, and what is known of it. */
export interface Claim {
  /** Never used twice: it tells this very claim from any other at the same path. */
  readonly nonce: string;
  /** Undefined when the file cannot be understood (cut off by a power cut). */
  readonly holder: ProcessIdentity | undefined;
  /** When it was written, or its holder last gave a sign of life; milliseconds since 1970. */
  readonly writtenAt: number;
}

/** A claim of this process. */
export interface OwnClaim {
  readonly nonce: string;
  readonly life: Life;
}

/** The process that looks at a lock. */
export interface Looker {
  /** The path of the lock's own claim. */
  readonly base: string;
  readonly us: ProcessIdentity;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Ends of the names of a lock's other files. */
const suffix = { temporary: '.new', breaking: '.break' } as const;

const maxBytes = 4096;

/**
 * Makes the lock file with all that it says in one step: written elsewhere, then `link(2)`, which fails when the
 * name is taken. Its life begins before it and ends after it. Undefined when another claim was first.
 */
export function publishClaim(path: string, { base, us }: Omit<Looker, 'now'>): OwnClaim | undefined {
  const nonce = randomBytes(16).toString('hex');
  const life = beginLife(lifePath(base, us.pid, nonce));
  const temporary = `${base}.${us.pid}.${nonce}${suffix.temporary}`;
  let [isWritten, isOurs] = [false, false];
  try {
    writeFileSync(temporary, JSON.stringify({ nonce, ...us }), { flag: 'wx', mode: 0o600 });
    isWritten = true;
    whenFree(() => linkSync(temporary, path));
    isOurs = true;
    return { nonce, life };
  } catch (error) {
    // ENOENT: a sweeper in another container took our file for a dead process's. Before that it is the folder that is gone.
    if (isWritten && ['EEXIST', 'ENOENT'].includes(systemCode(error))) return undefined;
    throw error;
  } finally {
    if (!isOurs) life.end(true);
    removeIfThere(temporary);
  }
}

function lifePath(base: string, pid: number, nonce: string): string {
  return `${base}.${pid}.${nonce}`;
}

/** The claim at `path`; undefined when there is none. @throws Failure `state_unsafe` */
export function readClaim(path: string): Claim | undefined {
  const file = readIfThere(path, maxBytes, 2); // the second name is the one it was written under
  if (file === undefined) return undefined;
  const claim = parseObject(file.bytes);
  const holder = identityIn(claim);
  const nonce = claim?.['nonce'];
  const { ino, mtimeMs: writtenAt } = file.stats;
  const isWhole = typeof nonce === 'string' && /^[0-9a-f]{32}$/.test(nonce) && holder !== undefined;
  if (isWhole) return { nonce, holder, writtenAt };
  return { nonce: `${ino}-${Math.floor(writtenAt)}`, holder: undefined, writtenAt };
}

/** Says, `at` milliseconds since 1970, that the holder of this claim is at work. */
export function touchClaim(path: string, nonce: string, at: number): void {
  if (readClaim(path)?.nonce === nonce) utimesSync(path, at / 1000, at / 1000);
}

/** Removes the file at `path` if it is this claim's. */
export function removeClaim(path: string, nonce: string): void {
  if (readClaim(path)?.nonce === nonce) removeIfThere(path);
}

/** After this long without a sign of life a holder that cannot be seen (another machine or container) counts as dead. */
const unseenHolderMs = 600_000;

/** Is the process dead that made this claim? Never by its age alone, where it can be seen. */
export function isDead({ holder, nonce, writtenAt }: Claim, { base, us, now }: Looker): boolean {
  const state = holder === undefined ? 'unknown' : stateOf(holder, us, writtenAt);
  if (state === 'unknown') return now - writtenAt > unseenHolderMs;
  return state === 'dead' || (holder !== undefined && isLifeOver(lifePath(base, holder.pid, nonce)));
}

/**
 * Removes the file at `path` if it still is this claim of a dead process. Only the holder of the file
 * `<base>.<nonce>.break` may do so, and it looks again first: of many waiters one removes the dead claim, and none the
 * live one that follows it. Should that holder die, its file is broken in the same way.
 */
export function breakClaim(path: string, claim: Claim, by: Looker): void {
  const right = `${by.base}.${claim.nonce}${suffix.breaking}`;
  const ours = publishClaim(right, by);
  if (ours === undefined) {
    const other = readClaim(right);
    if (other !== undefined && isDead(other, by)) breakClaim(right, other, by);
    return;
  }
  let isGone = false;
  try {
    removeClaim(path, claim.nonce);
  } finally {
    try {
      removeClaim(right, ours.nonce);
      isGone = true;
    } finally {
      ours.life.end(isGone);
    }
  }
}

/** Removes what killed processes left of a lock. For its holder only: then no right to break another claim counts. */
export function sweep(base: string, ownNonce: string): void {
  const folder = dirname(base);
  const prefix = `${basename(base)}.`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue;
    const rest = name.slice(prefix.length);
    const isOldRight = rest.endsWith(suffix.breaking) && !rest.startsWith(ownNonce);
    const isOrphan = rest.endsWith(suffix.temporary) && !exists(Number.parseInt(rest, 10));
    if (isOldRight || isOrphan) removeIfThere(join(folder, name));
    else if (/^\d+\.[0-9a-f]{32}$/.test(rest) && !rest.endsWith(ownNonce)) clearLife(join(folder, name));
  }
}

/** What shows that the process behind a claim lives, where its number does not: a file that it alone has open. */
interface Life {
  /** Does nothing the second time. @param isGone Is the claim removed? Else others may take it for a dead one's. */
  end(isGone: boolean): void;
}

/** libuv's `UV_FS_O_EXLOCK`, which `node:fs` takes but does not name: the file is shared with nobody. Windows has it alone. */
const exclusive = 0x1000_0000;

/**
 * Windows uses the numbers of processes again soon, and nothing says cheaply when a process began: a dead one's claim would
 * seem to be that of the process that has its number now. There the system closes the file when the process ends, however it does.
 * Elsewhere no file is made, opened or removed. On a network share a file counts as closed, too, when the connection is lost.
 */
function beginLife(path: string): Life {
  if (!isWindows) return { end: () => {} };
  const { O_CREAT, O_EXCL, O_RDWR } = constants;
  const file = openSync(path, O_RDWR | O_CREAT | O_EXCL | exclusive, 0o600);
  let isOver = false;
  return {
    end: (isGone) => {
      if (isOver) return;
      isOver = true;
      // A claim that was removed may still be read while others have it open: it is nobody's to break.
      if (isGone) quietly(() => writeSync(file, '-'));
      closeSync(file);
      clearLife(path);
    },
  };
}

/**
 * Has the process died that began it, its claim not removed? Whatever is in the way (a virus scanner, for a moment) shows
 * nothing: only a file that opens has nobody behind it.
 */
function isLifeOver(path: string): boolean {
  if (!isWindows) return false;
  const isOver = quietly(() => {
    const file = openSync(path, constants.O_RDONLY);
    try {
      return fstatSync(file).size === 0;
    } finally {
      closeSync(file);
    }
  });
  return isOver === true;
}

/** Removes the file of a life that is over; that of a living process, or that a virus scanner has open, stays for the next holder. */
function clearLife(path: string): void {
  if (isWindows) quietly(() => unlinkSync(path));
}

function quietly<Value>(immediate: () => Value): Value | undefined {
  try {
    return immediate();
  } catch {
    return undefined;
  }
}
