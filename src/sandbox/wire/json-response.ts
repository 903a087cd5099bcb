import type { SentResponse } from './response.js';

/** A JSON response that nobody keeps. */
export function jsonResponse(status: number, document: unknown, headers: SentResponse['headers'] = []): SentResponse {
  return {
    status,
    headers: [['content-type', 'application/json'], ['cache-control', 'no-store'], ...headers],
    body: Buffer.from(JSON.stringify(document)),
  };
}

/** An error of the protocol's own (JSON-RPC 2.0 section 5.1) for a request whose id is not known. */
export function rpcErrorResponse(
  status: number,
  code: number,
  message: string,
  headers: SentResponse['headers'] = [],
): SentResponse {
  return jsonResponse(status, { jsonrpc: '2.0', error: { code, message }, id: null }, headers);
}
