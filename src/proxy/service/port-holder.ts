import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { printable, quoted } from '../../core/text/printable.js';

/** Processes looked at: a machine may have many. */
const maxProcesses = 20_000;

/** Who listens at a port of loopback, in words; undefined where this system, or that user, does not say. */
export function portHolder(port: number): string | undefined {
  const socket = ['tcp', 'tcp6'].flatMap((name) => listenersIn(read(`/proc/net/${name}`), port))[0];
  if (socket === undefined) return undefined;
  const pid = processWith(socket.inode);
  if (pid !== undefined) return `${quoted(read(`/proc/${pid}/comm`).trim(), 40)} (process ${pid})`;
  return socket.uid === String(process.getuid?.()) ? undefined : `a program of user ${printable(socket.uid, 20)}`;
}

/** Of `/proc/net/tcp`: local address, state (0A listens), user, inode. */
function listenersIn(table: string, port: number): readonly { readonly uid: string; readonly inode: string }[] {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , uid = '', , inode = ''] = line.trim().split(/\s+/);
    return local.endsWith(end) && state === '0A' ? [{ uid, inode }] : [];
  });
}

function processWith(inode: string): string | undefined {
  const wanted = `socket:[${inode}]`;
  const pids = list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .slice(0, maxProcesses);
  return pids.find((pid) =>
    list(`/proc/${pid}/fd`).some((descriptor) => linkOf(`/proc/${pid}/fd/${descriptor}`) === wanted),
  );
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function list(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
