import { latestProtocolVersion } from '../core/product.js';
import type { JsonObject } from '../core/text/json.js';
import type { HttpRequest, HttpResponse } from '../http/request.js';

/** Sends one HTTP request with the token on it. */
export interface ProtectedTransport {
  send(request: Omit<HttpRequest, 'namedBy' | 'redirects'>): Promise<HttpResponse>;
}

/** What each HTTP request of one protocol session repeats. */
export interface SessionState {
  readonly server: string;
  /** From the answer to `initialize`; a secret as far as showing it goes. */
  sessionId: string | undefined;
  /** The negotiated revision; undefined before `initialize` has answered. */
  protocolVersion: string | undefined;
}

const headersMs = 60_000;

/** POSTs one JSON-RPC message (Streamable HTTP). The answer may be JSON, an event stream, or 202 with nothing. */
export function postMessage(
  transport: ProtectedTransport,
  state: SessionState,
  message: JsonObject,
  signal: AbortSignal,
): Promise<HttpResponse> {
  return transport.send({
    method: 'POST',
    url: state.server,
    headers: [
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
      ...sessionHeaders(state),
    ],
    body: JSON.stringify(message),
    limits: { of: 'answer', totalMs: null, headersMs, maxBytes: null },
    signal,
  });
}

/** Takes up a broken event stream after the event `lastEventId`. */
export function resumeStream(
  transport: ProtectedTransport,
  state: SessionState,
  lastEventId: string,
  signal: AbortSignal,
): Promise<HttpResponse> {
  return transport.send({
    method: 'GET',
    url: state.server,
    headers: [['accept', 'text/event-stream'], ['last-event-id', lastEventId], ...sessionHeaders(state)],
    limits: { of: 'answer', totalMs: null, headersMs, maxBytes: null },
    signal,
  });
}

/** Opens the session's standing event stream, which a server need not have (405). */
export function openStream(
  transport: ProtectedTransport,
  state: SessionState,
  signal: AbortSignal,
): Promise<HttpResponse> {
  return transport.send({
    method: 'GET',
    url: state.server,
    headers: [['accept', 'text/event-stream'], ...sessionHeaders(state)],
    limits: { of: 'answer', totalMs: null, headersMs, maxBytes: null },
    signal,
  });
}

/** Ends the session at the server, which may not allow it (405). */
export function deleteSession(
  transport: ProtectedTransport,
  state: SessionState,
  signal: AbortSignal,
): Promise<HttpResponse> {
  return transport.send({
    method: 'DELETE',
    url: state.server,
    headers: sessionHeaders(state),
    limits: { totalMs: 5_000, headersMs: 5_000, maxBytes: 64 * 1024 },
    signal,
  });
}

function sessionHeaders(state: SessionState): readonly (readonly [string, string])[] {
  return [
    ...(state.sessionId === undefined ? [] : ([['mcp-session-id', state.sessionId]] as const)),
    ...(state.protocolVersion === undefined ? [] : ([['mcp-protocol-version', state.protocolVersion]] as const)),
  ];
}

/** The body of `initialize`. */
export function initializeParams(clientInfo: JsonObject, elicitation: boolean): JsonObject {
  return {
    protocolVersion: latestProtocolVersion,
    capabilities: elicitation ? { elicitation: {} } : {},
    clientInfo,
  };
}
