import { asObject, type JsonObject, type JsonValue, stringField } from '../../core/text/json.js';
import { jsonText } from '../../core/text/json-number.js';
import { printable } from '../../core/text/printable.js';

/** What a result holds, piece by piece. All of it is the server's. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  /** What can be a file. */
  | Media
  /** What has no form of its own here: one line, printable. */
  | { readonly kind: 'other'; readonly line: string };

export interface Media {
  readonly kind: 'media';
  readonly what: 'image' | 'audio' | 'resource';
  /** '' where the server says none. */
  readonly mediaType: string;
  /** Of a resource: its URI, else ''. */
  readonly uri: string;
  /** Its text, or its bytes; undefined where they are not valid base64. */
  readonly content: string | Uint8Array | undefined;
}

/** The pieces of what a tool, a resource or a prompt brought; undefined for any other result. */
export function piecesOf(method: string, result: JsonObject): readonly Piece[] | undefined {
  switch (method) {
    case 'tools/call':
      return listed(result['content'])?.map(blockOf);
    case 'resources/read':
      return listed(result['contents'])?.map((one) => resourceOf(asObject(one) ?? {}));
    case 'prompts/get':
      return listed(result['messages'])?.map((one) => blockOf(asObject(one)?.['content'] ?? null));
    default:
      return undefined;
  }
}

function listed(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}

function blockOf(value: JsonValue): Piece {
  const block = asObject(value) ?? {};
  const text = stringField(block, 'text');
  switch (block['type']) {
    case 'image':
    case 'audio': {
      const data = stringField(block, 'data');
      if (data === undefined) break;
      return { kind: 'media', what: block['type'], mediaType: typeIn(block), uri: '', content: bytesIn(data) };
    }
    case 'resource':
      return resourceOf(asObject(block['resource']) ?? {});
    case 'resource_link':
      return { kind: 'other', line: `[resource ${printable(stringField(block, 'uri') ?? '?', 500)}]` };
    default:
      if (text !== undefined) return { kind: 'text', text };
  }
  return { kind: 'other', line: printable(jsonText(value), 2_000) };
}

function resourceOf(resource: JsonObject): Piece {
  const [text, blob] = [stringField(resource, 'text'), stringField(resource, 'blob')];
  const content = text ?? (blob === undefined ? undefined : bytesIn(blob));
  if (text === undefined && blob === undefined) {
    return { kind: 'other', line: printable(jsonText(resource), 2_000) };
  }
  const uri = stringField(resource, 'uri') ?? '';
  return { kind: 'media', what: 'resource', mediaType: typeIn(resource), uri, content };
}

function typeIn(object: JsonObject): string {
  const [type = ''] = (stringField(object, 'mimeType') ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

function bytesIn(base64: string): Uint8Array | undefined {
  const text = base64.replaceAll(/\s+/g, '');
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
