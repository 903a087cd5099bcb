import { canonicalResource } from '../../core/resource.js';
import { quoted } from '../../core/text/printable.js';
import { mayCarryToken } from '../../tokens/credential-target.js';

/** A server that a program is set up for. */
export interface FoundServer {
  /** What the program calls it. */
  readonly name: string;
  /** Canonical. */
  readonly url: string;
}

type Entry = Readonly<Record<string, unknown>>;

/** Other entries for the same server in a list of them: the program would connect twice, with other credentials. */
export function sameServerElsewhere(
  { name, url }: { readonly name: string; readonly url: string },
  servers: unknown,
): readonly string[] {
  return entriesOf(servers)
    .filter(([other, entry]) => other !== name && addressesIn(entry).some((address) => sameServer(address, url)))
    .map(([other]) => `The entry ${quoted(other, 80)} is for the same server; if it is no longer needed, remove it.`);
}

/** Do both addresses name one server, however they are spelled? */
export function sameServer(one: string, other: string): boolean {
  const [first, second] = [one, other].map((url) => {
    const canonical = canonicalResource(url);
    return canonical.ok ? canonical.value.replace(/\/+$/, '') : undefined;
  });
  return first !== undefined && first === second;
}

/**
 * The servers in a program's list: those with an address, and those that a command such as mcp-remote gets the address
 * of. Nothing else of an entry is looked at: no header, no variable.
 */
export function foundServers(servers: unknown): readonly FoundServer[] {
  return entriesOf(servers).flatMap(([name, entry]) => {
    const [url] = serverAddresses(entry).flatMap(usableUrl);
    return url === undefined ? [] : [{ name, url }];
  });
}

function entriesOf(servers: unknown): readonly (readonly [string, Entry])[] {
  return isObject(servers) && !Array.isArray(servers)
    ? Object.entries(servers).filter((pair): pair is [string, Entry] => isObject(pair[1]))
    : [];
}

function isObject(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null;
}

/** Programs that stand between a program that starts commands and a server. */
const bridges = /(?:^|[\\/@])(?:mcp-remote|supergateway|mcp-proxy|postern)\b/;

/** An address among a command's arguments is a server's only where the command is a known bridge. */
function serverAddresses(entry: Entry): readonly string[] {
  const words = commandWords(entry);
  return words.length === 0 || words.some((word) => bridges.test(word)) ? addressesIn(entry) : [];
}

/** What looks like an address in an entry: its URL, or an argument of its command. */
function addressesIn(entry: Entry): readonly string[] {
  const { url, uri, httpUrl, serverUrl } = partsOf(entry);
  return strings([url, uri, httpUrl, serverUrl, ...commandWords(entry)]).filter((word) => /^https?:\/\//i.test(word));
}

function commandWords(entry: Entry): readonly string[] {
  const { command, cmd, args } = partsOf(entry);
  return strings([command, cmd, args].flat());
}

/** Some programs keep how a server is reached in a member of its own. */
function partsOf(entry: Entry): Entry {
  const { transport } = entry;
  return isObject(transport) ? { ...entry, ...transport } : entry;
}

function strings(values: readonly unknown[]): readonly string[] {
  return values.filter((value) => typeof value === 'string');
}

/** An address with variables or a credential in it, or without TLS, is none that one could log in to. */
function usableUrl(address: string): readonly string[] {
  const canonical = /[${}]/.test(address) ? undefined : canonicalResource(address);
  return canonical?.ok === true && mayCarryToken(canonical.value) ? [canonical.value] : [];
}
