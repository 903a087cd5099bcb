import type { Failure } from '../core/failure.js';
import { asciiJson, printable } from '../core/text/printable.js';

/** JSON-RPC error codes of the bridge's own: a person has to log in, or nothing came through. `data.code` says more. */
export const rpcCode = { notJson: -32700, notAMessage: -32600, loginNeeded: -32011, notDelivered: -32012 } as const;

const longest = 2048;

const loginCodes: ReadonlySet<string> = new Set([
  'login_needed',
  'login_expired',
  'login_changed',
  'login_under_way',
  'login_needs_person',
  'insufficient_scope',
  'token_refused',
]);

/** The answer to a request that could not be passed on: what happened and what to type, in words and in `data`. */
export function failureResponse(id: Uint8Array, failure: Failure): Uint8Array {
  const [message, remedy] = [failure.message, failure.remedy].map((text) => printable(text, longest));
  const code = loginCodes.has(failure.code) ? rpcCode.loginNeeded : rpcCode.notDelivered;
  return withId(id, asciiJson({ code, message: `${message} ${remedy}`, data: { code: failure.code, remedy } }));
}

/** The answer to what is no message; it has no id that could be trusted. */
export function refusal(code: number, message: string): Uint8Array {
  return withId(new TextEncoder().encode('null'), asciiJson({ code, message }));
}

/** An error that the server gave without naming the request, with the request's id. */
export function namedError(id: Uint8Array, error: Uint8Array): Uint8Array {
  return withId(id, error);
}

function withId(id: Uint8Array, error: string | Uint8Array): Uint8Array {
  const encoder = new TextEncoder();
  const parts = [
    encoder.encode('{"jsonrpc":"2.0","id":'),
    id,
    encoder.encode(',"error":'),
    typeof error === 'string' ? encoder.encode(error) : error,
    encoder.encode('}'),
  ];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
