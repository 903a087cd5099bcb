import type { CorePorts } from '../core/ports.js';
import { asObject, type JsonObject, type JsonValue } from '../core/text/json.js';
import { printable, quoted } from '../core/text/printable.js';
import type { Message } from '../mcp/messages.js';

/** What to do when a server asks the person something during a call. */
export type ElicitationPolicy = 'ask' | 'defaults' | 'decline';

type ServerRequest = Extract<Message, { readonly kind: 'request' }>;

/** The JSON-RPC response to a request of the server. */
export async function respond(
  ports: Pick<CorePorts, 'terminal'>,
  request: ServerRequest,
  policy: ElicitationPolicy,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { id } = request;
  if (request.method === 'ping') return { jsonrpc: '2.0', id, result: {} };
  if (request.method === 'elicitation/create') {
    return { jsonrpc: '2.0', id, result: await elicit(ports, request.params, policy, signal) };
  }
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'This client does not offer that.' } };
}

async function elicit(
  ports: Pick<CorePorts, 'terminal'>,
  params: JsonObject,
  policy: ElicitationPolicy,
  signal: AbortSignal,
): Promise<JsonObject> {
  if ((params['mode'] ?? 'form') !== 'form') return { action: 'decline' }; // a page to be opened: not offered, and no default accepts one
  const properties = asObject(asObject(params['requestedSchema'])?.['properties']) ?? {};
  if (policy === 'defaults') {
    const defaults = Object.entries(properties).map(([name, schema]) => [name, asObject(schema)?.['default']] as const);
    return { action: 'accept', content: given(defaults) };
  }
  if (policy === 'decline' || !ports.terminal.interactive) return { action: 'decline' };
  const said = typeof params['message'] === 'string' ? params['message'] : '';
  ports.terminal.tell(`The server asks: ${quoted(said, 500)}`);
  const entries: (readonly [string, JsonValue | undefined])[] = [];
  for (const [name, value] of Object.entries(properties)) {
    const schema = asObject(value) ?? {};
    const typed = await ports.terminal.ask(promptFor(name, schema), { hidden: false, signal });
    if (typed === undefined) return { action: 'cancel' };
    entries.push([name, typed === '' ? schema['default'] : convert(typed, schema)]);
  }
  const sent = await ports.terminal.ask('Send these answers to the server? [y/N] ', { hidden: false, signal });
  return sent?.trim().toLowerCase() === 'y' ? { action: 'accept', content: given(entries) } : { action: 'decline' };
}

function promptFor(name: string, schema: JsonObject): string {
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'text';
  const choices = Array.isArray(schema['enum']) ? ` one of ${schema['enum'].map(String).join(', ')}` : '';
  const preset = schema['default'] === undefined ? '' : ` [${String(schema['default'])}]`;
  return `  ${printable(`${name} (${type}${choices})${preset}`, 200)}: `;
}

/** What was typed, as the schema's type wants it; as text if it does not fit: the server will refuse it. */
function convert(typed: string, schema: JsonObject): JsonValue {
  const type = schema['type'];
  if ((type === 'number' || type === 'integer') && typed.trim() !== '' && Number.isFinite(Number(typed))) {
    return Number(typed);
  }
  if (type === 'boolean') return ['y', 'yes', 'true', '1'].includes(typed.trim().toLowerCase());
  return typed;
}

function given(entries: readonly (readonly [string, JsonValue | undefined])[]): JsonObject {
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
