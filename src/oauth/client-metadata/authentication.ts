import { asObject, type JsonObject, type JsonValue, stringField } from '../../core/text/json.js';
import { quoted } from '../../core/text/printable.js';
import { type Finding, failure, quotedValue, warning } from './client-id.js';

const secretRule = 'R-2.3b, CIMD section 4.1';

/** Members whose value would be a secret, wherever they stand. */
const secretNames =
  /^(?:client_secret|client_secret_expires_at|registration_access_token|password|private_key|privatekey|client_assertion|access_token|refresh_token)$/i;

/**
 * Judges how the client is to authenticate at the token endpoint: nothing symmetric, since the whole world reads the
 * document (CIMD section 4.1), and for `private_key_jwt` public keys, of which nothing private is there.
 */
export function validateAuthentication(document: JsonObject): readonly Finding[] {
  return [...secretsIn(document), ...validateMethod(document), ...validateKeys(document)];
}

function secretsIn(document: JsonObject): readonly Finding[] {
  return namesIn(document)
    .filter((name) => secretNames.test(name))
    .map((name) => {
      const what = `The document holds ${quoted(name, 60)}: whatever secret stands there, everybody can read it.`;
      const remedy = 'Take it out, and do not use that secret again.';
      return failure('secret_inside', secretRule, what, remedy);
    });
}

/** The names of every member at every depth; the parser has limited both. */
function namesIn(value: JsonValue): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  const object = asObject(value);
  return object === undefined ? [] : Object.entries(object).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}

function validateMethod(document: JsonObject): readonly Finding[] {
  const method = document['token_endpoint_auth_method'];
  if (method === undefined) {
    const what =
      'token_endpoint_auth_method is missing, and then means client_secret_basic (RFC 7591 section 2), a shared secret.';
    return [warning('auth_method_missing', 'R-2.3b', what, 'Add "token_endpoint_auth_method": "none".')];
  }
  if (method === 'none' || method === 'private_key_jwt') return [];
  const symmetric = typeof method === 'string' && /secret/i.test(method);
  const what = symmetric
    ? `token_endpoint_auth_method is ${quoted(method, 60)}, which needs a shared secret, and there can be none.`
    : `token_endpoint_auth_method is ${quotedValue(method, 60)}, which this program does not have.`;
  const remedy = 'Use none or private_key_jwt.';
  return [failure(symmetric ? 'auth_method_symmetric' : 'auth_method_unknown', secretRule, what, remedy)];
}

function validateKeys(document: JsonObject): readonly Finding[] {
  const method = stringField(document, 'token_endpoint_auth_method');
  const algorithm = document['token_endpoint_auth_signing_alg'];
  const { jwks, jwks_uri: jwksUri } = document;
  const rule = 'R-2.3c, RFC 7591 section 2';
  if (jwks === undefined && jwksUri === undefined) {
    if (method !== 'private_key_jwt') return [];
    const what = 'token_endpoint_auth_method is private_key_jwt, and the document publishes no key (jwks).';
    return [failure('keys_missing', rule, what, 'Make it again: postern client-metadata init --auth private_key_jwt')];
  }
  const found: Finding[] = [];
  if (algorithm !== undefined && !(typeof algorithm === 'string' && isSigning(algorithm))) {
    const what = `token_endpoint_auth_signing_alg is ${quotedValue(algorithm, 40)}, which no client signs assertions with.`;
    found.push(failure('key_algorithm', rule, what, 'Use ES256 or RS256, or leave it out.'));
  }
  if (jwks !== undefined && jwksUri !== undefined) {
    const what = 'The document has both jwks and jwks_uri, and may have only one of them.';
    found.push(failure('keys_twice', rule, what, 'Leave jwks_uri out.'));
  }
  if (jwksUri !== undefined) {
    const what = 'The keys lie at another address (jwks_uri), which many authorization servers do not fetch.';
    found.push(warning('keys_elsewhere', rule, what, 'Put the public keys into the document itself, as jwks.'));
  }
  if (method === 'none') {
    const what = 'The document publishes keys, and token_endpoint_auth_method is none: they are not used.';
    found.push(warning('keys_unused', rule, what, 'Use private_key_jwt, or leave the keys out.'));
  }
  return jwks === undefined ? found : [...found, ...validateJwks(jwks)];
}

