import { ignoreFailure } from '../core/failure.js';
import type { ExternalPrograms, MachineFiles } from './machine/external-programs.js';
import type { SetupRecord } from './machine/setup-records.js';
import { configurationFile, type EntryState, entryState } from './plan-entry.js';
import type { Program, Scope } from './programs/program.js';
import { programs } from './programs/programs.js';

/** A program, and what there is of it on this machine. */
export interface ProgramHere {
  readonly program: Program;
  /** Its command on the PATH. */
  readonly command: string | undefined;
  /** Its configuration, and whether it exists. */
  readonly file: string | undefined;
  readonly hasFile: boolean;
}

/** An entry that was written, and what is left of it. */
export interface EntryHere {
  readonly server: string;
  readonly path: string;
  readonly state: EntryState;
}

export type ListedProgram = ProgramHere & { readonly entries: readonly EntryHere[] };

export function programHere(world: ExternalPrograms, program: Program, scope: Scope): ProgramHere {
  const file = configurationFile(world, program, scope);
  const command = program.commands.map((name) => world.find(name)).find((path) => path !== undefined);
  return { program, command, file, hasFile: file !== undefined && world.files.exists(file) };
}

/** Is there a command of the program's, or its configuration? */
export function isHere({ command, hasFile }: ProgramHere): boolean {
  return command !== undefined || hasFile;
}

/** Every program, found here or not; of their configuration those files alone are read that `--write` has changed. */
export async function listPrograms(world: ExternalPrograms, scope: Scope): Promise<readonly ListedProgram[]> {
  const records = (await world.records.all()).map(({ record }) => record);
  const listed = programs.map(async (program): Promise<ListedProgram> => {
    const ofProgram = records.filter((record) => record.program === program.name);
    const entries = ofProgram.map(async (record) => {
      const { server, path } = record;
      return { server, path, state: await stateOf(world, record) };
    });
    return { ...programHere(world, program, scope), entries: await Promise.all(entries) };
  });
  return Promise.all(listed);
}

async function stateOf({ machine, files }: MachineFiles, record: SetupRecord): Promise<EntryState> {
  const file = await files.read(record.path).catch(ignoreFailure);
  if (file === undefined) return 'unreadable';
  return file.text === undefined ? 'missing' : entryState(record, file.text, machine.platform);
}
