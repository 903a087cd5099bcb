/** A line, taken apart. */
interface LineWords {
  readonly words: readonly string[];
  /** The quote that is still open at the end; '' without one. */
  readonly open: '' | '"' | "'" | '\\';
}

/**
 * The words of a line, as a POSIX shell takes them apart, without its expansions: blanks separate, single quotes keep
 * everything, in double quotes a backslash stands before `"` and `\`, outside of quotes before anything.
 */
export function wordsOfLine(line: string): LineWords {
  const words: string[] = [];
  let word: string | undefined;
  let quote: LineWords['open'] = '';
  let isEscaped = false;
  for (const character of line) {
    if (isEscaped) {
      word = `${word ?? ''}${quote === '"' && character !== '"' && character !== '\\' ? '\\' : ''}${character}`;
      isEscaped = false;
    } else if (character === '\\' && quote !== "'") {
      isEscaped = true;
    } else if (quote !== '') {
      if (character === quote) quote = '';
      else word = `${word ?? ''}${character}`;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = `${word ?? ''}${character}`;
    }
  }
  if (word !== undefined) words.push(word);
  return { words, open: isEscaped ? '\\' : quote };
}

/** Names of what is not written down. */
const secretName =
  /(?:pass(?:word|phrase|wd|code)?|secret|token|api[-_]?key|private[-_]?key|credential|authorization|bearer|cookie|session|otp|pin)[\w-]*["']?\s*:?[=:]|(?:\bauth|pwd?|key|psk|jwt)\d*["']?\s*:?[=:]/i;

/** Values that programs know secrets by: prefixes of well-known tokens, JSON web tokens, PEM, user information in a URL. */
const secretValue =
  /\b(?:sk|pk|rk)[-_][\w-]{8}|\bgh[a-z]_\w{8}|\bgithub_pat_|\bglpat-|\bxox[a-z]-|\bya29\.|\beyJ[\w-]{8,}\.|\bAKIA[0-9A-Z]{12}|-----BEGIN|\b(?:Bearer|Basic)\s+\S|:\/\/[^\s/]*:[^\s/]*@/;

/** Long and without a pattern: letters and digits mixed. */
const randomWord = /[A-Za-z0-9_+/-]{24,}/g;

/** Whether a line may hold a secret. Rather one line too many is forgotten than one kept. */
export function looksSecret(line: string): boolean {
  if (secretName.test(line) || secretValue.test(line)) return true;
  return (line.match(randomWord) ?? []).some(
    (word) => /\d/.test(word) && /[a-z]/.test(word) && (/[A-Z]/.test(word) || /^[0-9a-f]+$/.test(word)),
  );
}
