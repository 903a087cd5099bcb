import type { CommandOutput } from '../../core/command.js';
import type { Clock } from '../../core/ports.js';
import type { HostEntries } from '../../core/services/proxy-services.js';
import type { HttpPorts } from '../../http/request.js';
import type { StorePorts } from '../../stores/ports.js';
import type { ProgramCommand, ProgramEnd } from '../../stores/run-program.js';

/** This machine, as far as a service of its user depends on it. */
export interface ServiceMachine {
  /** As `process.platform` says it. */
  readonly platform: string;
  readonly homedir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stateFolder: string;
  /** How this program is started again and again, by absolute paths, and for how long those hold. */
  readonly start: {
    readonly node: string;
    /** Undefined where `node` is this program itself, a single executable. */
    readonly script: string | undefined;
    readonly lasts: 'upgrades' | 'this-version-of-node' | 'checkout' | 'cache';
  };
  /** What has to be set for it to find this person's logins. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface ServicePrograms {
  readonly machine: ServiceMachine;
  run(command: ProgramCommand): Promise<ProgramEnd>;
}

/** What the commands about services need of the world. */
export interface ServiceWorld extends CommandOutput, HttpPorts, Pick<StorePorts, 'index' | 'locks'> {
  readonly clock: Clock;
  readonly externalPrograms: () => Promise<ServicePrograms>;
  /** What `setup` wrote for hosts of a service. */
  readonly hostEntries: HostEntries;
  /** Keeps a secret out of what is printed. */
  readonly holdSecret: (secret: string) => void;
}
