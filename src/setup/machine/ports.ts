import type { ProgramCommand, ProgramEnd } from '../../stores/run-program.js';
import type { ProgramFiles } from './program-files.js';
import type { SetupRecords } from './setup-records.js';

/** This machine, as far as place and form of another program's configuration depend on it. */
export interface Machine {
  /** As `process.platform` says it. */
  readonly platform: string;
  readonly homedir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  /** Where this program keeps what is not secret. */
  readonly stateFolder: string;
  readonly start: StartWords;
  /** What has to be set for the program to find this person's logins, where that is not by the platform's habit. */
  readonly variables: Readonly<Record<string, string>>;
}

/** How another program starts this one: absolute paths, since programs with a window have no PATH of a shell. */
export interface StartWords {
  readonly node: string;
  /** Undefined where `node` is this program itself, a single executable. */
  readonly script: string | undefined;
  /** For how long these paths hold. */
  readonly lasts: 'upgrades' | 'this-version-of-node' | 'checkout' | 'cache';
}

/** Other programs on this machine. */
export interface ExternalPrograms {
  readonly machine: Machine;
  readonly files: ProgramFiles;
  readonly records: SetupRecords;
  /** Where that command is on the PATH. */
  find(command: string): string | undefined;
  run(command: ProgramCommand): Promise<ProgramEnd>;
}

/** What is read to know of an entry. */
export type MachineFiles = Pick<ExternalPrograms, 'machine' | 'files'>;
