/**
 * Ports that no browser opens (the Fetch standard's port blocking), of those that we could bind: a callback there
 * would never arrive.
 */
const blockedByBrowsers: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

/** Why a fixed port cannot receive the callback; undefined: it can. 0 stands for any free one. */
export function problemOfPort(port: number): string | undefined {
  if (port === 0) return undefined;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return 'it is not a port number';
  if (port < 1024) return 'ports below 1024 belong to the system';
  if (blockedByBrowsers.has(port)) return 'browsers refuse to open it';
  return undefined;
}
