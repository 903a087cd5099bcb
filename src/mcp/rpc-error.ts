import type { Failure } from '../core/failure.js';
import { asciiJson, printable } from '../core/text/printable.js';

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

const longest = 2048;

const loginCodes: ReadonlySet<string> = new Set([
  'login_needed',
  'login_expired',
  'login_changed',
  'login_under_way',
  'login_needs_person',
  'insufficient_scope',
  'token_refused',
  'dpop_needed',
]);

/** The response to a request that could not be passed on: what happened and what to type, in words and in `data`. */
export function failureResponse(id: Uint8Array, failure: Failure, own?: number): Uint8Array {
  const [message, remedy] = [failure.message, failure.remedy].map((text) => printable(text, longest));
  const other = failure.code === 'not_translated' ? rpcCode.notTranslated : rpcCode.notDelivered;
  const code = own ?? (loginCodes.has(failure.code) ? rpcCode.loginNeeded : other);
  const error = asciiJson({ code, message: `${message} ${remedy}`, data: { code: failure.code, remedy } });
  return namedError(id, Buffer.from(error));
}

/** The response to what is no message: without an id. */
export function refusal(code: number, message: string): Uint8Array {
  return namedError(Buffer.from('null'), Buffer.from(asciiJson({ code, message })));
}

/** An error response with that id. */
export function namedError(id: Uint8Array, error: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":'), id, Buffer.from(',"error":'), error, Buffer.from('}')]);
}
