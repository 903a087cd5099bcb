import type { Neighbours } from '../../ports/neighbours.js';
import type { Program, Scope } from '../../protocol/setup/program.js';
import { programs } from '../../protocol/setup/programs.js';
import { configurationFile } from './plan-entry.js';

/** A program, and what there is of it on this machine. */
export interface ProgramHere {
  readonly program: Program;
  /** Its command on the PATH. */
  readonly command: string | undefined;
  /** Its configuration, and whether it exists. */
  readonly file: string | undefined;
  readonly hasFile: boolean;
  /** What `--write` made there: URLs of servers. */
  readonly servers: readonly string[];
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

/** Every program, found here or not. Nothing of their configuration is read. */
export async function listPrograms(
  world: Pick<Neighbours, 'machine' | 'files' | 'records' | 'find'>,
  scope: Scope,
): Promise<readonly ProgramHere[]> {
  const records = await world.records.all();
  return programs.map((program) => {
    const file = configurationFile(world, program, scope);
    return {
      program,
      command: program.commands.map((name) => world.find(name)).find((path) => path !== undefined),
      file,
      hasFile: file !== undefined && world.files.exists(file),
      servers: records.flatMap(({ record }) => (record.program === program.name ? [record.server] : [])),
    };
  });
}
