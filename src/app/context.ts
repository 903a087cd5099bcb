import type { Writable } from 'node:stream';
import type { HostPipe } from '../bridge/host-pipe.js';
import type { OpenLineReader, ShellHistory } from '../call/shell/shell.command.js';
import type { ConfigWorld } from '../config/change.js';
import type { CommandExit, CommandTable } from '../core/command.js';
import type {
  FindServers,
  Logins,
  OwnProgram,
  Pages,
  ProgramsWithServers,
  RequestLog,
  Signals,
} from '../core/ports.js';
import type { Release } from '../core/product.js';
import type { Programs } from '../credential/exec-program.js';
import type { RefreshPorts } from '../credential/grant-token.js';
import type { ReadInput } from '../credential/read-call.js';
import type { MachineWorld } from '../doctor/examine-machine.js';
import type { ExamineWorld } from '../doctor/run.js';
import type { FleetPorts, ListenLocally } from '../fleet/ports.js';
import type { LoginWorld } from '../login/logins.js';
import type { ServerProgram } from '../mcp/stdio/stdio-client.js';
import type { Wire } from '../mcp/wire.js';
import type { OpenProxy } from '../proxy/ports.js';
import type { ExternalPrograms } from '../setup/machine/external-programs.js';
import type { GlobalOptions } from './global-options.js';
import type { OwnSignals } from './process.js';
import type { Keyboard } from './terminal/keyboard.js';

/**
 * The real world, as commands see it: each takes what its own `World` names. A port is made at its first use.
 */
export interface Context
  extends LoginWorld,
    ConfigWorld,
    FleetPorts,
    RefreshPorts,
    Pick<ExamineWorld, 'askServer' | 'examineAddresses' | 'findingsPage' | 'logInForRun'>,
    Pick<MachineWorld, 'brokenLogins' | 'canListen' | 'checkPrograms'> {
  readonly pages: Pages;
  readonly logins: () => Promise<Logins>;
  /** `--help`, of a command that explains something itself. */
  readonly help: boolean;
  readonly findServers: FindServers;
  readonly programsWithServers: ProgramsWithServers;
  readonly printed: () => Promise<void>;
  readonly programs: Programs;
  readonly startServer: (command: readonly string[], said: (line: string) => void) => Promise<ServerProgram>;
  /** Prints what was thrown, as at the end of the program, which goes on. */
  readonly printFailure: (error: unknown) => CommandExit;
  readonly openLineReader: OpenLineReader;
  readonly shellHistory: () => Promise<ShellHistory>;
  readonly externalPrograms: () => Promise<ExternalPrograms>;
  readonly openWire: () => Promise<Wire & AsyncDisposable>;
  readonly host: () => HostPipe;
  readonly openProxy: OpenProxy;
  readonly listenLocally: ListenLocally;
  readonly processName: () => string;
  readonly randomId: () => string;
  readonly signals: Signals;
  readonly requestLog: RequestLog | undefined;
  readonly input: ReadInput | undefined;
  readonly timeLeft: (ms: number) => number;
  readonly self: () => OwnProgram;
}

/** Ports that replace the usual ones: the demo's browser and store, stores in memory, a test's clock. */
export type OwnPorts = Partial<Pick<Context, 'browser' | 'store' | 'index' | 'toolLists' | 'clock' | 'terminal'>>;

/** A standard stream that may be a terminal. */
type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Everything outside the program that one run touches. */
export interface World extends Release {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: () => Keyboard; // late: few commands need it
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly platform: NodeJS.Platform;
  readonly homedir: string;
  /** Aborting this ends the run; its reason is shown to the person. */
  readonly interruption: AbortController;
  readonly programs: Programs;
  readonly launch: Launch;
  /** A token that was taken out of the environment, as `takeToken` returns it. */
  readonly tokenGiven: Readonly<Record<string, string | undefined>>;
  readonly signals: OwnSignals;
  readonly own: OwnPorts;
}

/** How this process was started. */
export interface Launch {
  /** The launcher's absolute path, or that of the single executable. */
  readonly script: string;
  /** What the hot path has read of stdin. */
  readonly input: ReadInput | undefined;
  /** Milliseconds since the start. */
  readonly elapsed: () => number;
}

/** One command line in the world. */
export interface Run extends Pick<Context, 'look' | 'tellLook' | 'out' | 'printFailure' | 'printed'> {
  readonly world: World;
  readonly options: GlobalOptions;
  /** Of the command that runs. */
  readonly table: CommandTable;
  /** Prints a line on stderr; at a terminal it is laid out. */
  readonly show: (line: string) => void;
}
