import type { EngineCommit } from '../engine/engine.js';
import { sharedOvertaken } from '../failures.js';
import { type AccessItem, digestOf, halvesOf, type Look, lookAt, type RefreshItem } from './items.js';
import { commitSurely, type Lease, type LoginsOptions } from './turn.js';

/** Marks of spent refresh tokens that an item has: machines that look at it from time to time miss none. */
const maxSpent = 16;

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
  parts: LoginsOptions,
  lease: Lease,
  writing: Writing,
  signal: AbortSignal,
): Promise<boolean> {
  const { engine, items, spent } = parts;
  const nameOf = (part: 'access' | 'refresh' | 'note') => items.nameOf(writing.key, part);
  for (;;) {
    const now = await lookAt(parts, writing.key, ['access', 'refresh', 'lease', 'note'], signal);
    if (now.refresh?.pair === writing.pair) {
      await spent.learn(items.hashOf(writing.key), now.refresh.spent);
      return true; // the engine was away when it had written
    }
    if (!lease.isOurs(now.entries.lease)) return false;
    const { puts, marks } = putsOf(parts, now, writing);
    const follows = (['access', 'refresh', 'note'] as const).map((part) => ({
      key: nameOf(part),
      revision: now.entries[part]?.revision,
    }));
    const onlyIf = [lease.condition, ...follows];
    // In conflict with its own sign of life: that changed the revision, and it is done again.
    if (await commitSurely({ engine, signal }, { onlyIf, puts, removes: [nameOf('note'), lease.name] })) {
      await spent.learn(items.hashOf(writing.key), marks);
      return true;
    }
  }
}

/** @throws Failure `shared_overtaken` */
function putsOf(
  { items, engine }: LoginsOptions,
  now: Look,
  { key, text, basis, pair }: Writing,
): { readonly puts: EngineCommit['puts']; readonly marks: readonly string[] } {
  const halves = halvesOf(text);
  const refreshName = items.nameOf(key, 'refresh');
  const sealRefresh = (item: RefreshItem) => ({ key: refreshName, value: items.seal(refreshName, item) });
  if (halves === undefined) {
    return { puts: [sealRefresh({ pair, of: '', spent: [], isReusable: false, hidden: { text } })], marks: [] };
  }
  const { credential, hidden } = halves;
  const generation = Number(credential['generation']);
  const { access, refresh, note } = now;
  const isSame = access?.generation === generation;
  const isLater = access !== undefined && access.generation > generation;
  if (isLater || (isSame && access.pair !== basis)) throw sharedOvertaken(engine.label);
  const { refreshToken } = hidden;
  // Only what came of a refresh says whether its token works again.
  const before = refresh?.hidden['refreshToken'];
  const isSameToken = typeof refreshToken === 'string' && before === refreshToken;
  const isReusable = isSame && isSameToken && (note !== undefined || refresh?.isReusable === true);
  const accessName = items.nameOf(key, 'access');
  const item: AccessItem = { pair, generation, credential, record: access?.record };
  const replaced = typeof before === 'string' && !isSameToken ? [items.markOf(before)] : [];
  const spent = [...replaced, ...(refresh?.spent ?? [])].slice(0, maxSpent);
  const of = digestOf(item);
  const sealed = sealRefresh({ pair, of, spent, isReusable, hidden });
  return { puts: [{ key: accessName, value: items.seal(accessName, item) }, sealed], marks: spent };
}
