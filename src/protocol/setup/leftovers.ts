import { jsonAt } from '../../primitives/edit/json-value.js';
import { quoted } from '../../primitives/printable.js';
import type { EntryRequest } from './program.js';
import { sameServer } from './same-server.js';

/** Other entries for the same server in a JSON file: the program would connect twice, with other credentials. */
export function sameServerElsewhere(
  { text, name, url }: EntryRequest,
  below: readonly string[],
): readonly string[] {
  const servers = jsonAt(text, below);
  if (typeof servers !== 'object' || servers === null) return [];
  return Object.entries(servers).flatMap(([other, entry]) =>
    other !== name && addressesIn(entry).some((address) => sameServer(address, url))
      ? [`The entry ${quoted(other, 80)} is for the same server; if it is no longer needed, remove it.`]
      : [],
  );
}

/** What looks like an address in an entry: its URL, or an argument of its command. */
export function addressesIn(entry: unknown): readonly string[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const { url, httpUrl, serverUrl, args, command } = entry as Readonly<Record<string, unknown>>;
  const words = [...(Array.isArray(args) ? args : []), ...(Array.isArray(command) ? command : [])];
  return [url, httpUrl, serverUrl, ...words].filter(
    (word): word is string => typeof word === 'string' && /^https?:\/\//i.test(word),
  );
}
