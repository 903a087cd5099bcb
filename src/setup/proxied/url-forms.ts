import type { EntryMembers, PlainJson } from '../formats/json.js';
import type { MadeEntry, Program } from '../programs/program.js';

/** How a program writes down a server that it reaches by a URL. */
interface UrlForm {
  readonly format: 'json' | 'toml';
  /** The member that holds its list of servers. */
  readonly list: string;
  /** The member that holds the URL. */
  readonly url: string;
  readonly fixed?: Readonly<Record<string, PlainJson>>;
}

const forms: Readonly<Record<string, UrlForm>> = {
  claude: { format: 'json', list: 'mcpServers', url: 'url', fixed: { type: 'http' } },
  codex: { format: 'toml', list: 'mcp_servers', url: 'url' },
  cursor: { format: 'json', list: 'mcpServers', url: 'url' },
  vscode: { format: 'json', list: 'servers', url: 'url', fixed: { type: 'http' } },
  gemini: { format: 'json', list: 'mcpServers', url: 'httpUrl' },
  opencode: { format: 'json', list: 'mcp', url: 'url', fixed: { type: 'remote', enabled: true } },
  zed: { format: 'json', list: 'context_servers', url: 'url', fixed: { source: 'custom' } },
  windsurf: { format: 'json', list: 'mcpServers', url: 'serverUrl' },
};

/** The programs that take a URL. */
export const urlPrograms: readonly string[] = Object.keys(forms);

/** What means nothing beside the URL of a proxy, or would win over it. */
const others = [
  ...['url', 'httpUrl', 'serverUrl', 'type', 'source', 'command', 'args', 'env', 'headers', 'headersHelper'],
  ...['http_headers', 'http_headers_helper', 'env_http_headers', 'bearer_token', 'bearer_token_env_var'],
  ...['oauth', 'auth', 'authProviderType'],
];

/** Does it take a URL? */
export function takesUrl({ name }: Program): boolean {
  return forms[name] !== undefined;
}

/** The entry of a program that reaches a server at this address. */
export function urlEntry(program: Program, name: string, address: string): MadeEntry | undefined {
  const form = forms[program.name];
  if (form === undefined) return undefined;
  const members: EntryMembers['members'] = { ...form.fixed, [form.url]: address };
  const without = others.filter((member) => !(member in members));
  return { entry: { key: { format: form.format, path: [form.list, name] }, holds: { members, without } } };
}

/** The URL in the value of such an entry. */
export function urlIn(program: Program, value: unknown): string | undefined {
  const url = (value as Readonly<Record<string, unknown>> | undefined)?.[forms[program.name]?.url ?? ''];
  return typeof url === 'string' ? url : undefined;
}
