/** The headers that a `Connection` line names, beside what is common there; undefined for none. */
export function namedBy(
  value: string,
  before: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  const lower = value.toLowerCase();
  if (lower === 'keep-alive' || lower === 'close') return before;
  const names = lower
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'keep-alive' && name !== 'close');
  return names.length === 0 ? before : new Set([...(before ?? []), ...names]);
}

export function withoutNamed(headers: readonly string[], names: ReadonlySet<string>): string[] {
  return headers.flatMap((name, at) =>
    at % 2 === 0 && !names.has(name.toLowerCase()) ? [name, headers[at + 1] ?? ''] : [],
  );
}
