import { asObject, type JsonObject, parseJson, stringField, stringListField } from '../../../core/text/json.js';
import { isAcceptable, problemOfKeySet } from '../client-rules.js';
import { deviceGrant } from '../device-flow.js';

export type ValidatedDocument =
  | { readonly ok: true; readonly document: JsonObject }
  /** `problem` finishes the sentence "the client's metadata document …"; undefined: it is no JSON object. */
  | { readonly ok: false; readonly problem: string | undefined };

const maxRedirectUris = 20;

const methods = ['none', 'private_key_jwt'];

/** By these a person logs in. A client that nobody here has set up gets no token without one. */
const interactiveGrants: readonly string[] = ['authorization_code', deviceGrant];

const allowedGrants: readonly string[] = [...interactiveGrants, 'refresh_token'];

/** What would make this server ask other addresses that the client chose. */
const references = ['jwks_uri', 'sector_identifier_uri', 'request_uris'];

/**
 * Whether a document is what a client may be made of: about its own address (compared as strings), complete,
 * with redirect URIs that lead to https or this computer, without any secret, its keys in it and not
 * elsewhere (MCP authorization 2.3 and 4.4, client ID metadata document draft section 4.1). Nothing of the
 * document stands in `problem`.
 */
export function validateDocument(bytes: Uint8Array, clientId: string): ValidatedDocument {
  const parsed = parseJson(bytes, { maxDepth: 8, maxKeys: 200 });
  const document = parsed.ok ? asObject(parsed.value) : undefined;
  if (document === undefined) return { ok: false, problem: undefined };
  const problem = problemOf(document, clientId);
  if (problem !== undefined) return { ok: false, problem };
  return { ok: true, document: { ...document, ...grantsOf(document) } };
}

/** A document is written for many servers; what this one does not grant to strangers is left out. */
function grantsOf(document: JsonObject): JsonObject {
  const grants = stringListField(document, 'grant_types');
  if (grants === undefined) return {};
  return { grant_types: grants.filter((grant) => allowedGrants.includes(grant)) };
}

function problemOf(document: JsonObject, clientId: string): string | undefined {
  if (stringField(document, 'client_id') !== clientId) {
    return 'has another client_id than its own address, character for character';
  }
  if (document['client_secret'] !== undefined || document['client_secret_expires_at'] !== undefined) {
    return 'holds a client secret, which everybody can read there';
  }
  if ((stringField(document, 'client_name') ?? '').trim() === '') return 'has no client_name';
  const uris = stringListField(document, 'redirect_uris') ?? [];
  if (uris.length === 0) return 'has no redirect_uris';
  if (uris.length > maxRedirectUris || !uris.every(isAcceptable)) {
    return 'has redirect_uris that are neither https nor http on a loopback address, or more than 20';
  }
  const reference = references.find((name) => document[name] !== undefined);
  if (reference !== undefined) return `names a ${reference}, and this server fetches nothing else for a client`;
  const grants = document['grant_types'] === undefined ? interactiveGrants : stringListField(document, 'grant_types');
  if (!grants?.some((grant) => interactiveGrants.includes(grant))) {
    return 'has no grant type in its grant_types by which a person logs in';
  }
  const method = document['token_endpoint_auth_method'];
  if (method !== undefined && !(typeof method === 'string' && methods.includes(method))) {
    return 'asks for a token_endpoint_auth_method other than none and private_key_jwt';
  }
  const { jwks } = document;
  if (jwks !== undefined) return problemOfKeySet(jwks);
  return method === 'private_key_jwt' ? 'has no jwks, which private_key_jwt needs' : undefined;
}
