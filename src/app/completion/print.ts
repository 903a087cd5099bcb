import type { Completion } from './complete.js';
import { asTyped, type ShellLine } from './shell-line.js';

/**
 * The lines that a shell's script reads: a word and what is said of it, with a tab between them, or `:file`, `:folder`,
 * `:command` for what the shell knows itself; `:nospace` where the word goes on.
 * @param breaks For bash: where it thinks that a word begins (`COMP_WORDBREAKS`).
 */
export function completionLines(shell: string, found: Completion, line: ShellLine, breaks: string): readonly string[] {
  if (found.kind !== 'words') return [`:${found.kind}\t${found.before}`];
  const { words } = found;
  const goesOn = words.length > 0 && words.every(([word]) => /[=:.]$/.test(word));
  const open = goesOn ? [':nospace'] : [];
  if (shell === 'powershell') return words.map(([word, text]) => `${forPowershell(word)}\t${text}`);
  if (shell !== 'bash') return [...open, ...words.map(([word, text]) => (text === '' ? word : `${word}\t${text}`))];
  const typed = line.quote === '' ? lengthBroken(line.current, breaks) : 0;
  return [...open, ...words.map(([word]) => asTyped(word.slice(typed), line.quote))];
}

/** PowerShell types what it is given: in quotes of its own, with each quote twice, where it would mean something. */
function forPowershell(word: string): string {
  return /^[A-Za-z0-9_%+=:./~-]*$/.test(word) ? word : `'${word.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
}

/** How much of the word bash leaves alone: up to the last character that it breaks words at. */
function lengthBroken(word: string, breaks: string): number {
  return Math.max(0, ...[...'=:@'].filter((one) => breaks.includes(one)).map((one) => word.lastIndexOf(one) + 1));
}
