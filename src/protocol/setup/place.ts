import type { Machine } from '../../ports/neighbours.js';

/** Path parts joined by the machine's own separator. */
export function join(
  { platform }: Pick<Machine, 'platform'>,
  first: string,
  ...parts: readonly string[]
): string {
  const separator = platform === 'win32' ? '\\' : '/';
  return [first.replace(/[\\/]+$/, ''), ...parts].join(separator);
}

/** A file or folder below the person's home. */
export function inHome(machine: Machine, ...parts: readonly string[]): string {
  return join(machine, machine.homedir, ...parts);
}

/** Where applications keep their configuration: `%APPDATA%`, `~/Library/Application Support`, `$XDG_CONFIG_HOME`. */
export function inApplications(machine: Machine, ...parts: readonly string[]): string {
  const { platform } = machine;
  if (platform === 'win32') {
    return join(machine, set(machine, 'APPDATA') ?? inHome(machine, 'AppData', 'Roaming'), ...parts);
  }
  if (platform === 'darwin') return inHome(machine, 'Library', 'Application Support', ...parts);
  return inConfig(machine, ...parts);
}

/** `$XDG_CONFIG_HOME`, or `~/.config`. */
export function inConfig(machine: Machine, ...parts: readonly string[]): string {
  return join(machine, set(machine, 'XDG_CONFIG_HOME') ?? inHome(machine, '.config'), ...parts);
}

/** A file below the working folder. */
export function inProject(machine: Machine, ...parts: readonly string[]): string {
  return join(machine, machine.workingFolder, ...parts);
}

/** A variable that holds an absolute path. */
export function set({ env, platform }: Machine, variable: string): string | undefined {
  const value = env[variable];
  const isAbsolute = platform === 'win32' ? /^(?:[A-Za-z]:[\\/]|\\\\)/ : /^\//;
  return value !== undefined && isAbsolute.test(value) ? value : undefined;
}
