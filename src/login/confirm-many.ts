import type { CommandOutput } from '../core/command.js';
import type { CorePorts } from '../core/ports.js';
import { inColumnsOrStacked } from '../core/text/layout.js';
import { counted, printable } from '../core/text/printable.js';
import { saysYes } from '../core/text/says-yes.js';
import { notConfirmed } from './failures.js';

/** What is to be done to many things at once. */
export interface Deed {
  /** As in “This would … 7 servers”. */
  readonly would: string;
  readonly noun: 'login' | 'server';
  readonly names: readonly string[];
  /** What the person is shown of each, its name first. */
  readonly rows: readonly (readonly string[])[];
  /** Rows shown, at most. */
  readonly maxRows: number;
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
  { terminal, json, signal, tell, tellLook }: CommandOutput & Pick<CorePorts, 'terminal'>,
  { would, noun, names, rows, maxRows, question, yes, command }: Deed,
): Promise<boolean> {
  if (yes || names.length === 0) return true;
  const many = counted(names.length, noun);
  if (json || !terminal.interactive) throw notConfirmed(`${would} ${many}`, names, command);
  terminal.tell(`${names.length === 1 ? 'There is' : 'There are'} ${many}:`);
  const shown = rows.slice(0, maxRows).map((row) => row.map((cell) => printable(cell, 600)));
  const look = { ...tellLook, width: tellLook.width - 2 };
  for (const line of inColumnsOrStacked(look, shown)) terminal.tell(`  ${line}`);
  if (rows.length > maxRows) terminal.tell(`  and ${rows.length - maxRows} more`);
  if (await saysYes(terminal, question, signal)) return true;
  tell('Nothing was changed.');
  return false;
}
