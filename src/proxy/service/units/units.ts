import type { ServiceMachine } from '../ports.js';
import type { ManagerKind, ServiceRecord } from '../record.js';

/** A command for the service manager. */
export interface ManagerCommand {
  readonly words: readonly string[];
  /** It fails where there is nothing to do. */
  readonly mayFail?: true;
}

/** A file that a service manager reads. */
export interface UnitFile {
  readonly path: string;
  readonly text: string;
}

/** What a service manager is given for a service, and told. */
export interface Units {
  readonly manager: ManagerKind;
  readonly files: readonly UnitFile[];
  /** Begins it, now and at each login; again where it runs already. */
  readonly start: readonly ManagerCommand[];
  /** Before the files are removed, and after. */
  readonly stop: readonly ManagerCommand[];
  readonly removed: readonly ManagerCommand[];
  /** What ends it where the manager could not be asked before the files went; not given: `stop` and `removed`. */
  readonly orphaned?: readonly ManagerCommand[];
  /** Links that the manager has made to the files, for where it cannot be asked to remove them. */
  readonly links: readonly string[];
}

/** What the units of one service are made of. */
export interface UnitParts {
  readonly machine: ServiceMachine;
  readonly record: Pick<ServiceRecord, 'id' | 'server' | 'port' | 'options'>;
  /** Stands in each file: by it the file is known as ours. */
  readonly mark: string;
  /** Of this user; undefined on Windows. */
  readonly uid: number | undefined;
}

/** The words that start the service. */
export function startWords({ machine, record }: UnitParts): readonly [node: string, ...words: string[]] {
  const { node, script } = machine.start;
  return [node, ...(script === undefined ? [] : [script]), 'proxy', record.id, '--service'];
}

/** What people see of it in lists of services. */
export function unitTitle({ record }: UnitParts): string {
  return `postern proxy for ${new URL(record.server).host}`;
}
