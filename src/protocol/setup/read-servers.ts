import { mayCarryToken } from '../../primitives/credential-target.js';
import { jsonAt } from '../../primitives/edit/json-value.js';
import { tomlStrings, tomlTables } from '../../primitives/edit/toml-edit.js';
import { canonicalResource } from '../../primitives/resource.js';
import { addressesIn } from './leftovers.js';

/** A server that a program is set up for. */
export interface FoundServer {
  /** What the program calls it. */
  readonly name: string;
  /** Canonical. */
  readonly url: string;
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
