/**
 * `text` as one word of a POSIX shell command line: as it is when every character is harmless, else in
 * single quotes. For commands that a remedy asks the person to type: a server's URL may hold `;` or `$`.
 */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9:/._~@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
