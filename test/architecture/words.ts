/** Words that were ours alone, and the field's for them. */
export const fieldWords: Readonly<Record<string, string>> = {
  answer: 'response',
  judge: 'validate',
  door: 'HTTP client',
  lane: 'connection',
  place: 'origin',
  stands: 'streaming',
  courier: 'transport',
  errand: 'message',
  roster: 'active set',
  seat: 'browser availability',
  wish: 'request fingerprint',
  stray: 'orphan',
  mend: 'repair',
  neighbour: 'external program',
  leftover: 'conflict',
  beside: 'fallback',
  renew: 'refresh',
  most: 'max',
  least: 'min',
  late: 'lazy',
  told: 'printed',
};

/** How often a word still stands in an identifier, since it is the name of a setting or an option, or is on disk. */
export const stillThere: Readonly<Record<string, number>> = { answer: 5, place: 3, renew: 2, stray: 3, wish: 3 };

/** Each word of an identifier, in lower case and without the endings of verbs and plurals: `judgedAnswers` has judge and answer. */
function wordsIn(identifier: string): readonly string[] {
  const parts = identifier.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  return parts.map((part) => part.toLowerCase()).filter((part) => part !== 'later');
}

/** Each form that one of the words may have. */
const goneWords: ReadonlyMap<string, string> = new Map(
  Object.keys(fieldWords).flatMap((word) =>
    ['', 's', 'd', 'ed', 'r', 'al', 'able', 'ing'].map((ending) => [`${word}${ending}`, word] as const),
  ),
);

/** How often each of those words stands in the identifiers of code. */
export function countsIn(code: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [identifier] of code.matchAll(/[A-Za-z_$][\w$]*/g)) {
    for (const part of wordsIn(identifier)) {
      const word = goneWords.get(part);
      if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}
