import { holdSecret, Secret, type SecretHeader } from '../secret.js';
import { isFieldName, isHeaderValue } from './characters.js';
import { asObject, type JsonValue } from './json.js';

/** Maximum number of extra headers, length of a value in characters, and size of their text in bytes. */
export const secretHeaderLimits = { headers: 16, value: 4_096, text: 16_384 } as const;

/**
 * Names set by HTTP, the protocol or the login: framing and hop-by-hop headers (RFC 9110 section 7.6.1), credentials and
 * cookies, content negotiation, browser metadata, method and URL overrides.
 */
const reserved = new RegExp(
  `^(?:${[
    'authorization|dpop|cookie2?|set-cookie2?|postern-key|host|origin|sec-.*',
    'connection|expect|http2-settings|keep-alive|max-forwards|proxy-.*|te|trailer|transfer-encoding|upgrade',
    'accept|accept-encoding|content-.*|if-.*|last-event-id|mcp-.*|range',
    'x-http-method(?:-override)?|x-method-override|x-original-url|x-rewrite-url',
  ].join('|')})$`,
);

/** Equal for names that a server may treat as one: some read an underscore as a dash. */
const keyOf = (name: string): string => name.toLowerCase().replaceAll('_', '-');

export type ParsedHeaders =
  | { readonly ok: true; readonly headers: readonly SecretHeader[] }
  /** `line` counts from 1; `why` completes a sentence and quotes no value. */
  | { readonly ok: false; readonly line: number | undefined; readonly why: string };

/**
 * Parses `Name: value` lines; skips blank lines and those that start with #. Accepts a byte order mark and CRLF.
 */
export function parseSecretHeaders(text: string): ParsedHeaders {
  const headers: SecretHeader[] = [];
  for (const [at, raw] of text
    .replace(/^\ufeff|\r$/g, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^(?:#|[\t ]*$)/.test(raw)) continue;
    const read = readLine(raw);
    const why = typeof read === 'string' ? read : conflictWith(read, headers);
    if (why !== undefined) return { ok: false, line: at + 1, why };
    if (typeof read !== 'string') headers.push(read);
  }
  return headers.length === 0 ? { ok: false, line: undefined, why: 'there is no header in it' } : { ok: true, headers };
}

/** The header on a line, or why it is invalid. */
function readLine(line: string): SecretHeader | string {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon);
  if (colon < 1 || !isFieldName(name)) return 'it is not “Name: value”';
  if (reserved.test(keyOf(name))) return `${name.slice(0, 40)} is set by HTTP, by the protocol or by the login`;
  const value = line.slice(colon + 1).replace(/^[\t ]+|[\t ]+$/g, '');
  if (value === '') return 'it has no value';
  if (value.length > secretHeaderLimits.value) return `its value is longer than ${secretHeaderLimits.value} characters`;
  if (!isHeaderValue(value)) return 'its value holds a character that no header may hold';
  for (const word of secretWords(value)) holdSecret(word);
  return { name, value: new Secret(value) };
}

function conflictWith({ name }: SecretHeader, others: readonly SecretHeader[]): string | undefined {
  if (others.some((other) => keyOf(other.name) === keyOf(name))) return `${name.slice(0, 40)} stands there twice`;
  return others.length < secretHeaderLimits.headers ? undefined : `there are more than ${secretHeaderLimits.headers}`;
}

/** The words of a value that may be keys: a server may quote one of them alone. */
function secretWords(value: string): readonly string[] {
  return value.split(/[\t ,;=]+/).filter((word) => word.length >= 12);
}

/** The stored form. */
export function headersToStore(headers: readonly SecretHeader[]): readonly object[] {
  return headers.map(({ name, value }) => ({ name, headerValue: value.reveal() }));
}

/** Headers from their stored form; undefined if invalid. */
export function headersFromStore(stored: JsonValue | undefined): readonly SecretHeader[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  const lines = stored.map((one) => {
    const { name, headerValue } = asObject(one) ?? {};
    return typeof name === 'string' && typeof headerValue === 'string' ? `${name}: ${headerValue}` : '';
  });
  const isOne = (line: string) => {
    const parsed = parseSecretHeaders(line);
    return parsed.ok && parsed.headers.length === 1;
  };
  const whole = parseSecretHeaders(lines.join('\n'));
  return whole.ok && lines.every(isOne) ? whole.headers : undefined;
}

/** Header pairs, with `own` replacing those of the same names. */
export function withSecretHeaders(
  given: readonly (readonly [name: string, value: string])[],
  own: readonly SecretHeader[],
): readonly (readonly [name: string, value: string])[] {
  if (own.length === 0) return given;
  const names = namesOf(own);
  return [
    ...given.filter(([name]) => !names.has(keyOf(name))),
    ...own.map(({ name, value }) => [name, value.reveal()] as const),
  ];
}

/** The same for alternating names and values that include no Authorization, which is usually the only one of `own`. */
export function withSecretHeadersFlat(given: readonly string[], own: readonly SecretHeader[]): readonly string[] {
  const hasOthers = own.some(({ name }) => name !== 'authorization');
  const lines = hasOthers ? flatWithout(given, namesOf(own)) : [...given];
  for (const { name, value } of own) lines.push(name, value.reveal());
  return lines;
}

function flatWithout(given: readonly string[], names: ReadonlySet<string>): string[] {
  return given.flatMap((name, at) => (at % 2 === 0 && !names.has(keyOf(name)) ? [name, given[at + 1] ?? ''] : []));
}

function namesOf(headers: readonly SecretHeader[]): ReadonlySet<string> {
  return new Set(headers.map(({ name }) => keyOf(name)));
}
