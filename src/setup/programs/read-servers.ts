import { canonicalResource } from '../../core/resource.js';
import { quoted } from '../../core/text/printable.js';
import { mayCarryToken } from '../../tokens/credential-target.js';
import { jsonAt } from '../formats/json-tree.js';
import { tomlStrings, tomlTables } from '../formats/toml-edit.js';
import { sameServer } from './entry-call.js';
import type { EntryRequest, FoundServer } from './program.js';

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

/**
 * The servers in a JSON configuration, below one of these paths: those with an address, and those that a command such
 * as mcp-remote gets the address of. Nothing else of an entry is looked at: no header, no variable.
 */
export function readJsonServers(text: string, paths: readonly (readonly string[])[]): readonly FoundServer[] {
  return paths.flatMap((path) => {
    const servers = jsonAt(text, path);
    return typeof servers === 'object' && servers !== null && !Array.isArray(servers)
      ? Object.entries(servers).flatMap(([name, entry]) => oneOf(name, serverAddresses(entry)))
      : [];
  });
}

/** The same in Codex's `config.toml`. */
export function readTomlServers(text: string, path: readonly string[]): readonly FoundServer[] {
  return tomlTables(text, path).flatMap((name) => {
    const { url } = tomlStrings(text, [...path, name]);
    return url === undefined ? [] : oneOf(name, [url]);
  });
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
