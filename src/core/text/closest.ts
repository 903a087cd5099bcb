/** Longer words are not typos, and cost time. */
const longestWord = 64;

/**
 * The most likely correction of a mistyped word, for "did you mean": at most two letters added, omitted, changed or swapped,
 * and fewer than half of the word. Ignores case; the first of equally near candidates wins.
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  let best: string | undefined;
  let min = Math.min(2, Math.floor((typed.length - 1) / 2)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase());
    if (distance < min) {
      best = candidate;
      min = distance;
    }
  }
  return best;
}

/** Optimal string alignment distance. */
function editDistance(one: string, other: string): number {
  if (Math.max(one.length, other.length) > longestWord) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 0; i <= one.length; i += 1) {
    const row: number[] = [];
    rows.push(row);
    for (let j = 0; j <= other.length; j += 1) {
      const change = one[i - 1] === other[j - 1] ? 0 : 1;
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const nearest = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change);
      row.push(i + j === 0 ? 0 : isSwapped ? Math.min(nearest, at(i - 2, j - 2) + 1) : nearest);
    }
  }
  return at(one.length, other.length);
}
