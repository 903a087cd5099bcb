/** A span of time as people say it: `45 seconds`, `3 minutes`, `2 hours`, `5 days`; rounded down. */
export function inWords(ms: number): string {
  const units = [
    [24 * 3600, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
  ] as const;
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [size, unit] = units.find(([length]) => seconds >= 2 * length) ?? [1, 'second'];
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
