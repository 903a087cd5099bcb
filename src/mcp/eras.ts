import { latestProtocolVersion, newestRevision } from '../core/product.js';
import type { JsonValue } from '../core/text/json.js';

/** A server of the older era begins with `initialize`; to one of the newer era each request says all by itself. */
export type Era = 'newer' | 'older';

/** What of a server's era is known, and who keeps what is found out. */
export interface EraMemory {
  readonly known: Era | undefined;
  /** Whether a person said so: then nothing else is tried. */
  readonly isForced: boolean;
  learned(era: Era): Promise<void>;
}

/** JSON-RPC errors that only the newer era has (basic/index, error codes). */
export const newerError = { headerMismatch: -32020, capabilityMissing: -32021, revisionUnsupported: -32022 } as const;

/** The revisions that a request of the newer era may name, the one that is wanted first. */
export const knownRevisions: readonly string[] = [newestRevision, latestProtocolVersion];

/** The texts of a list, such as the revisions that a server names; none of anything else. */
export function textsIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
