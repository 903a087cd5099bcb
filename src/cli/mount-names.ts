import type { LoginRecord } from '../primitives/records.js';

/**
 * A path segment for each login, no two the same: its name, else its server's host; a number behind where that is
 * taken.
 */
export function mountNames(logins: readonly Pick<LoginRecord, 'name' | 'server'>[]): readonly string[] {
  const taken = new Set<string>();
  return logins.map(({ name, server }) => {
    const base = name ?? (new URL(server).hostname.replace(/[^a-z0-9.-]+/g, '') || 'server');
    let own = base;
    for (let count = 2; taken.has(own); count += 1) own = `${base}-${count}`;
    taken.add(own);
    return own;
  });
}
