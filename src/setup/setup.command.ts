import type { Command, CommandExit, CommandOutput } from '../core/command.js';
import { isFailure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import { fitted, readerLook } from '../core/text/layout.js';
import { posixWord, printable } from '../core/text/printable.js';
import type { HttpPorts } from '../http/request.js';
import { keyInFile } from '../stores/key-file.js';
import type { StorePorts } from '../stores/ports.js';
import { segmentOf } from '../tokens/find-login.js';
import { checkAll } from './check-programs.js';
import { machineFor } from './environment.js';
import { nothingToWrite, noUrlTaken } from './failures.js';
import { changeFor, entryName } from './formats/entry.js';
import { tools } from './formats/tools.js';
import { listPrograms, programHere } from './list-programs.js';
import type { ExternalPrograms } from './machine/external-programs.js';
import { isUsable } from './machine/run-commands.js';
import { edit, planEntry, type SetupPlan, type SetupRequest } from './plan-entry.js';
import { oldProgram } from './program-version.js';
import { type Program, shellLine } from './programs/program.js';
import { programNamed } from './programs/programs.js';
import * as render from './render.js';
import { type CheckResult, exitOfCheck, oldProgramLine, resultJson, resultLines } from './render-check.js';
import { setupTable } from './setup.options.js';
import { readSetupRequest, recordToUndo, type SetupArguments } from './target.js';
import { undoEntry } from './undo-entry.js';
import { writeEntry } from './write-entry.js';

interface World
  extends CommandOutput,
    Pick<StorePorts, 'index' | 'locks'>,
    Pick<HttpPorts, 'http'>,
    Pick<CorePorts, 'terminal'> {
  /** Other programs on this machine, and their configuration. */
  readonly externalPrograms: () => Promise<ExternalPrograms>;
}

export const command: Command<typeof setupTable, World> = {
  table: setupTable,
  async run(context, args) {
    if (args.list) return await list(context, args);
    if (args.undo) return await undo(context, args);
    if (args.check) return await check(context, args);
    return args.write ? await write(context, args) : await show(context, args);
  },
};

async function externalProgramsFor(context: World, program: Program, args: SetupArguments): Promise<ExternalPrograms> {
  const found = await context.externalPrograms();
  return { ...found, machine: machineFor(found.machine, program, args.withProxy === true) };
}

async function list(context: World, args: SetupArguments): Promise<CommandExit> {
  const { out } = context;
  const all = await listPrograms(await context.externalPrograms(), args.project ? 'project' : 'user');
  if (context.json) await out.json({ programs: all.map(render.programJson) });
  else await out.line(render.programList(all, readerLook(context), args.all === true).join('\n'));
  return 0;
}

async function show(context: World, args: SetupArguments): Promise<CommandExit> {
  const { out, json, tell, index } = context;
  const program = programNamed(args.program, args.server);
  const programs = await externalProgramsFor(context, program, args);
  const request = withProxy(await readSetupRequest(context, program, args), args);
  const { logins } = await index.read();
  const about = { here: programHere(programs, program, request.scope), logins };
  const { plan, unusable } = await planToShow(programs, request);
  const { entry, isCommand } = await entryToShow(programs, plan, context.signal);
  const notes = [
    ...(unusable ? [render.noteLine(unusable)] : []),
    ...(plan.file.path === '' ? [] : render.entryNotes(plan, about)),
  ];
  if (json) {
    await out.json(render.planJson(plan, entry, notes));
  } else {
    notes.forEach(tell);
    const isPasted = program.format === 'pasted';
    const what = isCommand ? 'Run this to change' : isPasted ? 'Add this line to' : 'Add this to';
    const canWrite = isCommand || (!isPasted && tools[program.format] === undefined);
    const orWrite = canWrite && !unusable && args.proxy === undefined ? ', or run again with --write' : '';
    if (plan.file.path !== '') tell(`${what} ${printable(plan.file.path, 300)}${orWrite}:`);
    await out.write(entry);
  }
  return 0;
}

/** The commands of a program that writes its own file; else, and where it cannot, what is to be added by hand. */
async function entryToShow(programs: ExternalPrograms, { file, entry, wanted }: SetupPlan, signal: AbortSignal) {
  const { key, holds } = entry;
  const tool = tools[key.format];
  const { text = '' } = tool === undefined ? {} : file;
  const change = await edit(file.path, () => changeFor(text, entry));
  if (typeof change === 'string' || tool === undefined) return { entry: String(change), isCommand: false };
  const pasted = tool.pasted?.(change, holds, key.path);
  if (pasted !== undefined && !(await isUsable(programs, tool, signal))) return { entry: pasted, isCommand: false };
  const { platform } = wanted.machine;
  const lineOf = (words: readonly string[]) => shellLine(platform, words) ?? words.map(posixWord).join(' ');
  const lines = change(file.path).map((words) => `${lineOf([tool.command, ...words])}\n`);
  return { entry: lines.join(''), isCommand: true };
}

/**
 * The same for an entry that holds the address of a proxy of ours, and starts nothing. It is printed alone: the key is for no
 * file that we write.
 */
function withProxy(request: SetupRequest, { proxy, keyFile }: SetupArguments): SetupRequest {
  if (proxy === undefined || keyFile === undefined) return request;
  const { program, server, url } = request;
  if (program.url === undefined) throw noUrlTaken(program.title, program.name);
  const segment = segmentOf({ server: url, ...(server === url ? {} : { name: server }) });
  return { ...request, address: `http://127.0.0.1:${proxy}/${keyInFile(keyFile).reveal()}/${segment}` };
}

/** Where the program's file is left alone, the entry is shown for a person to add: as for a file that is not there. */
async function planToShow(programs: ExternalPrograms, request: SetupRequest) {
  try {
    return { plan: await planEntry(programs, request), unusable: undefined };
  } catch (failure) {
    if (!isFailure(failure) || failure.code !== 'program_file_unusable') throw failure;
    const files = { ...programs.files, read: async (path: string) => ({ path, text: undefined }) };
    return { plan: await planEntry({ ...programs, files }, request), unusable: failure.message };
  }
}

async function write(context: World, args: SetupArguments): Promise<CommandExit> {
  const { index, locks, out, json, tell, signal } = context;
  const program = programNamed(args.program, args.server);
  const programs = await externalProgramsFor(context, program, args);
  if (program.format === 'pasted') throw nothingToWrite(program.title);
  const request = await readSetupRequest(context, program, args);
  const written = await writeEntry({ locks, programs }, request, signal);
  const here = programHere(programs, program, request.scope);
  const { logins } = await index.read();
  const old = await oldProgram(programs, undefined, request, signal);
  const notes = [
    ...render.entryNotes(written.plan, { here, logins }),
    ...render.takenOutNotes(written),
    ...(old === undefined ? [] : [render.noteLine(oldProgramLine(old))]),
  ];
  if (json) {
    await out.json(render.writtenJson(written, notes));
  } else {
    await out.line(render.writtenLines(written, readerLook(context)).join('\n'));
    notes.forEach(tell);
  }
  return 0;
}

/** Exit code 0 only where every entry is in its place and its program would use it and get what it needs. */
async function check(context: World, args: SetupArguments): Promise<CommandExit> {
  const { out, json } = context;
  const { results, isOne } = await checkAll(context, args, 'run');
  const { logins } = await context.index.read();
  if (json) {
    const [first] = results.map(resultJson);
    await out.json(isOne && first !== undefined ? first : { entries: results.map(resultJson) });
  } else if (results.length === 0) {
    context.tell('postern has written no entry yet. Make one with: postern setup PROGRAM SERVER --write');
  } else {
    const { width } = readerLook(context);
    const linesOf = (result: CheckResult) => resultLines(result, logins, !isOne).flatMap((line) => fitted(line, width));
    const blocks = results.map((result) => linesOf(result).join('\n'));
    await out.line(blocks.join('\n\n'));
  }
  return results.map(exitOfCheck).find((exit) => exit !== 0) ?? 0;
}

async function undo(context: World, args: SetupArguments): Promise<CommandExit> {
  const { locks, out, json, signal } = context;
  const programs = await context.externalPrograms();
  const program = programNamed(args.program, args.server);
  const kept = await recordToUndo(context, programs, program, args, signal);
  const undone = await undoEntry({ locks, programs }, kept, signal);
  const { record } = kept;
  const { text = '' } = await programs.files.read(record.path);
  for (const note of program.dangling?.(text, entryName(record.key) ?? '') ?? []) context.tell(render.noteLine(note));
  if (json) await out.json({ program: record.program, server: record.server, file: record.path, undone });
  else await out.line(fitted(render.undoneLine(record, undone), readerLook(context).width).join('\n'));
  return 0;
}
