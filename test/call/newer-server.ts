import { type Rpc, type ScriptedServer, type Seen, scriptedServer } from '../bridge/host.js';

/** What a message says of itself. */
export const metaOf = ({ message }: Seen) => (message.params?.['_meta'] ?? {}) as Record<string, unknown>;

/** Where a message names its revision. */
export const revision = 'io.modelcontextprotocol/protocolVersion';

export type Reply = { readonly result: object } | { readonly error: object; readonly status?: number };

/** A server that speaks the newer era alone: what it says to each request but `server/discover`. */
export function newerServer(
  reply: (message: Rpc, seen: Seen) => Reply,
  revisions: readonly string[] = ['2026-07-28'],
  /** Whether nothing is said any more. */
  isSilent = () => false,
): Promise<ScriptedServer> {
  return scriptedServer((seen, response) => {
    const { message } = seen;
    const named = metaOf(seen)[revision];
    const unsupported = {
      error: { code: -32022, message: 'Unsupported', data: { supported: revisions, requested: named } },
      status: 400,
    };
    const discovered = { result: { supportedVersions: revisions, capabilities: { tools: {} } } };
    const isKnown = revisions.includes(String(named));
    const said = !isKnown ? unsupported : message.method === 'server/discover' ? discovered : reply(message, seen);
    const { status, ...rest } = { status: 200, ...said };
    if (isSilent()) return;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...rest }));
  });
}
