import type { Machine } from '../../ports/neighbours.js';
import type { Entry } from '../../primitives/edit/entry.js';
import type { Probe } from './probe.js';
import type { FoundServer } from './read-servers.js';

export type Scope = 'user' | 'project';

/** What an entry is made for. */
export interface EntryRequest {
  readonly machine: Machine;
  /** The server's URL. */
  readonly url: string;
  /** What commands call it: its URL, or the login's name. */
  readonly server: string;
  /** What entries of earlier releases call it: the login's name. */
  readonly login?: string;
  /** What the program calls it. */
  readonly name: string;
  /** Options of the commands: the account or a pin, `--whole-host`. */
  readonly options: readonly string[];
  /** The configuration file as it is now; empty when there is none. */
  readonly text: string;
  /** The files of `switches`, as far as they are there, by path. */
  readonly switches?: ReadonlyMap<string, string>;
}

/** What a program's version has to be. */
export interface Since {
  /** Its first word is looked for on the PATH. */
  readonly command: readonly [string, ...string[]];
  readonly major: number;
  readonly minor: number;
  /** What it cannot do before, as the rest of a sentence. */
  readonly lacks: string;
  /** Servers that take a password (HTTP Basic) do not need it. */
  readonly unlessBasic?: true;
}

/** An entry as it can be put into a file, or why that cannot be. */
export type MadeEntry =
  | { readonly ok: true; readonly entry: Entry; readonly shim?: Shim }
  | { readonly ok: false; readonly problem: 'words' };

/** A program that has to be written, too. */
export interface Shim {
  readonly path: string;
  readonly text: string;
}

/** Another program: where its configuration is, and what belongs there. */
export interface Program {
  /** As a person types it. */
  readonly name: string;
  readonly title: string;
  /** How it gets to our token. */
  readonly way: 'headers' | 'bridge' | 'credential';
  /** It starts ours with hardly anything of a shell's environment, or is itself started without it. */
  readonly isApart?: true;
  /** It starts ours without the variable that leads to the session bus. */
  readonly leavesNoBus?: true;
  /** Its commands on the PATH. */
  readonly commands: readonly string[];
  /** Where its configuration may be: the first that exists, else the first; none where it has no such file. */
  files(machine: Machine, scope: Scope): readonly string[];
  /** The command line that gets the token where there is no configuration to put it in. */
  line?(request: Omit<EntryRequest, 'text' | 'name'>): string | undefined;
  make(request: EntryRequest): MadeEntry;
  /** What would keep the program from using the entry: what wins over it, or has it switched off; each in a sentence. */
  blocks?(request: EntryRequest): readonly string[];
  /** What else a person has to know of, in this file or in the environment, each in a sentence; the blocks among it. */
  leftovers(request: EntryRequest): readonly string[];
  /** Other files of the program's that can switch the entry off. */
  switches?(machine: Machine): readonly string[];
  /** The program's first version that uses such an entry, and what says its version. */
  readonly since?: Since;
  /** The servers in its configuration, where it has a list of them. */
  servers?(text: string, machine: Machine): readonly FoundServer[];
  /** What still counts on the entry when it is gone, each in a sentence. */
  dangling?(text: string, name: string): readonly string[];
  /** What the program runs by that entry. */
  probe(request: EntryRequest): Probe | undefined;
  /** What a person does then; in a project, where that is something else. */
  readonly next: string;
  readonly nextInProject?: string;
}
