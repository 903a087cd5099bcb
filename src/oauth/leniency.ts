import type { ClientAuth } from 'oauth4webapi';
import { withoutMark } from '../core/text/bytes.js';
import { asObject, type JsonObject, type JsonValue, parseJson } from '../core/text/json.js';

/** What the body of an error says: a code of the standard's, or ''; words for a person, or ''. Untrusted: shown through `quoted` alone. */
export interface ErrorWords {
  readonly error: string;
  readonly said: string;
  /** It is a web page, as firewalls and proxies send them: nothing that this endpoint has said. */
  readonly isPage: boolean;
}

/** Members that words stand in, the best first: RFC 6749 section 5.2, RFC 9457, and what frameworks make. */
const sayers = [
  ...['error_description', 'errorSummary', 'message', 'detail', 'msg', 'defaultMessage', 'description', 'reason'],
  'errors',
];

const longestWords = 500;

/** Reads the body of an error of any endpoint, in whatever form it comes: the standard's, a problem, lists, nested, plain text. */
export function errorWords(body: Uint8Array): ErrorWords {
  const parsed = parseJson(withoutMark(body));
  if (parsed.ok) {
    const object = asObject(parsed.value) ?? {};
    const { error } = object;
    const inner = asObject(error) ?? {};
    const code =
      [error, inner['code'], inner['status'], inner['type'], inner['error']].find((one) => typeof one === 'string') ??
      '';
    const said = Array.isArray(parsed.value) ? wordsOf(parsed.value) : wordsIn(object) || wordsIn(inner);
    return { error: cut(code), said: cut(said), isPage: false };
  }
  const text = new TextDecoder().decode(body.subarray(0, 4096)).replace(/\s+/g, ' ').trim();
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '';
  if (text.startsWith('<')) return { error: '', said: cut(title), isPage: true };
  return { error: '', said: /^[[{"]/.test(text) ? '' : cut(text), isPage: false };
}

const cut = (text: string) => text.trim().slice(0, longestWords);

function wordsIn(object: JsonObject, depth = 3): string {
  const title = typeof object['title'] === 'string' ? object['title'] : '';
  const said = sayers.map((name) => wordsOf(object[name], depth)).find((words) => words !== '') ?? '';
  return [...new Set([title.trim(), said])].filter(Boolean).join(': ');
}

/** Lists of objects, and objects of lists: `[{"msg": …}]`, `{"redirect_uris": ["is invalid"]}`. */
function wordsOf(value: JsonValue | undefined, depth = 3): string {
  if (typeof value === 'string') return value.trim();
  if (depth === 0 || typeof value !== 'object' || value === null) return '';
  const own = asObject(value);
  const said = own === undefined ? '' : wordsIn(own, depth - 1);
  const parts = Object.values(value).map((one) => wordsOf(one, depth - 1));
  return said || parts.filter(Boolean).slice(0, 5).join('; ');
}

/**
 * Basic authentication encoded as forms are, and no further (RFC 6749 section 2.3.1 and appendix B). The library escapes
 * `-`, `.` and `_` as well, which decodes to the same, but not at the servers that do not decode.
 */
export function plainBasic(secret: string): ClientAuth {
  const encoded = (text: string) => new URLSearchParams({ v: text }).toString().slice('v='.length);
  return (_server, { client_id: id }, _form, headers) => {
    headers.set('authorization', `Basic ${btoa(`${encoded(id)}:${encoded(secret)}`)}`);
  };
}
