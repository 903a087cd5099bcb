import type { Failure } from '../../core/failure.js';
import { type ClientKeyRecord, type LoginRecord, storeInWords } from '../../core/records.js';
import { counted, printable } from '../../core/text/printable.js';
import type { KeptOrphan } from '../../stores/orphans.js';

/** Entries in their order, those together that failed alike: a store that does not open is reported once. */
export function byFailure<Entry extends { readonly failure: Failure }>(
  entries: readonly Entry[],
): readonly (readonly [Entry, ...Entry[]])[] {
  const groups = new Map<string, [Entry, ...Entry[]]>();
  for (const entry of entries) {
    const text = JSON.stringify(failureJson(entry.failure));
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [entry]);
    else group.push(entry);
  }
  return [...groups.values()];
}

export function failureJson({ code, message, remedy }: Failure) {
  return { code, message, remedy };
}

export const dateOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString());

/** A span of time as people say it: `45 seconds`, `3 minutes`, `2 hours`, `5 days`; rounded down. */
export function inWords(ms: number): string {
  const units = [
    [24 * 3600, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
  ] as const;
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [size, unit] = units.find(([length]) => seconds >= 2 * length) ?? [1, 'second'];
  return counted(Math.floor(seconds / size), unit);
}

/** A login that ends sooner than this is to be made again. */
const soonMs = 7 * 24 * 3_600_000;

/**
 * How a login's end comes about, where that is near: of the whole, or of a refresh token that is not used, once half of its
 * time is over, as a use gives it all of it again. Undefined: it is not near, or nobody said.
 */
export function endOfLogin(login: LoginRecord, now: number) {
  const { refreshable, obtainedAt, authorizationExpiresAt: whole = Infinity } = login;
  const unused = (refreshable && login.refreshExpiresAt) || Infinity;
  const end = Math.min(unused, whole);
  if (end <= now) return { at: 'past' } as const;
  if (whole - now < soonMs) return { at: 'soon', end, byUse: false } as const;
  const isHalfOver = unused - now < Math.min(soonMs, (unused - obtainedAt) / 2);
  return isHalfOver ? ({ at: 'soon', end, byUse: true } as const) : undefined;
}

export function lastsInWords(login: LoginRecord, now: number): string | undefined {
  const { refreshable, dead, refreshExpiresAt: unused, authorizationExpiresAt: whole } = login;
  if (!refreshable || dead === true) return undefined;
  const until = whole && `until ${new Date(whole).toISOString().slice(0, 10)} (${inWords(whole - now)})`;
  return [until, unused && `${inWords(unused - now)} without use`].filter(Boolean).join(', ') || undefined;
}

export function clientKeyLines(record: ClientKeyRecord): readonly string[] {
  const { clientId, issuer, algorithm, keyId, madeAt, store } = record;
  const where = issuer === undefined ? 'for its client metadata document' : `at ${issuer}`;
  return [
    `client key of ${clientId} ${where}`,
    `  key         ${algorithm}, ${keyId}, made ${new Date(madeAt).toISOString().slice(0, 10)}`,
    `  stored in   ${storeInWords(store)}`,
  ].map((line) => printable(line, 1000));
}

export function clientKeyJson(record: ClientKeyRecord): Readonly<Record<string, unknown>> {
  const { clientId, issuer = null, algorithm, keyId, madeAt, store } = record;
  return { clientId, issuer, algorithm, keyId, madeAt: dateOrNull(madeAt), store };
}

export function orphanLines(kept: readonly KeptOrphan[]): readonly string[] {
  const stores = [...new Set(kept.map(({ item }) => item.store))];
  return stores.flatMap((store) =>
    byFailure(kept.filter(({ item }) => item.store === store)).flatMap((alike) => {
      const [{ failure }] = alike;
      const what = alike.length === 1 ? 'a secret without a login is' : `${alike.length} secrets without a login are`;
      return [
        `Note: ${what} left in ${storeInWords(store)} and could not be removed. ${failure.message}`,
        `      ${failure.remedy} Then run: postern status`,
      ];
    }),
  );
}
