import { asObject, type JsonObject, type JsonProblem, parseJson, stringListField } from '../../core/text/json.js';
import { quoted } from '../../core/text/printable.js';
import { gateUrl } from '../../core/url.js';
import { validateAuthentication } from './authentication.js';
import { validateClientId, validateIdentity } from './client-id.js';
import { type Finding, findingsOf } from './finding.js';
import { validateRedirectUris } from './redirect-uris.js';

/** What a careful authorization server reads of a document (CIMD section 6.6), in bytes. */
const maxDocumentBytes = 5 * 1024;

export interface ValidatedDocument {
  /** Undefined when it is no JSON object. */
  readonly object: JsonObject | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Validates the bytes of a client ID metadata document by the rules 2.3 and 5.7 and by CIMD (draft 00).
 * @param url The address that it is, or is to be, served at; undefined: its own `client_id` is taken to be that.
 */
export function validateDocument(bytes: Uint8Array, url: string | undefined): ValidatedDocument {
  const size = bytes.byteLength;
  const tooLarge = foundInText({
    too_large:
      size > maxDocumentBytes &&
      `The document has ${size} bytes, and authorization servers read ${maxDocumentBytes} at most.`,
  });
  const parsed = parseJson(bytes, { maxDepth: 16, maxKeys: 2_000 });
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  if (object === undefined) {
    const notAnObject = foundInText({ not_an_object: 'The document is JSON, and no object.' });
    return { object, findings: [...tooLarge, ...(parsed.ok ? notAnObject : [notJson(bytes, parsed.problem)])] };
  }
  const clientId = object['client_id'];
  const address = url ?? (typeof clientId === 'string' ? clientId : undefined);
  return {
    object,
    findings: [
      ...tooLarge,
      ...validateIdentity(object, url),
      ...(address === undefined ? [] : validateClientId(address)),
      ...validateRedirectUris(object['redirect_uris']),
      ...validateMembers(object),
      ...validateAuthentication(object),
    ],
  };
}

const foundInText = findingsOf({
  too_large: ['failure', 'R-5.8g, CIMD section 6.6', 'Leave out what the client does not need.'],
  not_an_object: ['failure', 'R-2.3b', 'Write the client’s metadata as one JSON object.'],
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
  const what = `The document is not the JSON that is needed: ${isHtml ? 'it is a web page' : problems[problem]}.`;
  const remedy = isHtml
    ? 'Publish the JSON file itself at this address, not a page about it.'
    : 'Save it as plain JSON (RFC 8259), each member once.';
  return { code: isHtml ? 'is_html' : problem, rule: 'R-2.3b', verdict: 'failure', what, remedy };
}

const rule = 'R-2.3b, RFC 7591 section 2';

const foundInMembers = findingsOf({
  address_unusable: ['failure', rule, ''],
  grant_types_unusable: ['failure', rule, 'Use ["authorization_code", "refresh_token"].'],
  grant_types_dropped: ['failure', rule, 'Leave it out.'],
  grant_types_lack_code: ['failure', rule, 'Add it.'],
  grant_types_lack_refresh: ['warning', rule, 'Use ["authorization_code", "refresh_token"].'],
  response_types_unusable: ['failure', rule, 'Use ["code"].'],
  application_type_unusable: ['failure', rule, 'Use "application_type": "native".'],
  application_type_web: ['warning', rule, 'Use "application_type": "native".'],
  scope_unusable: ['failure', rule, 'Leave it out.'],
  scope_fixed: ['warning', rule, 'Leave it out; what is asked for is each server’s to say.'],
  contacts_unusable: ['failure', rule, 'Write it as ["abuse@example.com"].'],
});

/** Validates the optional members: addresses, grant and response types, application type, scope, contacts. */
function validateMembers(document: JsonObject): readonly Finding[] {
  const { application_type: type, response_types: responses, scope, contacts } = document;
  const addresses = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri', 'jwks_uri'];
  const isCode = Array.isArray(responses) && responses.length === 1 && responses[0] === 'code';
  const web = `application_type is ${type === undefined ? 'missing, and then means web' : 'web'}`;
  return [
    ...addresses.flatMap((name) => validateAddress(name, document)),
    ...validateGrantTypes(document),
    ...foundInMembers({
      response_types_unusable:
        responses !== undefined &&
        !isCode &&
        'response_types is something else than ["code"], which is all that OAuth 2.1 has.',
      application_type_unusable:
        !['native', 'web', undefined].includes(type as string) && 'application_type is neither native nor web.',
      application_type_web:
        (type === undefined || type === 'web') && `${web}: OpenID providers refuse loopback redirect URIs of those.`,
      scope_unusable: scope !== undefined && typeof scope !== 'string' && 'scope is no text.',
      scope_fixed:
        typeof scope === 'string' && 'scope is fixed in the document: servers that need another one are out of reach.',
      contacts_unusable:
        contacts !== undefined &&
        stringListField(document, 'contacts') === undefined &&
        'contacts is not a list of texts.',
    }),
  ];
}

function validateAddress(name: string, { [name]: value }: JsonObject): readonly Finding[] {
  const gated = typeof value === 'string' ? gateUrl(value) : undefined;
  if (value === undefined || (gated?.ok === true && gated.url.protocol === 'https:')) return [];
  const what = `${name} is ${typeof value === 'string' ? quoted(value, 200) : 'no text'}, and has to be an https URL.`;
  return foundInMembers({ address_unusable: [what, `Correct ${name}, or leave it out.`] });
}

/** The first thing that is wrong with `grant_types`. */
function validateGrantTypes(document: JsonObject): readonly Finding[] {
  const types = stringListField(document, 'grant_types');
  const dropped = types?.find((type) => type === 'implicit' || type === 'password');
  return foundInMembers({
    grant_types_unusable:
      document['grant_types'] !== undefined && types === undefined && 'grant_types is not a list of texts.',
    grant_types_dropped:
      dropped !== undefined && `grant_types lists ${quoted(dropped)}, which OAuth 2.1 has taken out.`,
    grant_types_lack_code:
      types?.includes('authorization_code') === false &&
      'grant_types lacks authorization_code, which every login in the browser uses.',
    grant_types_lack_refresh:
      types?.includes('refresh_token') !== true &&
      'grant_types lacks refresh_token: logins end when their first token does.',
  }).slice(0, 1);
}
