import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/**
 * True when the system says that another user of this machine has opened this loopback connection: not the one that we
 * run as, and not root, as whom relays run (WSL, containers) and who needs no trick. Only Linux tells; elsewhere false.
 */
export function isOfOtherUser({ remoteAddress, remotePort, localPort }: Socket): boolean {
  const own = process.geteuid?.();
  if (
    own === undefined ||
    remoteAddress === undefined ||
    remotePort === undefined ||
    localPort === undefined
  ) {
    return false;
  }
  const [local, remote] = [localPort, remotePort].map((port) =>
    port.toString(16).toUpperCase().padStart(4, '0'),
  );
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of linesOf(table)) {
      const [, from = '', to = '', , , , , user = ''] = line.trim().split(/\s+/);
      if (!from.endsWith(`0100007F:${remote}`) || !to.endsWith(`0100007F:${local}`)) continue;
      return ![own, 0].includes(Number(user));
    }
  }
  return false;
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'latin1').split('\n');
  } catch {
    return [];
  }
}
