/** Seconds that a document is kept for at most, whatever its headers say. */
export const longestFreshness = 86_400;

/** Seconds for a document that says nothing: one login asks for it several times. */
export const unstatedFreshness = 5;

/**
 * For how many seconds a served document may be used without asking again (RFC 9111 section 4.2): `no-store`,
 * `no-cache`, `private` and `Vary: *` not at all, else `s-maxage`, `max-age` or `Expires`, less the age it had
 * already. What is said twice or cannot be read counts as stale. Never throws; 0 to 86,400.
 *
 * @param headers values by lower-case name
 */
export function freshSeconds(headers: NodeJS.Dict<string[]>, nowMs: number): number {
  const said = directivesOf(headers['cache-control'] ?? []);
  if (said.has('no-store') || said.has('no-cache') || said.has('private')) return 0;
  if ((headers['vary'] ?? []).some((value) => value.split(',').some((one) => one.trim() === '*'))) return 0;
  const lifetime = lifetimeOf(said, headers, nowMs);
  if (lifetime === undefined) return unstatedFreshness;
  const left = lifetime - ageOf(headers, nowMs);
  return Math.floor(Math.min(Math.max(left, 0), longestFreshness));
}

/** Seconds from when it was made; undefined when nothing is said about it. */
function lifetimeOf(
  said: ReadonlyMap<string, readonly string[]>,
  headers: NodeJS.Dict<string[]>,
  nowMs: number,
): number | undefined {
  const stated = said.get('s-maxage') ?? said.get('max-age');
  if (stated !== undefined) return stated.length === 1 ? secondsIn(stated[0]) : 0;
  const expires = headers['expires'];
  if (expires === undefined) return undefined;
  const until = expires.length === 1 ? Date.parse(expires[0] ?? '') : Number.NaN;
  return Number.isNaN(until) ? 0 : (until - (dateOf(headers) ?? nowMs)) / 1000;
}

/** How old it was when it came: what caches on the way say, or what its date says, whichever is more. */
function ageOf(headers: NodeJS.Dict<string[]>, nowMs: number): number {
  const stated = headers['age'];
  const age = stated === undefined ? 0 : stated.length === 1 ? Number(stated[0]) : Number.NaN;
  const sinceMade = (nowMs - (dateOf(headers) ?? nowMs)) / 1000;
  return Number.isNaN(age) ? longestFreshness : Math.max(age, sinceMade, 0);
}

function dateOf(headers: NodeJS.Dict<string[]>): number | undefined {
  const made = Date.parse(headers['date']?.[0] ?? '');
  return Number.isNaN(made) ? undefined : made;
}

function secondsIn(text: string | undefined): number {
  return /^[0-9]+$/.test(text ?? '') ? Number(text) : 0;
}

/** Each directive of `Cache-Control` with the values it was given, in lower case (RFC 9111 section 5.2). */
function directivesOf(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [, name = '', quoted, plain] of lines
    .join(',')
    .matchAll(/([^\s,;="]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,"]*)))?/g)) {
    const key = name.toLowerCase();
    found.set(key, [...(found.get(key) ?? []), quoted ?? plain ?? '']);
  }
  return found;
}
