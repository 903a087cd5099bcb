import type { HostPipe } from '../bridge/host-pipe.js';
import type { DocumentServers } from '../client-metadata/ports.js';
import type { Seat } from '../core/browser-availability.js';
import type { ArgumentsOf, CommandTable } from '../core/command.js';
import type { Configuration, ConfigurationFile } from '../core/configuration/configuration.js';
import type { ResultWriter } from '../core/output.js';
import type { Files, OwnProgram } from '../core/ports.js';
import type { Programs, Signals } from '../credential/programs.js';
import type { ReadInput } from '../credential/read-input.js';
import type { LoginPorts } from '../login/ports.js';
import type { Proxies } from '../proxy/ports.js';
import type { Wire } from '../relay/wire.js';
import type { Neighbours } from '../setup/ports.js';
import type { GlobalOptions } from './global-options.js';

/** How a command ended: 0, or what the table of exit codes says (`core/failure.ts`); of `exec`, its program's own. */
export type CommandExit = number;

/** What a command is given of the world. */
export interface CommandContext {
  /** Each port is made at its first use, so that a command pays only for what it uses. */
  readonly ports: LoginPorts;
  /** stdout: the result and nothing else. */
  readonly out: ResultWriter;
  /** A line for the person on stderr; left out with `--quiet`. What a server said in it goes through `printable`. */
  readonly tell: (line: string) => void;
  /** Resolves once whoever reads these lines is not behind with them, or the program is to end. */
  readonly told: () => Promise<void>;
  readonly options: GlobalOptions;
  /** The configuration file, with the environment laid over it; read at the first call. @throws Failure `configuration_unusable` */
  readonly configuration: () => Promise<Configuration>;
  /** The configuration file as it is, and the folder where it would be. @throws Failure `configuration_unusable` */
  readonly configurationFile: () => { readonly folder: string; readonly found: ConfigurationFile };
  /** Files that the person named, and stdin. */
  readonly files: Files;
  /** Programs that the person named. */
  readonly programs: Programs;
  readonly documentServers: DocumentServers;
  /** Other programs on this machine, and their configuration. */
  readonly neighbours: () => Promise<Neighbours>;
  /** The quick way out, for whoever passes messages on. */
  readonly openWire: () => Promise<Wire>;
  /** The program that has started this one, for whoever speaks to it: from then on stdin and stdout are taken. */
  readonly host: () => HostPipe;
  /** Address of the client ID metadata document of this release, where nothing else is configured. */
  readonly clientMetadataUrl: string | undefined;
  readonly proxies: Proxies;
  readonly signals: Signals;
  /** Aborted when the program is to end; its reason is a `Failure`. */
  readonly signal: AbortSignal;
  /** Is what goes to stderr seen at once? */
  readonly stderrIsTerminal: boolean;
  /** Names the program that has started this one. */
  readonly callerName: () => string;
  /** Where the person sits. */
  readonly seat: () => Seat;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the short way has read of stdin already. */
  readonly input: ReadInput | undefined;
  /** What is left of `ms`, counted from the start of the process. */
  readonly timeLeft: (ms: number) => number;
  /** This program, as others are to start it. @throws Failure `path_refused` */
  readonly self: () => OwnProgram;
}

/** What a command's file exports. */
export interface Command<Table extends CommandTable = CommandTable> {
  readonly table: Table;
  /** @throws Failure for whatever a person can act on */
  run(context: CommandContext, args: ArgumentsOf<Table>): Promise<CommandExit>;
}
