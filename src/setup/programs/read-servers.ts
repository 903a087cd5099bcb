import { canonicalResource } from '../../core/resource.js';
import { quoted } from '../../core/text/printable.js';
import { mayCarryToken } from '../../tokens/credential-target.js';
import { sameServer } from './entry-call.js';
import type { EntryRequest, FoundServer } from './program.js';

/** Other entries for the same server in a list of them: the program would connect twice, with other credentials. */
export function sameServerElsewhere({ name, url }: EntryRequest, servers: unknown): readonly string[] {
  return entriesOf(servers).flatMap(([other, entry]) =>
    other !== name && addressesIn(entry).some((address) => sameServer(address, url))
      ? [`The entry ${quoted(other, 80)} is for the same server; if it is no longer needed, remove it.`]
      : [],
  );
}

/** What looks like an address in an entry: its URL, or an argument of its command. */
function addressesIn(entry: unknown): readonly string[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const { url, httpUrl, serverUrl, args, command } = entry as Readonly<Record<string, unknown>>;
  const words = [...(Array.isArray(args) ? args : []), ...(Array.isArray(command) ? command : [])];
  return [url, httpUrl, serverUrl, ...words].filter(
    (word): word is string => typeof word === 'string' && /^https?:\/\//i.test(word),
  );
}

/**
 * The servers in a program's list: those with an address, and those that a command such as mcp-remote gets the address
 * of. Nothing else of an entry is looked at: no header, no variable.
 */
export function foundServers(servers: unknown): readonly FoundServer[] {
  return entriesOf(servers).flatMap(([name, entry]) => oneOf(name, serverAddresses(entry)));
}

function entriesOf(servers: unknown): readonly (readonly [string, unknown])[] {
  return typeof servers === 'object' && servers !== null && !Array.isArray(servers) ? Object.entries(servers) : [];
}

/** Programs that stand between a program that starts commands and a server. */
const bridges = /(?:^|[\\/@])(?:mcp-remote|supergateway|mcp-proxy|postern)\b/;

/** An address among a command's arguments is a server's only where the command is a known bridge. */
function serverAddresses(entry: unknown): readonly string[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const { command, args } = entry as { readonly command?: unknown; readonly args?: unknown };
  const words = [command, args].flat().filter((word) => typeof word === 'string');
  return words.length === 0 || words.some((word) => bridges.test(word)) ? addressesIn(entry) : [];
}

/** Addresses with variables or a credential in them, or without TLS, are no servers that one could log in to. */
function oneOf(name: string, addresses: readonly string[]): readonly FoundServer[] {
  const usable = addresses.flatMap((address) => {
    const canonical = /[${}]/.test(address) ? undefined : canonicalResource(address);
    return canonical?.ok === true && mayCarryToken(canonical.value) ? [canonical.value] : [];
  });
  return usable.slice(0, 1).map((url) => ({ name, url }));
}
