import type { Answer } from '../wire/answer.js';

/** A JSON answer that nobody keeps. */
export function jsonAnswer(status: number, document: unknown, headers: Answer['headers'] = []): Answer {
  return {
    status,
    headers: [['content-type', 'application/json'], ['cache-control', 'no-store'], ...headers],
    body: Buffer.from(JSON.stringify(document)),
  };
}

/** An error of the protocol's own (JSON-RPC 2.0 section 5.1) for a request whose id is not known. */
export function rpcErrorAnswer(status: number, code: number, message: string, headers: Answer['headers'] = []): Answer {
  return jsonAnswer(status, { jsonrpc: '2.0', error: { code, message }, id: null }, headers);
}
