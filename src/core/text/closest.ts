/** Longer words are no slips of the finger, and cost. */
const longestWord = 64;

/**
 * The candidate that a mistyped word was most likely meant to be, for "did you mean": at most two letters
 * added, left out, changed or swapped, and fewer than half of the word. Letter case does not count. Of two as
 * near, the earlier.
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  let best: string | undefined;
  let least = Math.min(2, Math.floor((typed.length - 1) / 2)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase());
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

/** Optimal string alignment distance, by rows. */
function editDistance(one: string, other: string): number {
  if (Math.max(one.length, other.length) > longestWord) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = one[i - 1] === other[j - 1] ? 0 : 1;
      const nearest = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + change);
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(swapped ? Math.min(nearest, at(beforeLast, j - 2) + 1) : nearest);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, other.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
