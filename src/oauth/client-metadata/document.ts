import {
  asObject,
  type JsonObject,
  type JsonProblem,
  type JsonValue,
  parseJson,
  stringListField,
} from '../../core/text/json.js';
import { quoted } from '../../core/text/printable.js';
import { gateUrl } from '../../core/url.js';
import { validateAuthentication } from './authentication.js';
import { type Finding, failure, validateClientId, validateIdentity, warning } from './client-id.js';
import { validateRedirectUris } from './redirect-uris.js';

/** The most that a careful authorization server reads of a document (CIMD section 6.6), in bytes. */
export const maxDocumentBytes = 5 * 1024;

export interface JudgedDocument {
  /** Undefined when it is no JSON object. */
  readonly object: JsonObject | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Judges the bytes of a client ID metadata document by the rules 2.3 and 5.7 and by CIMD (draft 00).
 * @param url The address that it is, or is to be, served at; undefined: its own `client_id` is taken to be that.
 */
export function validateDocument(bytes: Uint8Array, url: string | undefined): JudgedDocument {
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
      ...validateIdentity(object, url),
      ...(address === undefined ? [] : validateClientId(address)),
      ...validateRedirectUris(object['redirect_uris']),
      ...validateMembers(object),
      ...validateAuthentication(object),
    ],
  };
}

function sizeFindings(bytes: Uint8Array): readonly Finding[] {
  if (bytes.byteLength <= maxDocumentBytes) return [];
  const what = `The document has ${bytes.byteLength} bytes, and authorization servers read ${maxDocumentBytes} at most.`;
  return [failure('too_large', 'R-5.8g, CIMD section 6.6', what, 'Leave out what the client does not need.')];
}

const notAnObject = failure(
  'not_an_object',
  'R-2.3b',
  'The document is JSON, and no object.',
  'Write the client’s metadata as one JSON object.',
);

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
  const what = `The document is not the JSON that is needed: ${why}.`;
  return failure(code, 'R-2.3b', what, remedy);
}

const rule = 'R-2.3b, RFC 7591 section 2';

/** Judges the optional members: addresses, grant and response types, application type, scope, contacts. */
export function validateMembers(document: JsonObject): readonly Finding[] {
  const addresses = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri', 'jwks_uri'];
  return [
    ...addresses.flatMap((name) => validateAddress(name, document[name])),
    ...validateGrantTypes(document),
    ...validateResponseTypes(document),
    ...validateApplicationType(document['application_type']),
    ...validateScope(document['scope']),
    ...validateContacts(document),
  ];
}

function validateAddress(name: string, value: JsonValue | undefined): readonly Finding[] {
  if (value === undefined) return [];
  const gated = typeof value === 'string' ? gateUrl(value) : undefined;
  if (gated?.ok === true && gated.url.protocol === 'https:') return [];
  const shown = typeof value === 'string' ? quoted(value, 200) : 'no text';
  const what = `${name} is ${shown}, and has to be an https URL.`;
  return [failure('address_unusable', rule, what, `Correct ${name}, or leave it out.`)];
}

function validateGrantTypes(document: JsonObject): readonly Finding[] {
  const value = document['grant_types'];
  const types = stringListField(document, 'grant_types');
  if (value !== undefined && types === undefined) {
    const what = 'grant_types is not a list of texts.';
    return [failure('grant_types_unusable', rule, what, 'Use ["authorization_code", "refresh_token"].')];
  }
  const dropped = types?.find((type) => type === 'implicit' || type === 'password');
  if (dropped !== undefined) {
    const what = `grant_types lists ${quoted(dropped)}, which OAuth 2.1 has taken out.`;
    return [failure('grant_types_dropped', rule, what, 'Leave it out.')];
  }
  if (types !== undefined && !types.includes('authorization_code')) {
    const what = 'grant_types lacks authorization_code, which every login in the browser uses.';
    return [failure('grant_types_lack_code', rule, what, 'Add it.')];
  }
  if (!types?.includes('refresh_token')) {
    const what = 'grant_types lacks refresh_token: logins end when their first token does.';
    return [warning('grant_types_lack_refresh', rule, what, 'Use ["authorization_code", "refresh_token"].')];
  }
  return [];
}

function validateResponseTypes(document: JsonObject): readonly Finding[] {
  if (document['response_types'] === undefined) return [];
  const types = stringListField(document, 'response_types');
  if (types?.length === 1 && types[0] === 'code') return [];
  const what = 'response_types is something else than ["code"], which is all that OAuth 2.1 has.';
  return [failure('response_types_unusable', rule, what, 'Use ["code"].')];
}

function validateApplicationType(value: JsonValue | undefined): readonly Finding[] {
  if (value === 'native') return [];
  const remedy = 'Use "application_type": "native".';
  if (value !== undefined && value !== 'web') {
    const what = 'application_type is neither native nor web.';
    return [failure('application_type_unusable', rule, what, remedy)];
  }
  const what = `application_type is ${value === undefined ? 'missing, and then means web' : 'web'}: OpenID providers refuse loopback redirect URIs of those.`;
  return [warning('application_type_web', rule, what, remedy)];
}

function validateScope(value: JsonValue | undefined): readonly Finding[] {
  if (value === undefined) return [];
  if (typeof value !== 'string') {
    const what = 'scope is no text.';
    return [failure('scope_unusable', rule, what, 'Leave it out.')];
  }
  const what = 'scope is fixed in the document: servers that need another one are out of reach.';
  return [warning('scope_fixed', rule, what, 'Leave it out; what is asked for is each server’s to say.')];
}

function validateContacts(document: JsonObject): readonly Finding[] {
  if (document['contacts'] === undefined || stringListField(document, 'contacts') !== undefined) return [];
  const what = 'contacts is not a list of texts.';
  return [failure('contacts_unusable', rule, what, 'Write it as ["abuse@example.com"].')];
}
