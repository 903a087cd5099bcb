import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { networkSettingUnusable } from '../../errors/network.js';
import { quoted } from '../../primitives/printable.js';

const mostBytes = 65_536;

/**
 * The private key of a client certificate, PEM. A symbolic link is followed, as certificate tools make them; the file
 * that it leads to has to be a plain one, the person's own or the system's, and closed to everybody else.
 * @throws Failure `network_setting_unusable`
 */
export function readClientKey(path: string): Buffer {
  const what = `The client key file ${quoted(path, 200)}`;
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    throw networkSettingUnusable(what, 'the file cannot be read');
  }
  try {
    const why = problem(fstatSync(file));
    if (why !== undefined) throw networkSettingUnusable(what, why);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function problem(stats: Stats): string | undefined {
  const us = process.geteuid?.();
  if (!stats.isFile() || stats.size > mostBytes) {
    return stats.isFile() ? `it is larger than ${mostBytes} bytes` : 'it is not a plain file';
  }
  if (us === undefined) {
    return undefined; // Windows is left to its access lists
  }
  if (stats.uid !== us && stats.uid !== 0) {
    return `it belongs to user ${stats.uid}, not to you (${us})`;
  }
  const mode = stats.mode & 0o777;
  return (mode & 0o077) === 0
    ? undefined
    : `other users have access to it (mode ${mode.toString(8)}; chmod 600)`;
}
