import { existsSync, readFileSync } from 'node:fs';

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
export function isInContainer(machine: {
  readonly fileExists: (path: string) => boolean;
  /** Undefined where it cannot be read. */
  readonly readText: (path: string) => string | undefined;
}): boolean {
  const { fileExists, readText } = machine;
  if (marks.some(fileExists) || engines.test(readText('/proc/1/cgroup') ?? '')) return true;
  const mounts = (readText('/proc/self/mountinfo') ?? '').split('\n');
  return mounts.some((line) => line.split(' ')[4] === '/' && rootLayers.test(line));
}

/** The same of this machine. */
export function runsInContainer(): boolean {
  return isInContainer({ fileExists: existsSync, readText });
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').slice(0, 1024 * 1024);
  } catch {
    return undefined;
  }
}
