import type { LoginRecord } from '../../primitives/records.js';

/** Is this a login to try in place of the one that no longer does? */
export function isOther(before: LoginRecord | undefined, now: LoginRecord): boolean {
  if (now.dead === true) return false;
  return (
    before === undefined ||
    before.key !== now.key ||
    before.generation !== now.generation ||
    (before.obtainedAt !== now.obtainedAt && before.dead === true)
  );
}
