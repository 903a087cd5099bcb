import { shellWord } from '../../core/text/printable.js';
import type { EntryKey } from '../formats/entry.js';

/** The command of a `crushrc` that adds a server. */
const added = 'mcp add ';

/** The beginning of the line of the server of that name. */
export function crushPrefix(name: string): string {
  return `${added}${name} `;
}

export function isCrushLine(key: EntryKey): boolean {
  return key.format === 'line' && key.prefix.startsWith(added);
}

/** A line of Bash that makes Crush start these words. */
export function crushLine(name: string, [command = '', ...args]: readonly string[]): string {
  const options = [`--command ${shellWord(command)}`, ...args.map((word) => `--args ${shellWord(word)}`)];
  return `${crushPrefix(name)}${options.join(' ')}`;
}

/** The same that makes Crush reach a server by a URL. */
export function crushUrlLine(name: string, address: string): string {
  return `${crushPrefix(name)}--type http --url ${shellWord(address)}`;
}

/** The URL in the words of such a line. */
function crushUrl(words: readonly string[]): string | undefined {
  return valuesOf(words, '--url')[0];
}

/** The words that Crush starts by the words of such a line. */
export function crushWords(words: readonly string[]): readonly string[] {
  return [...valuesOf(words, '--command'), ...valuesOf(words, '--args')];
}

/** The servers that the lines of a `crushrc` add, as far as they are said in one line each. */
export function crushServers(
  text: string,
  split: (line: string) => readonly string[],
): Readonly<Record<string, object>> {
  const lines = text.replace(/\\\r?\n/g, ' ').split(/\r?\n/);
  const words = lines.filter((line) => line.trimStart().startsWith(added)).map((line) => split(line.trim()));
  return Object.fromEntries(
    words.map(([, , name = '', ...rest]) => {
      const url = crushUrl(rest);
      const [command, ...args] = crushWords(rest);
      return [name, { ...(url === undefined ? {} : { url }), ...(command === undefined ? {} : { command, args }) }];
    }),
  );
}

/** The values of an option that takes one, even those that look like an option. */
function valuesOf(words: readonly string[], option: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const [word = '', value] = words.slice(at, at + 2);
    if (word === option && value !== undefined) values.push(value);
    at += /^--(?:env|header)$/.test(word) ? 2 : word.startsWith('--') ? 1 : 0;
  }
  return values;
}
