import type { CommandOutput } from '../core/command.js';
import { Failure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import { inColumnsOrStacked } from '../core/text/layout.js';
import { counted, printable } from '../core/text/printable.js';
import { saysYes } from '../core/text/says-yes.js';
import { notConfirmed } from './failures.js';
import { byFailure } from './status/render.js';

export interface Deed {
  /** As in “This would … 7 servers”. */
  readonly would: string;
  readonly noun: 'login' | 'server';
  readonly names: readonly string[];
  /** What the person is shown of each, its name first. */
  readonly rows: readonly (readonly string[])[];
  readonly maxRows: number;
  readonly question: string;
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

/** What became of several things. */
export interface Outcomes<Item, Done> {
  readonly done: readonly Done[];
  readonly failures: readonly { readonly item: Item; readonly failure: Failure }[];
}

/**
 * Does it for each, one after the other; one that fails does not keep the others from it.
 * @throws What is no failure; the signal's reason
 */
export async function doEach<Item, Done>(
  items: readonly Item[],
  { progress, signal }: Pick<CorePorts, 'progress'> & Pick<CommandOutput, 'signal'>,
  act: (item: Item, at: number) => Promise<Done>,
): Promise<Outcomes<Item, Done>> {
  const done: Done[] = [];
  const failures: { item: Item; failure: Failure }[] = [];
  for (const [at, item] of items.entries()) {
    try {
      done.push(await act(item, at));
    } catch (failure) {
      if (!(failure instanceof Failure) || signal.aborted) throw failure;
      failures.push({ item, failure });
    } finally {
      progress.end();
    }
  }
  return { done, failures };
}

/** Those that failed, a line for each cause: a store that does not open is reported once. */
export function failureLines<Item>(
  what: string,
  failures: Outcomes<Item, unknown>['failures'],
  nameOf: (item: Item) => string,
): readonly string[] {
  return byFailure(failures).map((alike) => {
    const [{ failure }] = alike;
    const names = alike.map(({ item }) => printable(nameOf(item), 600)).join(', ');
    return `${what} ${names}: ${failure.message} ${failure.remedy}`;
  });
}
