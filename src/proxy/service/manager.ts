import { createHash } from 'node:crypto';
import { shellWord } from '../../core/text/printable.js';
import { authorityVariables, proxyVariables } from '../../http/proxy-settings.js';
import { findProgram } from '../../stores/run-program.js';
import type { ServiceMachine, ServicePrograms } from './ports.js';
import type { ServiceRecord } from './record.js';
import { launchdUnits } from './units/launchd.js';
import { systemdUnits } from './units/systemd.js';
import type { ManagerCommand, UnitParts, Units } from './units/units.js';
import { windowsTask } from './units/windows-task.js';

/** What became of commands to the service manager. */
export interface Managed {
  readonly ok: boolean;
  /** Why it did not do it, in its own words. */
  readonly said: string | undefined;
  /** What is left to be typed by the person. */
  readonly commands: readonly string[];
}

/** How long the manager may take for one command, in milliseconds. */
const limitMs = 30_000;

/** Where the managers' own programs are: never taken from the PATH, where anything may lie. */
const folders = ['/usr/bin', '/bin', '/run/current-system/sw/bin'];

/** By what the files of a service are known as ours, and not as those of another state folder's. */
export function markOf({ stateFolder }: Pick<ServiceMachine, 'stateFolder'>, id: string): string {
  const hash = createHash('sha256').update(stateFolder).digest('hex').slice(0, 16);
  return `Written by postern for its proxy service ${id} of ${hash}.`;
}

/**
 * What this system's service manager is given for a service. A system without one that is known gets nothing.
 * @throws Failure `service_unsayable`
 */
export function unitsOf(machine: ServiceMachine, record: ServiceRecord): Units {
  const parts: UnitParts = { machine, record, mark: markOf(machine, record.id), uid: process.getuid?.() };
  const none: Units = { manager: 'none', files: [], start: [], stop: [], removed: [], links: [] };
  switch (machine.platform) {
    case 'darwin':
      return launchdUnits(parts);
    case 'win32':
      return windowsTask(parts);
    default:
      return record.manager === 'none' ? none : systemdUnits(parts);
  }
}

/** Which manager a new service is for. */
export function managerHere({ platform }: Pick<ServiceMachine, 'platform'>): ServiceRecord['manager'] {
  if (platform === 'darwin') return 'launchd';
  if (platform === 'win32') return 'task';
  return findProgram('systemctl', folders, []) === undefined ? 'none' : 'systemd';
}

/** The machine as a service starts there: with the authorities that are trusted here, and this shell's proxy where it is wanted. */
export function serviceMachine(machine: ServiceMachine, withProxy: boolean): ServiceMachine {
  const proxy = withProxy ? proxyVariables(machine.env) : undefined;
  const chosen = proxy?.kind === 'plain' ? proxy.variables : {};
  return { ...machine, variables: { ...machine.variables, ...authorityVariables(machine.env), ...chosen } };
}

/** Runs the commands, up to the first that fails: that one and those after it are left to the person. */
export async function manage(
  { machine, run }: ServicePrograms,
  commands: readonly ManagerCommand[],
  signal: AbortSignal,
): Promise<Managed> {
  for (const [at, command] of commands.entries()) {
    const failed = await runOne({ machine, run }, command, signal);
    if (failed === undefined || command.mayFail === true) continue;
    return {
      ok: false,
      said: failed,
      commands: commands
        .slice(at)
        .filter((one) => one.mayFail !== true)
        .map(typed),
    };
  }
  return { ok: true, said: undefined, commands: [] };
}

/** Undefined: it did it. */
async function runOne(
  { machine, run }: ServicePrograms,
  { words: [name = '', ...words] }: ManagerCommand,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isWindows = machine.platform === 'win32';
  const program = isWindows
    ? `${machine.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\${name}.exe`
    : findProgram(name, folders, []);
  if (program === undefined) return `${name} is not on this machine`;
  const env = environmentFor(machine.env);
  const end = await run({
    command: [program, ...words],
    env,
    folder: machine.homedir,
    input: 'closed',
    limitMs,
    signal,
  });
  if (end.kind === 'not_started') return `${name} cannot be started (${end.error.code ?? 'unknown'})`;
  if (end.kind !== 'ended') return `${name} does not answer`;
  if (end.code === 0) return undefined;
  const [first] = end.stderr.trim().split('\n');
  return first === undefined || first === '' ? `${name} ended with ${end.code ?? end.killedBy}` : first;
}

const passed =
  /^(?:HOME|USER|LOGNAME|PATH|LANG|LC_\w+|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|SystemRoot|SystemDrive|USERPROFILE|USERNAME|USERDOMAIN|TEMP|TMP)$/i;

function environmentFor(env: ServiceMachine['env']): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => passed.test(name)));
}

/** A command as a person types it. */
export function typed({ words }: ManagerCommand): string {
  return words.map((word) => (/\s/.test(word) ? shellWord(word) : word)).join(' ');
}
