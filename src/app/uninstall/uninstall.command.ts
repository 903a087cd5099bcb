import { dirname } from 'node:path';
import type { ArgumentsOf, Command } from '../../core/command.js';
import { exitCode, Failure } from '../../core/failure.js';
import type { LoginRecord } from '../../core/records.js';
import { toned } from '../../core/text/look.js';
import { counted, printable } from '../../core/text/printable.js';
import { saysYes } from '../../core/text/says-yes.js';
import { endedJson, keysInWords, resultLine } from '../../login/logout/logout.command.js';
import { fullName } from '../../login/status/login-status.js';
import { failureJson } from '../../login/status/render.js';
import type { KeptRecord } from '../../setup/machine/setup-records.js';
import { undoneLine } from '../../setup/render.js';
import type { Context } from '../context.js';
import { allWritten, type TakenBack, takeBack, type Written } from './take-back.js';
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

const shown = (text: string) => printable(text, 300);

/** What would be taken back, a line for each; none: there is nothing. */
function planLines({ entries, shims, logins, providers, orphans, files, ...kept }: Written): readonly string[] {
  const nameOf = (login: LoginRecord) => (login.name === undefined ? '' : `, ${login.server}`);
  return [
    ...entries.map(({ record: { program, server, path } }) => `entry     ${program}, ${server}, in ${path}`),
    ...shims.map(({ path }) => `shim      ${path}`),
    ...logins.map((login) => `login     ${fullName(login)}${nameOf(login)}`),
    ...providers.map(({ issuer, account, identity }) => `provider  ${issuer}, ${identity ?? account}`),
    ...keysInWords(kept).map((text) => `kept      ${text}`),
    ...(orphans === 0 ? [] : [`kept      ${counted(orphans, 'secret')} without a login`]),
    ...files,
  ].map((line) => `  ${printable(line, 600)}`);
}

function planJson({ entries, shims, logins, providers, registrations, clientKeys, orphans, files }: Written) {
  return {
    entries: entries.map(entryJson),
    shims: shims.map(({ path }) => path),
    logins: logins.map(({ name = null, server, account }) => ({ name, server, account })),
    providers: providers.map(({ issuer, clientId, account }) => ({ issuer, clientId, account })),
    ...{ registrations, clientKeys, orphans, files },
  };
}

function entryJson({ record: { program, server, path: file } }: KeptRecord) {
  return { program, server, file };
}

/** The outcome for the user, and what to do about what was not taken back. */
function takenLines(taken: TakenBack, { look, clock }: Pick<Context, 'look' | 'clock'>): readonly string[] {
  const { entries, shims, ended, leftFiles } = taken;
  const forgotten = keysInWords(ended).join(' and ');
  const bad = ({ message, remedy }: Failure, what = '') => `${toned(look, 'bad', 'Kept:')} ${what}${message} ${remedy}`;
  return [
    ...entries.map(({ kept, undone }) => (undone instanceof Failure ? bad(undone) : undoneLine(kept.record, undone))),
    ...shims.map(({ path, removed }) =>
      removed
        ? `${shown(path)} was removed.`
        : `${shown(path)} is gone already, or not as postern wrote it; it was left.`,
    ),
    ...ended.done.map((result) => resultLine(result, clock.now())),
    ...ended.failures.map(({ item, failure }) => bad(failure, `${shown(fullName(item))}: `)),
    ...ended.left.map(({ failure }) => bad(failure)),
    ...(forgotten === '' ? [] : [`Forgotten, too: ${forgotten}.`]),
    ...(leftFiles === undefined ? [] : ['postern’s own files were removed.']),
    ...(leftFiles ?? []).map((path) => `Left, as it is not known to be postern’s: ${shown(path)}`),
  ];
}

function takenJson({ entries, shims, ended, leftFiles }: TakenBack) {
  const { registrations, clientKeys } = ended;
  return {
    entries: entries.map(({ kept, undone }) => ({
      ...entryJson(kept),
      undone: undone instanceof Failure ? null : undone,
      failure: undone instanceof Failure ? failureJson(undone) : null,
    })),
    shims,
    ...endedJson(ended),
    forgotten: { registrations, clientKeys },
    filesRemoved: leftFiles !== undefined,
    leftFiles: leftFiles ?? [],
  };
}

/** What of the program stays, and what removes it. */
function packageLine({ programs: { machine } }: Written): string {
  const { node, script, lasts } = machine.start;
  if (lasts === 'cache')
    return 'The program itself is in a cache of its package manager; there is nothing to uninstall.';
  if (script === undefined) return `The program itself stays: ${shown(node)}. What installed it removes it.`;
  const where = lasts === 'checkout' ? ` in ${shown(dirname(dirname(script)))}` : '';
  return `The program itself stays${where}. Where npm installed it, run: npm uninstall -g postern`;
}
