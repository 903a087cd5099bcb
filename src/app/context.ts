import type { HostPipe } from '../bridge/host-pipe.js';
import type { OpenLineReader, ShellHistory } from '../call/shell/ports.js';
import type { ConfigWorld } from '../config/change.js';
import type { CommandExit, CommandOutput } from '../core/command.js';
import type { ConfigurationFile } from '../core/configuration/configuration.js';
import type {
  BrokenLogin,
  CheckPrograms,
  FindServers,
  Logins,
  OwnProgram,
  Pages,
  ProgramsWithServers,
  RequestLog,
  Signals,
} from '../core/ports.js';
import type { Programs } from '../credential/exec-program.js';
import type { ReadInput } from '../credential/read-input.js';
import type { ExamineAddresses } from '../doctor/address-examiner.js';
import type { LogInForRun } from '../doctor/ports.js';
import type { ListenLocally } from '../fleet/ports.js';
import type { LoginWorld } from '../login/logins.js';
import type { AskServer } from '../mcp/server-session.js';
import type { ServerProgram } from '../mcp/stdio/stdio-client.js';
import type { Wire } from '../mcp/wire.js';
import type { OpenProxy } from '../proxy/ports.js';
import type { ExternalPrograms } from '../setup/machine/ports.js';

/**
 * The real world, as commands see it: each takes of it what its own `World` names. A port is made at its first use, so
 * that a command pays only for what it uses.
 */
export interface Context extends LoginWorld, CommandOutput {
  readonly pages: Pages;
  readonly logins: () => Promise<Logins>;
  readonly logInForRun: LogInForRun;
  /** `--help`, of a command that explains something itself. */
  readonly help: boolean;
  readonly findServers: FindServers;
  readonly programsWithServers: ProgramsWithServers;
  readonly askServer: AskServer;
  readonly checkPrograms: CheckPrograms;
  readonly brokenLogins: () => Promise<readonly BrokenLogin[]>;
  /** Can a program of this machine be waited for on loopback? The port that it was. @throws the system's error */
  readonly canListen: () => Promise<number>;
  readonly examineAddresses: ExamineAddresses;
  readonly printed: () => Promise<void>;
  readonly writeConfiguration: ConfigWorld['writeConfiguration'];
  readonly editText: ConfigWorld['editText'];
  readonly configurationFile: () => { readonly folder: string; readonly found: ConfigurationFile };
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
