import { existsSync, readFileSync } from 'node:fs';

/** Where the person works, as far as a browser goes: at this machine, or somewhere that cannot open one by itself. */
export type BrowserAvailability = 'desktop' | 'ssh' | 'container' | 'wsl' | 'no_display';

/** What `CI` is set to, where that says that nobody sits here: empty, `0` and `false` do not. */
export function ciOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const value = env['CI'] ?? '';
  return ['', '0', 'false'].includes(value.toLowerCase()) ? undefined : value;
}

/** What container engines leave in the root of a container: Docker, Podman, systemd; and what Kubernetes mounts. */
const marks = [
  '/.dockerenv',
  '/run/.containerenv',
  '/run/systemd/container',
  '/var/run/secrets/kubernetes.io/serviceaccount',
];

/** How engines call the first process's group (cgroup version 1), and the layers of a root that they put together. */
const engines = /\b(?:docker|containerd|kubepods|libpod|lxc|cri-o)\b/;

const rootLayers = /\/(?:docker|containerd|containers\/storage|libpod|cri-o)\//;

/**
 * Does this process run in a container? Asked of files alone: a variable anybody can set. One that leaves no trace counts
 * as none.
 */
export function isInContainer({ fileExists, readText }: MachineFiles): boolean {
  if (marks.some(fileExists) || engines.test(readText('/proc/1/cgroup') ?? '')) return true;
  const mounts = (readText('/proc/self/mountinfo') ?? '').split('\n');
  return mounts.some((line) => line.split(' ')[4] === '/' && rootLayers.test(line));
}

export interface MachineFiles {
  readonly fileExists: (path: string) => boolean;
  readonly readText: (path: string) => string | undefined;
}

const ownFiles: MachineFiles = { fileExists: existsSync, readText };

export const runsInContainer = (): boolean => isInContainer(ownFiles);

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').slice(0, 1024 * 1024);
  } catch {
    return undefined;
  }
}

/**
 * SSH goes first: a person who reached a container or a WSL over it needs the way back to their own computer. A display
 * goes before the container: somebody has shared it.
 */
export function browserAvailability(
  { env, platform }: { readonly env: Readonly<Record<string, string | undefined>>; readonly platform: string },
  files = ownFiles,
): BrowserAvailability {
  const set = (name: string) => (env[name] ?? '') !== '';
  if (set('SSH_CONNECTION') || set('SSH_TTY')) return 'ssh';
  if (platform === 'win32' || platform === 'darwin') return 'desktop';
  if (set('WSL_DISTRO_NAME')) return 'wsl';
  if (set('DISPLAY') || set('WAYLAND_DISPLAY')) return 'desktop';
  return set('container') || isInContainer(files) ? 'container' : 'no_display';
}

/**
 * Why no browser opens here, and what helps; lines for the terminal. `asked` is false when the person chose not to have one
 * opened: then only the way back of the response matters.
 */
export function browserHint(
  availability: BrowserAvailability,
  about: { readonly redirectUri: string; readonly asked: boolean },
): readonly string[] {
  const { asked } = about;
  const { hostname, port } = new URL(about.redirectUri);
  const address = hostname === 'localhost' ? '127.0.0.1' : hostname;
  switch (availability) {
    case 'ssh':
      return [
        'The login ends at this machine. To use your own computer’s browser, first run there:',
        '',
        `ssh -N -L ${port}:${address}:${port} HOST`,
        '',
        '(HOST: what you gave to ssh to get here.)',
      ];
    case 'container':
      return [
        `This is a container: a browser outside reaches port ${port} only with --network host, or where it is published (--listen-address). If yours does not, log in with --device, or paste the final address below.`,
      ];
    case 'wsl':
      return asked
        ? [
            'This is WSL: the browser of Windows is opened with PowerShell, which was not found or did not work. Set',
            'BROWSER to the absolute path of a program that opens a URL, such as /usr/bin/wslview of the package wslu.',
            'A Windows browser that you open yourself works, too.',
          ]
        : [];
    case 'no_display':
      return asked
        ? [
            'There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set). BROWSER may name a program that',
            'opens a URL, by its absolute path; --no-browser skips the attempt.',
          ]
        : [];
    case 'desktop':
      return asked ? ['BROWSER may name a program that opens a URL.'] : [];
  }
}
