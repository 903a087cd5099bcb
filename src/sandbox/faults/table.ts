import { authorizationMetadataFaults } from './authorization-metadata.js';
import { callbackFaults } from './callback.js';
import { challengeFaults } from './challenge.js';
import { companyFaults } from './company.js';
import { dpopFaults } from './dpop.js';
import type { Fault } from './fault.js';
import { insistingFaults } from './insisting.js';
import { newerEraFaults } from './newer-era.js';
import { refreshFaults } from './refresh.js';
import { pushedFaults, registrationFaults } from './registration.js';
import { resourceMetadataFaults } from './resource-metadata.js';
import { serverFaults } from './server.js';
import { tokenFaults } from './token.js';
import { upstreamFaults } from './upstream.js';
import { workloadFaults } from './workload.js';

/** What is attacked, in the order of a login, and the faults there. */
const groups: readonly (readonly [about: string, faults: () => readonly Fault[]])[] = [
  ['The challenge (401)', challengeFaults],
  ['Protected resource metadata (RFC 9728)', resourceMetadataFaults],
  ['Authorization server metadata (RFC 8414)', authorizationMetadataFaults],
  ['Client registration (RFC 7591)', registrationFaults],
  ['Pushed authorization requests (RFC 9126)', pushedFaults],
  ['What it insists on', insistingFaults],
  ['The answer to the callback', callbackFaults],
  ['The token endpoint', tokenFaults],
  ['Refresh', refreshFaults],
  ['The platform of a workload (RFC 7523)', workloadFaults],
  ['Tokens bound to a key (RFC 9449), with --dpop', dpopFaults],
  ['The provider of a company (ID-JAG)', companyFaults],
  ['The protected server, asked with a token', serverFaults],
  ['The protected server, in revision 2026-07-28', newerEraFaults],
  ['The service behind the server', upstreamFaults],
];

/** Every fault there is, with counters of its own at zero. */
export function allFaults(): readonly Fault[] {
  return groups.flatMap(([, faults]) => faults());
}

/** One fault as `postern sandbox --misbehave list` shows it. */
export interface ListedFault {
  readonly name: string;
  /** What is done wrong. */
  readonly what: string;
  /** Where, for a person. */
  readonly group: string;
}

/** Each name once, in the order of a login. */
export function listFaults(): readonly ListedFault[] {
  const seen = new Map<string, ListedFault>();
  for (const [group, faults] of groups) {
    for (const { name, what } of faults()) if (!seen.has(name)) seen.set(name, { name, what, group });
  }
  return [...seen.values()];
}
