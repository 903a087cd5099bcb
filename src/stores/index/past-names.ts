import { createHash } from 'node:crypto';
import type { IndexDocument, PastName } from '../../core/records.js';

/** As many as are remembered: nobody has typed the others for long. */
const maxPastNames = 200;

/**
 * The index after a change, with the names in it that a login has lost (logout, another name): scripts and people may
 * still type them, so that no other server gets one unasked. Of its server only a hash is kept, as the login was to be
 * forgotten.
 */
export function withPastNames(before: IndexDocument, after: IndexDocument): IndexDocument {
  const lost = before.logins.flatMap(({ name, server }): readonly PastName[] => {
    const isKept = name === undefined || after.logins.some((login) => login.name === name && login.server === server);
    return isKept ? [] : [{ name, of: markOf(server) }];
  });
  if (lost.length === 0) return after;
  const isLost = ({ name, of }: PastName) => lost.some((one) => one.name === name && one.of === of);
  const others = (after.pastNames ?? []).filter((past) => !isLost(past));
  return { ...after, pastNames: [...others, ...lost].slice(-maxPastNames) };
}

/** Whether a new login for this server may get that name without being asked for: no login has it, no other server's had it. */
export function mayGiveName({ logins, pastNames = [] }: IndexDocument, name: string, server: string): boolean {
  const of = markOf(server);
  return (
    logins.every((login) => login.name !== name) && pastNames.every((past) => past.name !== name || past.of === of)
  );
}

function markOf(server: string): string {
  return createHash('sha256').update(`postern name of ${server}`).digest('hex').slice(0, 32);
}
