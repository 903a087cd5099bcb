import type { ArgumentsOf, Command } from '../../core/command.js';
import { exitCode } from '../../core/failure.js';
import { saysYes } from '../../core/text/says-yes.js';
import type { Context } from '../context.js';
import { packageLine, planJson, planLines, takenJson, takenLines } from './render.js';
import { allWritten, takeBack } from './take-back.js';
import { uninstallTable } from './uninstall.options.js';

export const command: Command<typeof uninstallTable, Context> = {
  table: uninstallTable,
  async run(world, args) {
    const { out, json, tell } = world;
    const written = await allWritten(world);
    const plan = planLines(written);
    const isDone = plan.length === 0;
    if (isDone || !args.yes) {
      if (json) await out.json({ takenBack: false, ...planJson(written) });
      else if (isDone) await out.line('There is nothing here that postern wrote.');
      else await out.line(['This is what postern wrote here:', ...plan].join('\n'));
    }
    if (isDone) {
      tell(packageLine(written));
      return 0;
    }
    const may = await mayTakeBack(world, args);
    if (may === 'shown') return 0;
    if (may === 'refused') return exitCode.refused;
    const taken = await takeBack(world, written, args.force);
    world.progress.end();
    if (json) await out.json({ takenBack: taken.failure === undefined, ...takenJson(taken) });
    else await out.line(takenLines(taken, world).join('\n'));
    if (taken.failure === undefined || args.force) tell(packageLine(written));
    else tell('What is still needed for the rest was kept. Then run again: postern uninstall');
    return taken.failure?.exit ?? 0;
  },
};

async function mayTakeBack(
  { terminal, json, signal, tell }: Context,
  { yes, force }: ArgumentsOf<typeof uninstallTable>,
): Promise<'yes' | 'shown' | 'refused'> {
  if (yes) return 'yes';
  if (json || !terminal.interactive) {
    const run = force ? 'postern uninstall --yes --force' : 'postern uninstall --yes';
    tell(`Nothing was changed. To take all of it back, run: ${run}`);
    return 'shown';
  }
  if (await saysYes(terminal, 'Take all of this back?', signal)) return 'yes';
  tell('Nothing was changed.');
  return 'refused';
}
