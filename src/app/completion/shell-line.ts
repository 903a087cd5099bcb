/** A command line up to the cursor, as a shell takes it apart. */
export interface ShellLine {
  /** The words before the one that is being typed, the program's own name left out. */
  readonly before: readonly string[];
  /** The word that is being typed, without quotes. */
  readonly current: string;
  /** The quote that it is in, if any. */
  readonly quote: string;
}

/** Takes a command line apart by the quotes and backslashes of a POSIX shell. Whatever follows the last blank is being typed. */
export function readShellLine(line: string): ShellLine {
  const words: string[] = [];
  let word = '';
  let isOpen = false;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote === '' && /[ \t\n]/.test(character)) {
      if (isOpen) words.push(word);
      word = '';
      isOpen = false;
      continue;
    }
    isOpen = true;
    if (character === quote) quote = '';
    else if (quote === '' && /["']/.test(character)) quote = character;
    else if (character === '\\' && quote !== "'" && at + 1 < line.length) {
      at += 1;
      word += line.charAt(at);
    } else word += character;
  }
  return { before: words.slice(1), current: word, quote };
}

/** Characters that mean nothing to a POSIX shell within a word. A tilde does: bash puts the home folder for it behind “=”. */
const harmless = /[A-Za-z0-9_@%+=:,./-]/;

/** A word as it can be typed: within the quote that is open, or with a backslash before whatever means something. */
export function asTyped(word: string, quote: string): string {
  if (quote === "'") return word.replaceAll("'", "'\\''");
  const isPlain = (character: string) => (quote === '"' ? !/["$`\\!]/.test(character) : harmless.test(character));
  return Array.from(word, (character) => (isPlain(character) ? character : `\\${character}`)).join('');
}
