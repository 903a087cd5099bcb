/** A line, taken apart. */
export interface LineWords {
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
