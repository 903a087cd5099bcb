import { asObject, type JsonObject, stringField, stringListField } from '../../core/text/json.js';
import { chosenRedirectUris, ownRedirectUris } from './redirect-uris.js';

/** Everything in a document that is somebody's choice. */
export interface DocumentSettings {
  /** The address it is to be served at, which is the client identifier. */
  readonly url: string;
  readonly name: string;
  /** Where abuse is reported: an e-mail address or an https URL. */
  readonly contact: string | undefined;
  /** One or more, which this program can send; undefined: the usual ones. */
  readonly redirectUris?: readonly string[] | undefined;
  /** None: `token_endpoint_auth_method` is `none`; else `private_key_jwt`. Public JWKs (RFC 7517), the newest first. */
  readonly keys: readonly JsonObject[];
}

/**
 * The document's text (rule 2.3; CIMD section 4.1), the same bytes for the same settings. `scope` is left out on
 * purpose: what is asked for is each protected server's to say, and a list here would bind the client to it.
 */
export function writeDocument({ url, name, contact, redirectUris, keys: given }: DocumentSettings): string {
  // A key that was just made and one that was read from a document hold the same members in another order.
  const keys = given.map(publicKey);
  const document = {
    client_id: url,
    client_name: name,
    client_uri: new URL('./', url).href,
    logo_uri: new URL('logo.svg', url).href,
    ...(contact === undefined ? {} : { contacts: [contact] }),
    application_type: 'native',
    redirect_uris: redirectUris ?? ownRedirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: keys.length === 0 ? 'none' : 'private_key_jwt',
    ...(keys.length === 0 ? {} : { token_endpoint_auth_signing_alg: keys[0]?.['alg'], jwks: { keys } }),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** The settings that a document of this program was written from; undefined where it does not say them. */
export function readSettings(document: JsonObject) {
  const keys = asObject(document['jwks'])?.['keys'];
  return {
    url: stringField(document, 'client_id'),
    name: stringField(document, 'client_name'),
    contact: stringListField(document, 'contacts')?.[0],
    redirectUris: chosenRedirectUris(stringListField(document, 'redirect_uris')),
    keys: (Array.isArray(keys) ? keys : [])
      .map(asObject)
      .filter((key) => key !== undefined)
      .map(publicKey),
  };
}

/** What of a key is public: a private member that somebody has put there is not written again. */
function publicKey(key: JsonObject): JsonObject {
  const members = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use'];
  return Object.fromEntries(members.flatMap((name) => (key[name] === undefined ? [] : [[name, key[name]]])));
}
