import type { Machine } from '../../ports/neighbours.js';
import { shellWord } from '../../primitives/quoting.js';

/** How another program is to call this one. */
export interface Call {
  /** `credential headers`, `bridge` and the like. */
  readonly command: readonly string[];
  /** Name or URL of the login. */
  readonly server: string;
  /** Options, the account among them. */
  readonly options: readonly string[];
}

/** The words of a call: absolute paths, and before them by `env` what the caller may leave out of the environment. */
export function callWords(machine: Machine, { command, server, options }: Call): readonly string[] {
  const { start, variables, platform } = machine;
  const set =
    platform === 'win32' ? [] : Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const words = [start.node, start.script, ...command, server, ...options];
  return set.length === 0 ? words : ['/usr/bin/env', ...set, ...words];
}

/**
 * Words as one line for the platform's shell: `sh -c` (POSIX), or `cmd /C` (Windows), where nothing stops `%` and `!`
 * from being replaced: words with those, and with quotes, cannot be said there. Undefined then.
 */
export function shellLine(platform: string, words: readonly string[]): string | undefined {
  if (platform !== 'win32') return words.map(shellWord).join(' ');
  if (words.some((word) => /["%!^\r\n]/.test(word))) return undefined;
  return words.map((word) => (/^[A-Za-z0-9:\\/._@=-]+$/.test(word) ? word : `"${word}"`)).join(' ');
}

/** Git runs helpers with its own `sh` on every platform; on Windows paths are written with `/` there. */
export function gitLine(platform: string, words: readonly string[]): string {
  const slashed = platform === 'win32' ? words.map((word) => word.replaceAll('\\', '/')) : words;
  return `!${slashed.map(shellWord).join(' ')}`;
}

/**
 * Words as one command of Go's GOAUTH: separated by blanks, quoted by `'` or `"` without any escapes, commands
 * separated by `;`. Undefined where that cannot say a word.
 */
export function goLine(words: readonly string[]): string | undefined {
  if (words.some((word) => /[;\r\n]|^$/.test(word) || (word.includes("'") && word.includes('"'))))
    return undefined;
  return words
    .map((word) => (!/[\s'"]/.test(word) ? word : word.includes("'") ? `"${word}"` : `'${word}'`))
    .join(' ');
}

/** Is there something in it that these programs replace in strings of their configuration (`${x}`, `$x`, `{env:x}`)? */
export function isExpanded(words: readonly string[]): boolean {
  return words.some((word) => /\$|\{(?:env|file):/.test(word));
}

/** A program for callers that allow no arguments: a script that starts ours with these words. */
export function shimText(platform: string, words: readonly string[]): string | undefined {
  if (platform !== 'win32') return `#!/bin/sh\nexec ${words.map(shellWord).join(' ')} "$@"\n`;
  const line = shellLine(platform, words);
  return line === undefined ? undefined : `@${line} %*\r\n`;
}
