/** What a formatter would replace: hyphens and quotes that are not those of the keyboard, accents for marks. */
const marks: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** Text for a page of the manual: nothing in it is a request or an escape, it is ASCII, and what is shown can be copied. */
export function roff(text: string): string {
  const escaped = Array.from(text, escapedCharacter).join('');
  return escaped.startsWith('.') ? `\\&${escaped}` : escaped;
}

/** Words to be typed as they stand. */
export function bold(text: string): string {
  return `\\fB${roff(text)}\\fR`;
}

/** What stands for a word. */
export function italic(text: string): string {
  return `\\fI${roff(text)}\\fR`;
}

function escapedCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (point >= 0x7f) return `\\[u${point.toString(16).toUpperCase().padStart(4, '0')}]`;
  return marks[character] ?? character;
}