const rule = 'R-2.3c, RFC 7517';

/** The private parts of EC, OKP and RSA keys, and the key of a symmetric one (RFC 7518 section 6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const publicMembers: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'x', 'y'],
  RSA: ['n', 'e'],
  OKP: ['crv', 'x'],
};

/** 2048 bits in base64url. */
const shortestModulus = 342;

/** Is it an asymmetric signature algorithm (RFC 7518 section 3.1, RFC 8037)? */
export function isSigning(algorithm: string): boolean {
  return /^(?:ES|RS|PS)(?:256|384|512)$|^EdDSA$|^Ed25519$/.test(algorithm);
}

/** Judges the JSON Web Key Set of a document: public keys only, each usable to verify, each with a name of its own. */
export function validateJwks(value: JsonValue): readonly Finding[] {
  const keys = asObject(value)?.['keys'];
  if (!Array.isArray(keys) || keys.length === 0) {
    const what = 'jwks is not an object with a list of one key or more.';
    return [failure('keys_unusable', rule, what, 'Write it as {"keys": [ … ]}.')];
  }
  const found = keys.flatMap((key, index) => validateKey(asObject(key), `Key ${index + 1} of jwks`));
  const names = keys.map((key) => asObject(key)?.['kid']);
  if (keys.length > 1 && new Set(names).size < keys.length) {
    const what = 'Keys of jwks share a kid, or have none: nobody can tell which of them signed.';
    found.push(failure('key_names_clash', rule, what, 'Give each key a kid of its own.'));
  }
  return found;
}

function validateKey(key: JsonObject | undefined, which: string): Finding[] {
  if (key === undefined) {
    return [failure('keys_unusable', rule, `${which} is no object.`, 'Write each key as a JSON Web Key.')];
  }
  const leaked = privateMembers.filter((name) => key[name] !== undefined);
  if (leaked.length > 0 || key['kty'] === 'oct') {
    const what = `${which} holds the private part of the key (${leaked.join(', ') || 'kty oct'}), for everybody to read.`;
    const remedy = 'Stop using that key at once, and make a new pair: postern client-metadata init';
    return [failure('private_key_inside', 'R-2.3b, CIMD section 4.1', what, remedy)];
  }
  const kind = stringField(key, 'kty') ?? '';
  const needed = publicMembers[kind];
  if (needed === undefined || needed.some((name) => (stringField(key, name) ?? '') === '')) {
    const what = `${which} is no whole public key (kty ${quoted(kind, 20)}).`;
    return [failure('keys_unusable', rule, what, 'Publish an EC key on P-256, or an RSA key.')];
  }
  if (kind === 'RSA' && (stringField(key, 'n') ?? '').length < shortestModulus) {
    const what = `${which} is an RSA key of less than 2048 bits.`;
    return [failure('key_too_short', rule, what, 'Make a longer one, or an EC key on P-256.')];
  }
  return validateUse(key, which);
}

function validateUse(key: JsonObject, which: string): Finding[] {
  const { use, alg, kid } = key;
  const found: Finding[] = [];
  if (use !== undefined && use !== 'sig') {
    const what = `${which} is not for signatures (use ${quotedValue(use, 20)}).`;
    found.push(failure('key_use', rule, what, 'Set "use": "sig", or leave it out.'));
  }
  if (alg !== undefined && !(typeof alg === 'string' && isSigning(alg))) {
    const what = `${which} names the algorithm ${quotedValue(alg, 20)}, which no client signs assertions with.`;
    found.push(failure('key_algorithm', rule, what, 'Use ES256 or RS256, or leave alg out.'));
  }
  if (typeof kid !== 'string' || kid === '') {
    const what = `${which} has no kid, which a later rotation needs.`;
    found.push(warning('key_unnamed', rule, what, 'Give it a kid, such as its thumbprint (RFC 7638).'));
  }
  return found;
}
