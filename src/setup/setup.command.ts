import type { Command, CommandExit, CommandOutput } from '../core/command.js';
import { exitCode, Failure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import { printable } from '../core/text/printable.js';
import { usageWrong } from '../core/usage-failures.js';
import type { HttpPorts } from '../http/request.js';
import type { StorePorts } from '../stores/ports.js';
import { addressSecret } from '../tokens/failures.js';
import { type CheckedEntry, checkEntry } from './check-entry.js';
import { machineFor } from './environment.js';
import { nothingToWrite, wordsUnsayable } from './failures.js';
import { entryAlone, entryName } from './formats/entry.js';
import { isHere, listPrograms } from './list-programs.js';
import { callOfOurs, entryRequests, planEntry, type SetupRequest } from './plan-entry.js';
import type { ExternalPrograms } from './ports.js';
import { oldProgram } from './program-version.js';
import { programNamed } from './programs/programs.js';
import {
  entryNotes,
  programJson,
  programLines,
  takenOutNotes,
  undoneLine,
  writtenJson,
  writtenLines,
} from './render.js';
import { type CheckResult, checkExit, oldInWords, resultJson, resultLines } from './render-check.js';
import { setupTable } from './setup.options.js';
import { readSetupRequest, recordToUndo, requestsToCheck, type SetupArguments } from './target.js';
import { undoEntry } from './undo-entry.js';
import { writeEntry } from './write-entry.js';

interface World
  extends CommandOutput,
    Pick<StorePorts, 'index' | 'locks' | 'failures'>,
    Pick<HttpPorts, 'http'>,
    Pick<CorePorts, 'clock' | 'terminal'> {
  /** Other programs on this machine, and their configuration. */
  readonly externalPrograms: () => Promise<ExternalPrograms>;
}

export const command: Command<typeof setupTable, World> = {
  table: setupTable,
  async run(context, args) {
    if (args.user && !args.undo) throw usageWrong('--user goes with --undo.', 'postern setup --help');
    if (args.list) return await list(context, args);
    if (args.undo) return await undo(context, args);
    if (args.check) return await check(context, args);
    return args.write ? await write(context, args) : await show(context, args);
  },
};

async function externalProgramsFor(
  context: World,
  program: ReturnType<typeof programNamed>,
  args: SetupArguments,
): Promise<ExternalPrograms> {
  const found = await context.externalPrograms();
  return { ...found, machine: machineFor(found.machine, program, args.withProxy) };
}

async function list({ externalPrograms, out, json }: World, args: SetupArguments): Promise<CommandExit> {
  const all = await listPrograms(await externalPrograms(), args.project ? 'project' : 'user');
  if (json) await out.json({ programs: all.map(programJson) });
  else await out.line(programLines(all).join('\n'));
  return 0;
}

async function show(context: World, args: SetupArguments): Promise<CommandExit> {
  const { out, json, tell } = context;
  const program = programNamed(args.program);
  const world = await externalProgramsFor(context, program, args);
  const { hasLogin, ...request } = await readSetupRequest(context, program, args);
  if (program.line !== undefined) {
    const line = commandLine(world, request);
    if (json) await out.json({ program: program.name, server: request.url, command: line });
    else await out.line(line);
    return 0;
  }
  const plan = await planEntry(world, request);
  const entry = entryAlone(plan.entry);
  const found = isHere(world, program, request.scope);
  const { logins } = await context.index.read();
  const notes = entryNotes(plan, { machine: world.machine, logins, hasLogin, isHere: found });
  if (json) {
    const { shim, file } = plan;
    await out.json({
      program: program.name,
      server: request.url,
      name: request.name,
      file: file.path,
      entry,
      shim: shim ?? null,
      notes,
    });
    return 0;
  }
  tell(`This belongs into ${printable(plan.file.path, 300)}; with --write it is put there.`);
  notes.forEach(tell);
  await out.write(entry);
  return 0;
}

/** @throws Failure `words_unsayable`, `address_secret` */
function commandLine({ machine }: ExternalPrograms, request: SetupRequest): string {
  const { program, words, url } = request;
  const lines = entryRequests(machine, request, '').map((wanted) =>
    program.line?.(wanted, callOfOurs(program, wanted)),
  );
  const line = lines.find((one) => one !== undefined);
  if (line === undefined) throw words.length === 0 ? addressSecret(url) : wordsUnsayable(program.title);
  return line;
}

async function write(context: World, args: SetupArguments): Promise<CommandExit> {
  const { locks, out, json, tell, signal } = context;
  const program = programNamed(args.program);
  const programs = await externalProgramsFor(context, program, args);
  if (program.line !== undefined) {
    throw nothingToWrite(program.title, 'it can ask no program for a header, so the token comes through a pipe');
  }
  const { hasLogin, ...request } = await readSetupRequest(context, program, args);
  const found = isHere(programs, program, request.scope);
  const written = await writeEntry({ locks, programs }, request, signal);
  const { logins } = await context.index.read();
  const about = { machine: programs.machine, logins, hasLogin, isHere: found };
  const old = await oldProgram(programs, undefined, request, signal);
  const notes = [
    ...entryNotes(written.plan, about),
    ...takenOutNotes(written),
    ...(old === undefined ? [] : [`Note: ${oldInWords(old)}`]),
  ];
  if (json) {
    await out.json({ ...writtenJson(written), notes });
  } else {
    await out.line(writtenLines(written).join('\n'));
    notes.forEach(tell);
  }
  return 0;
}

/** Exit code 0 only where every entry is in its place and its program would use it and get what it needs. */
async function check(context: World, args: SetupArguments): Promise<CommandExit> {
  const { out, json, signal } = context;
  const world = await context.externalPrograms();
  const { logins } = await context.index.read();
  const { all, isOne } = await requestsToCheck(context, world, args);
  const results: CheckResult[] = [];
  for (const request of all) {
    const machine = machineFor(world.machine, request.program, args.withProxy);
    results.push(await resultOf(request, checkEntry({ ...world, machine }, context, request, signal)));
  }
  if (json) {
    const [first] = results.map(resultJson);
    await out.json(isOne && first !== undefined ? first : { entries: results.map(resultJson) });
  } else if (results.length === 0) {
    context.tell('postern has written no entry yet. Make one with: postern setup <program> <server> --write');
  } else {
    const blocks = results.map((result) => resultLines(result, logins, !isOne).join('\n'));
    await out.line(blocks.join('\n\n'));
  }
  const exits = results.map(({ checked, failure }) => failure?.exit ?? (checked ? checkExit(checked) : 0));
  return exits.find((exit) => exit !== 0) ?? 0;
}

/** One that cannot be checked does not keep the others from it. */
async function resultOf(request: SetupRequest, checking: Promise<CheckedEntry>): Promise<CheckResult> {
  try {
    return { request, checked: await checking };
  } catch (failure) {
    if (!(failure instanceof Failure) || failure.exit === exitCode.interrupted) throw failure;
    return { request, failure };
  }
}

async function undo(context: World, args: SetupArguments): Promise<CommandExit> {
  const { locks, out, json, signal } = context;
  const programs = await context.externalPrograms();
  const kept = await recordToUndo(context, programs, programNamed(args.program), args, signal);
  const program = programNamed(args.program);
  const undone = await undoEntry({ locks, programs }, kept, signal);
  const { record } = kept;
  const { text = '' } = await programs.files.read(record.path);
  const notes = program.dangling?.(text, entryName(record.key) ?? '') ?? [];
  for (const note of notes) context.tell(`Note: ${note}`);
  if (json) await out.json({ program: record.program, server: record.server, file: record.path, undone });
  else await out.line(undoneLine(record, undone));
  return 0;
}
