import { ignoreFailure } from '../core/failure.js';
import type { Clock } from '../core/ports.js';
import { latestProtocolVersion, newestRevision } from '../core/product.js';
import type { IndexDocument, ServerEra } from '../core/records.js';
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

/** Only requests of these methods may come back with questions (2026-07-28, basic/patterns/mrtr). */
export const mayAsk: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** The first notification of a subscription: what the server agrees to (basic/patterns/subscriptions). */
export const acknowledged = 'notifications/subscriptions/acknowledged';

/** The revisions that a request of the newer era may name, the one that is wanted first. */
export const knownRevisions: readonly string[] = [newestRevision, latestProtocolVersion];

/** The texts of a list, such as the revisions that a server names; none of anything else. */
export function textsIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** The index of logins, as far as it is needed here. */
interface EraIndex {
  read(): Promise<IndexDocument>;
  update(change: (document: IndexDocument) => IndexDocument): Promise<unknown>;
}

/** After seven days a server is asked anew: it may have got another release. */
const eraLastsMs = 7 * 86_400_000;

/** Verdicts that are kept, of the servers that were asked last. */
const maxEras = 256;

/** The era of a server as the index has it. Where nothing of a login is kept, its server's era is not kept either. */
export async function keptEra(
  { index, clock }: { readonly index: EraIndex; readonly clock: Clock },
  { server, key, store }: { readonly server: string; readonly key?: string | undefined; readonly store?: string },
): Promise<EraMemory> {
  const now = clock.now();
  const { eras = [] } = await index.read();
  const isFresh = ({ checkedAt }: ServerEra) => checkedAt <= now && now - checkedAt < eraLastsMs;
  const known = eras.find((one) => one.server === server && isFresh(one))?.era;
  const isKept = key === undefined || (store !== 'memory' && store !== 'environment');
  const learned = async (era: Era) => {
    if (!isKept || era === known) return;
    const keep = (document: IndexDocument) => {
      const others = (document.eras ?? []).filter((one) => one.server !== server && isFresh(one));
      return { ...document, eras: [...others.slice(1 - maxEras), { server, era, checkedAt: now }] };
    };
    await index.update(keep).catch(ignoreFailure); // it only saves a request
  };
  return { known, isForced: false, learned };
}
