import { Failure } from '../../errors/failure.js';
import type { Neighbours, SetupRecord } from '../../ports/neighbours.js';
import type { Program, Scope } from '../../protocol/setup/program.js';
import { programs } from '../../protocol/setup/programs.js';
import { type EntryState, entryState } from './entry-meaning.js';
import { configurationFile } from './plan-entry.js';

/** A program, and what there is of it on this machine. */
export interface ProgramHere {
  readonly program: Program;
  /** Its command on the PATH. */
  readonly command: string | undefined;
  /** Its configuration, and whether it exists. */
  readonly file: string | undefined;
  readonly hasFile: boolean;
  /** What `--write` made there. */
  readonly entries: readonly EntryHere[];
}

/** An entry that was written, and what is left of it. */
export interface EntryHere {
  readonly server: string;
  readonly path: string;
  readonly state: EntryState;
}

/** Every program that can be set up. */
export function knownPrograms(): readonly Program[] {
  return programs;
}

/** Is there a command of the program's, or its configuration? */
export function isHere(
  world: Pick<Neighbours, 'machine' | 'files' | 'find'>,
  program: Program,
  scope: Scope,
): boolean {
  const file = configurationFile(world, program, scope);
  const hasFile = file !== undefined && world.files.exists(file);
  return hasFile || program.commands.some((name) => world.find(name) !== undefined);
}

/** Every program, found here or not; of their configuration those files alone are read that `--write` has changed. */
export async function listPrograms(
  world: Pick<Neighbours, 'machine' | 'files' | 'records' | 'find'>,
  scope: Scope,
): Promise<readonly ProgramHere[]> {
  const entries: (readonly [string, EntryHere])[] = [];
  for (const { record } of await world.records.all()) {
    const { server, path } = record;
    entries.push([record.program, { server, path, state: await stateOf(world, record) }]);
  }
  return programs.map((program) => {
    const file = configurationFile(world, program, scope);
    return {
      program,
      command: program.commands.map((name) => world.find(name)).find((path) => path !== undefined),
      file,
      hasFile: file !== undefined && world.files.exists(file),
      entries: entries.flatMap(([name, entry]) => (name === program.name ? [entry] : [])),
    };
  });
}

async function stateOf(
  { machine, files }: Pick<Neighbours, 'machine' | 'files'>,
  record: SetupRecord,
): Promise<EntryState> {
  try {
    const { text } = await files.read(record.path);
    return text === undefined ? 'missing' : await entryState(record, text, machine.platform);
  } catch (error) {
    if (error instanceof Failure) return 'unreadable';
    throw error;
  }
}
