import { messageHeaders, ownRevision } from '../../protocol/mcp/message-headers.js';
import type { MessageShape } from '../../protocol/mcp/scan-message.js';
import type { Errand } from './courier.js';
import { everyMessage } from './session.js';
import type { StreamParts } from './streams.js';

/** Requests that change nothing, so that a second one does no harm. */
const readOnly: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
]);

/** The POST that a message of the host becomes: its bytes, and the headers that its revision wants. */
export function errandFor(
  parts: StreamParts,
  line: Uint8Array,
  message: MessageShape,
): Omit<Errand, 'event'> {
  const { session, server, authorization } = parts;
  const { method, params, kind } = message;
  const revision = ownRevision(message);
  const isCall = revision !== undefined && method === 'tools/call';
  const parameters = isCall ? session.parameterHeaders.headersFor(params.name, line) : [];
  const own =
    revision === undefined
      ? undefined
      : [...everyMessage, ...messageHeaders(message, revision), ...parameters];
  const opens = method === 'initialize';
  return {
    request: { method: 'POST', url: server, body: line, lasting: kind === 'request' },
    headers: () => own ?? session.messageHeaders(authorization.key),
    operation: () => `POST ${new URL(server).pathname} ${method} ${params.name ?? params.uri ?? ''}`.trim(),
    repeatable: readOnly.has(method),
    ...(opens ? { succeeded: (header) => session.takeId(header('mcp-session-id'), authorization.key) } : {}),
  };
}
