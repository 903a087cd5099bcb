import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { systemCode } from '../../core/failure.js';
import type { JsonObject } from '../../core/text/json.js';
import { isText } from '../checks.js';

/** The holder of a lock: enough for another process to tell whether it still lives. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to its start; empty where the system does not say (only Linux does). */
  readonly started: string;
  /** Random identifier of this boot; empty where there is none. */
  readonly boot: string;
  /** The machine, and on Linux the PID namespace (a container has its own), in which `pid` means something. */
  readonly system: string;
}

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    started: lifeOf(process.pid)?.started ?? '',
    boot: textOf('/proc/sys/kernel/random/boot_id'),
    system: ownSystem(),
  };
}

/** The identity in what was written; undefined for anything else. */
export function identityIn(object: JsonObject | undefined): ProcessIdentity | undefined {
  const { pid, started, boot, system } = object ?? {};
  const isWhole = Number.isSafeInteger(pid) && Number(pid) >= 1 && [started, boot, system].every(isText);
  return isWhole ? ({ pid, started, boot, system } as unknown as ProcessIdentity) : undefined;
}

/**
 * Is that process alive? `unknown`: it ran on another machine or in another container, out of sight. A stopped
 * process (SIGSTOP, a sleeping laptop) is alive. A zombie is dead.
 * @param us The identity of this process.
 * @param writtenAt When the holder's identity was written, milliseconds since 1970.
 */
export function stateOf(holder: ProcessIdentity, us: ProcessIdentity, writtenAt: number): 'alive' | 'dead' | 'unknown' {
  if (machineOf(holder.system) !== machineOf(us.system)) return 'unknown';
  const sameBoot = us.boot === '' ? writtenAt > bootTime() - clockSlackMs : holder.boot === us.boot;
  if (!sameBoot) return 'dead';
  if (holder.system !== us.system) return 'unknown';
  if (!exists(holder.pid)) return 'dead';
  const life = lifeOf(holder.pid);
  if (life === undefined || holder.started === '') return 'alive';
  return life.zombie || life.started !== holder.started ? 'dead' : 'alive';
}

/** Is there a process with this number here? */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

const clockSlackMs = 60_000;

function bootTime(): number {
  return Date.now() - uptime() * 1000;
}

function ownSystem(): string {
  const machine = `${textOf('/etc/machine-id')}@${hostname()}`;
  try {
    return `${machine} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return `${machine} `;
  }
}

function machineOf(system: string): string {
  return system.slice(0, system.lastIndexOf(' '));
}

/** Fields 3 (state) and 22 (start time) of proc(5)'s stat; the name before them may hold anything. */
function lifeOf(pid: number): { readonly started: string; readonly zombie: boolean } | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, started] = [fields[0], fields[19]];
  return state === undefined || started === undefined ? undefined : { started, zombie: state === 'Z' || state === 'X' };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}
