import type { OutboundDoor } from '../../ports.js';
import type { OutboundResponse } from '../../primitives/outbound.js';
import { clientInfo, latestProtocolVersion } from './client-info.js';

const probeLimits = { of: 'metadata', totalMs: 10_000, headersMs: 10_000, maxBytes: 256 * 1024 } as const;

export interface ProbeAnswer {
  readonly status: number;
  readonly challenges: readonly string[];
  readonly sessionId: string | undefined;
  readonly zone: OutboundResponse['zone'];
}

/**
 * One protocol request without a token, to see how the server asks for a login.
 * @throws Failure of the door
 */
export async function probe(
  door: OutboundDoor,
  request: {
    readonly server: string;
    readonly method: 'initialize' | 'tools/list';
    readonly sessionId?: string;
    readonly signal: AbortSignal;
  },
): Promise<ProbeAnswer> {
  const params =
    request.method === 'initialize'
      ? { protocolVersion: latestProtocolVersion, capabilities: {}, clientInfo }
      : {};
  await using response = await door.send({
    method: 'POST',
    url: request.server,
    headers: [
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
      ...(request.method === 'initialize'
        ? []
        : ([['mcp-protocol-version', latestProtocolVersion]] as const)),
      ...(request.sessionId === undefined ? [] : ([['mcp-session-id', request.sessionId]] as const)),
    ],
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: request.method, params }),
    namedBy: 'person',
    redirects: 'report',
    limits: probeLimits,
    signal: request.signal,
  });
  return {
    status: response.status,
    challenges: response.headers.filter(([name]) => name === 'www-authenticate').map(([, value]) => value),
    sessionId: response.headers.find(([name]) => name === 'mcp-session-id')?.[1],
    zone: response.zone,
  };
}
