import type { CommandOutput } from '../core/command.js';
import type { CorePorts } from '../core/ports.js';
import { counted, printable } from '../core/text/printable.js';
import { saysYes } from '../core/text/says-yes.js';
import { notConfirmed } from './failures.js';

/** What is to be done to many things at once. */
export interface Deed {
  /** As in “This would … 7 servers”. */
  readonly would: string;
  readonly noun: 'login' | 'server';
  readonly names: readonly string[];
  /** What the person is shown of each. */
  readonly lines: readonly string[];
  /** Lines shown, at most. */
  readonly maxLines: number;
  readonly question: string;
  /** Was `--yes` given? */
  readonly yes: boolean;
  /** Does it without a question. */
  readonly command: string;
}

/**
 * Says how many there are and which, and asks.
 * @throws Failure `not_confirmed` where nobody can be asked; the signal's reason
 */
export async function confirmMany(
  { terminal, json, signal, tell }: CommandOutput & Pick<CorePorts, 'terminal'>,
  { would, noun, names, lines, maxLines, question, yes, command }: Deed,
): Promise<boolean> {
  if (yes || names.length === 0) return true;
  const many = counted(names.length, noun);
  if (json || !terminal.interactive) throw notConfirmed(`${would} ${many}`, names, command);
  terminal.tell(`${names.length === 1 ? 'There is' : 'There are'} ${many}:`);
  for (const line of lines.slice(0, maxLines)) terminal.tell(`  ${printable(line, 600)}`);
  if (lines.length > maxLines) terminal.tell(`  and ${lines.length - maxLines} more`);
  if (await saysYes(terminal, question, signal)) return true;
  tell('Nothing was changed.');
  return false;
}
