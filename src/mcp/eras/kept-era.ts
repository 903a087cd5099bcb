import { ignoreFailure } from '../../core/failure.js';
import type { Clock } from '../../core/ports.js';
import type { IndexDocument, ServerEra } from '../../core/records.js';
import type { Era, EraMemory } from '../eras.js';

/** The index of logins, as far as it is needed here. */
export interface EraIndex {
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
