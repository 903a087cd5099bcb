import type { EngineCommit } from '../engines/engine.js';
import { sharedOvertaken, sharedUncertain } from './failures.js';
import { type AccessItem, halvesOf, type RefreshItem } from './items.js';
import type { Lease, SharedParts } from './lease.js';
import { type Look, lookAt } from './looks.js';
import { maxUnknown } from './turn.js';

/** What is to be written, and what it follows on. */
export interface Writing {
  readonly key: string;
  readonly text: string;
  /** The pair that it follows on, where it is of the generation that is there. */
  readonly basis: string | undefined;
  /** Of this write. */
  readonly pair: string;
}

/**
 * Writes both halves under a lease, and gives that back by the same commit. False where the lease is lost, and nothing
 * was written.
 * @throws Failure of the engine, `shared_overtaken`
 */
export async function writeUnder(
  parts: SharedParts,
  lease: Lease,
  writing: Writing,
  signal: AbortSignal,
): Promise<boolean> {
  const { engine, items } = parts;
  const nameOf = (part: 'access' | 'refresh' | 'note') => items.nameOf(writing.key, part);
  let cause: unknown;
  for (let unknown = 0; unknown < maxUnknown; ) {
    const now = await lookAt(parts, writing.key, ['access', 'refresh', 'lease', 'note'], signal);
    if (now.refresh?.pair === writing.pair) return true; // the response went missing, the write did not
    if (!lease.isOurs(now.entries.lease)) return false;
    const puts = putsOf(parts, now, writing);
    const follows = (['access', 'refresh', 'note'] as const).map((part) => ({
      key: nameOf(part),
      revision: now.entries[part]?.revision,
    }));
    const onlyIf = [lease.condition, ...follows];
    const result = await engine.commit({ onlyIf, puts, removes: [nameOf('note'), lease.name] }, signal);
    if (result.outcome === 'committed') return true;
    // In conflict with its own sign of life: that changed the revision, and it is done again.
    if (result.outcome === 'unknown') ({ cause } = result);
    if (result.outcome === 'unknown') unknown += 1;
  }
  throw sharedUncertain(engine.label, cause);
}

/** @throws Failure `shared_overtaken` */
function putsOf({ items, engine }: SharedParts, now: Look, { key, text, basis, pair }: Writing): EngineCommit['puts'] {
  const halves = halvesOf(text);
  const refreshName = items.nameOf(key, 'refresh');
  const sealRefresh = (item: RefreshItem) => ({ key: refreshName, value: items.seal(refreshName, item) });
  if (halves === undefined) return [sealRefresh({ pair, isReusable: false, hidden: { text } })];
  const { credential, hidden } = halves;
  const generation = Number(credential['generation']);
  const { access, refresh, note } = now;
  const isSame = access?.generation === generation;
  const isLater = access !== undefined && access.generation > generation;
  if (isLater || (isSame && access.pair !== basis)) throw sharedOvertaken(engine.label);
  const { refreshToken } = hidden;
  // Only what came of a refresh says whether its token works again.
  const isSameToken = typeof refreshToken === 'string' && refresh?.hidden['refreshToken'] === refreshToken;
  const isReusable = isSame && isSameToken && (note !== undefined || refresh.isReusable);
  const accessName = items.nameOf(key, 'access');
  const item: AccessItem = { pair, generation, credential, record: access?.record };
  return [{ key: accessName, value: items.seal(accessName, item) }, sealRefresh({ pair, isReusable, hidden })];
}
