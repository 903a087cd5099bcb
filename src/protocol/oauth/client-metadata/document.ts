import { asObject, type JsonObject, type JsonProblem, parseJson } from '../../../primitives/json.js';
import { judgeAuthentication } from './authentication.js';
import { judgeClientId } from './client-id.js';
import { type Finding, failure } from './finding.js';
import { judgeIdentity } from './identity.js';
import { judgeMembers } from './members.js';
import { judgeRedirectUris } from './redirect-uris.js';

/** The most that a careful authorization server reads of a document (CIMD section 6.6), in bytes. */
export const mostDocumentBytes = 5 * 1024;

export interface JudgedDocument {
  /** Undefined when it is no JSON object. */
  readonly object: JsonObject | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Judges the bytes of a client ID metadata document by the rules 2.3 and 5.7 and by CIMD (draft 00).
 * @param url The address that it is, or is to be, served at; undefined: its own `client_id` is taken to be that.
 */
export function judgeDocument(bytes: Uint8Array, url: string | undefined): JudgedDocument {
  const size = sizeFindings(bytes);
  const parsed = parseJson(bytes, { maxDepth: 16, maxKeys: 2_000 });
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  if (object === undefined) {
    const problem = parsed.ok ? notAnObject : notJson(bytes, parsed.problem);
    return { object, findings: [...size, problem] };
  }
  const clientId = object['client_id'];
  const address = url ?? (typeof clientId === 'string' ? clientId : undefined);
  return {
    object,
    findings: [
      ...size,
      ...judgeIdentity(object, url),
      ...(address === undefined ? [] : judgeClientId(address)),
      ...judgeRedirectUris(object['redirect_uris']),
      ...judgeMembers(object),
      ...judgeAuthentication(object),
    ],
  };
}

function sizeFindings(bytes: Uint8Array): readonly Finding[] {
  if (bytes.byteLength <= mostDocumentBytes) return [];
  const what = `The document has ${bytes.byteLength} bytes, and authorization servers read ${mostDocumentBytes} at most.`;
  return [
    failure('too_large', 'R-5.8g, CIMD section 6.6', {
      what,
      remedy: 'Leave out what the client does not need.',
    }),
  ];
}

const notAnObject = failure('not_an_object', 'R-2.3b', {
  what: 'The document is JSON, and no object.',
  remedy: 'Write the client’s metadata as one JSON object.',
});

const problems: Readonly<Record<JsonProblem, string>> = {
  not_utf8: 'it is not UTF-8',
  byte_order_mark: 'it begins with a byte order mark',
  not_json: 'its syntax is wrong',
  too_deep: 'it is nested absurdly deep',
  too_many_keys: 'it has too many members',
  duplicate_key: 'a member stands in it twice',
};

function notJson(bytes: Uint8Array, problem: JsonProblem): Finding {
  const isHtml = /^\s*</.test(new TextDecoder().decode(bytes.subarray(0, 64)));
  const why = isHtml ? 'it is a web page' : problems[problem];
  const code = isHtml ? 'is_html' : problem;
  const remedy = isHtml
    ? 'Publish the JSON file itself at this address, not a page about it.'
    : 'Save it as plain JSON (RFC 8259), each member once.';
  return failure(code, 'R-2.3b', { what: `The document is not the JSON that is needed: ${why}.`, remedy });
}
