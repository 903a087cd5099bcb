import { asciiJson } from '../core/text/printable.js';

/**
 * JSON-RPC error codes of the bridge. `data.code` says more. Our own keep out of -32768 to -32000, which JSON-RPC and the
 * protocol claim (2026-07-28, basic/index).
 */
export const rpcCode = {
  notJson: -32700,
  notAMessage: -32600,
  unknownMethod: -32601,
  loginNeeded: -31011,
  notDelivered: -31012,
  toolNotLent: -31013,
  notTranslated: -31014,
} as const;

/** The response to what is no message: without an id. */
export function refusal(code: number, message: string): Uint8Array {
  return namedError(Buffer.from('null'), Buffer.from(asciiJson({ code, message })));
}

/** An error response with that id. */
export function namedError(id: Uint8Array, error: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":'), id, Buffer.from(',"error":'), error, Buffer.from('}')]);
}
