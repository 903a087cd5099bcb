import type { Terminal } from '../../core/ports.js';
import { asObject, type JsonObject, type JsonValue, parseJson } from '../../core/text/json.js';
import { JsonNumber } from '../../core/text/json-number.js';
import { printable, quoted } from '../../core/text/printable.js';
import { saysYes } from '../../core/text/says-yes.js';

/** The first field whose choices or default no form can have; undefined: each can be asked for. */
export function oddField(params: JsonObject): string | undefined {
  const isFit = (schema: JsonObject) => [schema['default'], schema['enum']].flat().every(isScalar);
  return fieldsOf(params).find(([, schema]) => !isFit(schema))?.[0];
}

const isScalar = (value: JsonValue | undefined): boolean =>
  typeof value !== 'object' || value === null || value instanceof JsonNumber;

/** What a form is filled with where nobody is asked: its defaults. */
export function defaultsOf(params: JsonObject): JsonObject {
  const defaults = fieldsOf(params).map(([name, schema]) => [name, schema['default']] as const);
  return { action: 'accept', content: given(defaults) };
}

/** Asks for each field of a form, and has the whole looked over. @throws the signal's reason */
export async function askForm(
  terminal: Terminal,
  { server, params }: { readonly server: string; readonly params: JsonObject },
  signal: AbortSignal,
): Promise<JsonObject> {
  const said = typeof params['message'] === 'string' ? params['message'] : '';
  terminal.tell(`${printable(server, 200)} asks: ${quoted(said, 500)}`);
  const entries: (readonly [string, JsonValue | undefined])[] = [];
  for (const [name, schema] of fieldsOf(params)) {
    const typed = await terminal.ask(promptFor(name, schema), { hidden: false, signal });
    if (typed === undefined) return { action: 'cancel' };
    entries.push([name, typed === '' ? schema['default'] : convert(typed, schema)]);
  }
  const isSent = await saysYes(terminal, 'Send these answers to the server?', signal);
  return isSent ? { action: 'accept', content: given(entries) } : { action: 'decline' };
}

function fieldsOf(params: JsonObject): readonly (readonly [string, JsonObject])[] {
  const properties = asObject(asObject(params['requestedSchema'])?.['properties']) ?? {};
  return Object.entries(properties).map(([name, schema]) => [name, asObject(schema) ?? {}] as const);
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
  if (type === 'number' || type === 'integer') {
    const parsed = parseJson(new TextEncoder().encode(typed), { keepsNumbers: true });
    if (parsed.ok && (typeof parsed.value === 'number' || parsed.value instanceof JsonNumber)) return parsed.value;
    if (typed.trim() !== '' && Number.isFinite(Number(typed))) return Number(typed);
  }
  if (type === 'boolean') return ['y', 'yes', 'true', '1'].includes(typed.trim().toLowerCase());
  return typed;
}

function given(entries: readonly (readonly [string, JsonValue | undefined])[]): JsonObject {
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
