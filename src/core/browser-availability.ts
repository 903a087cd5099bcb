/** Where the person sits, as far as a browser goes: at this machine, or somewhere that cannot open one by itself. */
export type Seat = 'desktop' | 'ssh' | 'container' | 'wsl' | 'no_display';

/** What `CI` is set to, where that says that nobody sits here: empty, `0` and `false` do not. */
export function ciOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const value = env['CI'] ?? '';
  return ['', '0', 'false'].includes(value.toLowerCase()) ? undefined : value;
}

/** What container engines leave in the root of a container: Docker, Podman. */
const containerMarks = ['/.dockerenv', '/run/.containerenv'];

/**
 * Tells the seat from the environment and from what files there are. SSH goes first: whoever reached a container or a
 * WSL over it needs the way back to the own computer. A display goes before the container: somebody has shared it.
 */
export function seatOf(machine: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly fileExists: (path: string) => boolean;
}): Seat {
  const { env, platform, fileExists } = machine;
  const set = (name: string) => (env[name] ?? '') !== '';
  if (set('SSH_CONNECTION') || set('SSH_TTY')) return 'ssh';
  if (platform === 'win32' || platform === 'darwin') return 'desktop';
  if (set('WSL_DISTRO_NAME')) return 'wsl';
  if (set('DISPLAY') || set('WAYLAND_DISPLAY')) return 'desktop';
  return set('container') || containerMarks.some(fileExists) ? 'container' : 'no_display';
}
