import type { CommandExit, CommandOutput } from '../../core/command.js';
import { columnsOf, wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { type ListedFault, listFaults } from './table.js';

/** What a fault does has so many columns beside its name, or stands below it. */
const minRoom = 30;

/** `--misbehave list`: the faults, grouped by what they attack. */
export async function printFaultList({
  out,
  json,
  look,
}: Pick<CommandOutput, 'out' | 'json' | 'look'>): Promise<CommandExit> {
  const all = listFaults();
  if (json) {
    await out.json({ faults: all });
    return 0;
  }
  const column = Math.max(...all.map(({ name }) => name.length)) + 4;
  let group = '';
  for (const [at, fault] of all.entries()) {
    if (fault.group !== group) await out.line(`${at === 0 ? '' : '\n'}${toned(look, 'strong', fault.group)}`);
    group = fault.group;
    await out.line(faultLines(fault, column, look).join('\n'));
  }
  return 0;
}

/** Nothing is cut. @param column Where what it does begins. */
function faultLines({ name, what }: ListedFault, column: number, look: Look): readonly string[] {
  const head = `  ${toned(look, 'name', name)}`;
  if (look.width - column < minRoom) return [head, ...wrapped(what, look.width, 4)];
  const [first = '', ...others] = wrapped(what, look.width, column);
  return [head + first.slice(columnsOf(head)), ...others];
}
