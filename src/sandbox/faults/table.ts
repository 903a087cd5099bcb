import { authorizationMetadataFaults } from './authorization-metadata.js';
import { callbackFaults } from './callback.js';
import { challengeFaults } from './challenge.js';
import type { Fault } from './fault.js';
import { refreshFaults } from './refresh.js';
import { pushedFaults, registrationFaults } from './registration.js';
import { resourceMetadataFaults } from './resource-metadata.js';
import { serverFaults } from './server.js';
import { tokenFaults } from './token.js';
import { upstreamFaults } from './upstream.js';

/** Every fault there is, with counters of its own at zero. */
export function allFaults(): readonly Fault[] {
  return [
    ...challengeFaults(),
    ...resourceMetadataFaults(),
    ...authorizationMetadataFaults(),
    ...registrationFaults(),
    ...pushedFaults(),
    ...callbackFaults(),
    ...tokenFaults(),
    ...refreshFaults(),
    ...serverFaults(),
    ...upstreamFaults(),
  ];
}

/** What `postern sandbox --help` lists: each name once, with the attack rows it plays. */
export function listFaults(): readonly Pick<Fault, 'name' | 'rows' | 'what'>[] {
  const seen = new Map<string, Pick<Fault, 'name' | 'rows' | 'what'>>();
  for (const { name, rows, what } of allFaults()) if (!seen.has(name)) seen.set(name, { name, rows, what });
  return [...seen.values()];
}
