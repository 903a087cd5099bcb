import { asObject, parseJson, stringField } from '../../primitives/json.js';
import type { OutboundRequest } from '../../primitives/outbound.js';

/**
 * What a request does, for counting step-ups by resource and operation (rule 5.6): the HTTP method and the path, and
 * of a JSON-RPC message its method and the tool, prompt or resource, whatever the arguments.
 */
export function operationOf(request: Pick<OutboundRequest, 'method' | 'url' | 'body'>): string {
  const http = `${request.method} ${new URL(request.url).pathname}`;
  const { body } = request;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const parsed = bytes instanceof Uint8Array ? parseJson(bytes) : undefined;
  const message = parsed?.ok ? asObject(parsed.value) : undefined;
  const method = message === undefined ? undefined : stringField(message, 'method');
  if (message === undefined || method === undefined) {
    return http;
  }
  const params = asObject(message['params']) ?? {};
  const what = stringField(params, 'name') ?? stringField(params, 'uri') ?? '';
  return `${http} ${method} ${what}`.trim();
}
