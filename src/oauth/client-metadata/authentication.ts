import { asObject, type JsonObject, type JsonValue, stringField } from '../../core/text/json.js';
import { quoted } from '../../core/text/printable.js';
import { type Finding, findingsOf, quotedValue } from './finding.js';

const secretRule = 'R-2.3b, CIMD section 4.1';

const keyRule = 'R-2.3c, RFC 7591 section 2';

const init = 'postern client-metadata init';

const found = findingsOf({
  secret_inside: ['failure', secretRule, 'Take it out, and do not use that secret again.'],
  auth_method_missing: ['warning', 'R-2.3b', 'Add "token_endpoint_auth_method": "none".'],
  auth_method_symmetric: ['failure', secretRule, 'Use none or private_key_jwt.'],
  auth_method_unknown: ['failure', 'R-2.3b, RFC 7591 section 2', 'Use none or private_key_jwt.'],
  keys_missing: ['failure', keyRule, `Make it again: ${init} --auth private_key_jwt`],
  key_algorithm: ['failure', keyRule, 'Use ES256 or RS256, or leave it out.'],
  keys_twice: ['failure', keyRule, 'Leave jwks_uri out.'],
  keys_elsewhere: ['warning', keyRule, 'Put the public keys into the document itself, as jwks.'],
  keys_unused: ['warning', keyRule, 'Use private_key_jwt, or leave the keys out.'],
});

/** Members whose value would be a secret, at any depth. */
const secretNames =
  /^(?:client_secret|client_secret_expires_at|registration_access_token|password|private_key|privatekey|client_assertion|access_token|refresh_token)$/i;

/**
 * Validates how the client is to authenticate at the token endpoint: nothing symmetric, since the whole world reads the
 * document (CIMD section 4.1), and for `private_key_jwt` public keys, of which nothing private is there.
 */
export function validateAuthentication(document: JsonObject): readonly Finding[] {
  const secrets = namesIn(document).filter((name) => secretNames.test(name));
  const whose = (name: string) =>
    `The document holds ${quoted(name, 60)}: whatever secret stands there, everybody can read it.`;
  return [
    ...secrets.flatMap((name) => found({ secret_inside: whose(name) })),
    ...validateMethod(document['token_endpoint_auth_method']),
    ...validateKeys(document),
  ];
}

/** The names of every member at every depth; the parser has limited both. */
function namesIn(value: JsonValue): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  const object = asObject(value);
  return object === undefined ? [] : Object.entries(object).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}

function validateMethod(method: JsonValue | undefined): readonly Finding[] {
  const isKnown = method === undefined || method === 'none' || method === 'private_key_jwt';
  const isSymmetric = typeof method === 'string' && /secret/i.test(method);
  const is = `token_endpoint_auth_method is ${quotedValue(method, 60)}`;
  return found({
    auth_method_missing:
      method === undefined &&
      'token_endpoint_auth_method is missing, and then means client_secret_basic (RFC 7591 section 2), a shared secret.',
    auth_method_symmetric: isSymmetric && `${is}, which needs a shared secret, and there can be none.`,
    auth_method_unknown: !isKnown && !isSymmetric && `${is}, which this program does not have.`,
  });
}

function validateKeys(document: JsonObject): readonly Finding[] {
  const {
    token_endpoint_auth_method: method,
    token_endpoint_auth_signing_alg: algorithm,
    jwks,
    jwks_uri: jwksUri,
  } = document;
  if (jwks === undefined && jwksUri === undefined) {
    const what = 'token_endpoint_auth_method is private_key_jwt, and the document publishes no key (jwks).';
    return found({ keys_missing: method === 'private_key_jwt' && what });
  }
  const ofDocument = found({
    key_algorithm:
      !isSigning(algorithm) &&
      `token_endpoint_auth_signing_alg is ${quotedValue(algorithm, 40)}, which no client signs assertions with.`,
    keys_twice:
      jwks !== undefined &&
      jwksUri !== undefined &&
      'The document has both jwks and jwks_uri, and may have only one of them.',
    keys_elsewhere:
      jwksUri !== undefined &&
      'The keys lie at another address (jwks_uri), which many authorization servers do not fetch.',
    keys_unused:
      method === 'none' && 'The document publishes keys, and token_endpoint_auth_method is none: they are not used.',
  });
  return jwks === undefined ? ofDocument : [...ofDocument, ...validateJwks(jwks)];
}

/** Is it an asymmetric signature algorithm (RFC 7518 section 3.1, RFC 8037)? One that is not named may be. */
function isSigning(algorithm: JsonValue | undefined): boolean {
  const pattern = /^(?:ES|RS|PS)(?:256|384|512)$|^EdDSA$|^Ed25519$/;
  return algorithm === undefined || (typeof algorithm === 'string' && pattern.test(algorithm));
}

const rule = 'R-2.3c, RFC 7517';

const foundInKeys = findingsOf({
  keys_unusable: ['failure', rule, 'Publish an EC key on P-256, or an RSA key.'],
  key_names_clash: ['failure', rule, 'Give each key a kid of its own.'],
  private_key_inside: ['failure', secretRule, `Stop using that key at once, and make a new pair: ${init}`],
  key_too_short: ['failure', rule, 'Make a longer one, or an EC key on P-256.'],
  key_use: ['failure', rule, 'Set "use": "sig", or leave it out.'],
  key_algorithm: ['failure', rule, 'Use ES256 or RS256, or leave alg out.'],
  key_unnamed: ['warning', rule, 'Give it a kid, such as its thumbprint (RFC 7638).'],
});

/** The private parts of EC, OKP and RSA keys, and the key of a symmetric one (RFC 7518 section 6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const publicMembers: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'x', 'y'],
  RSA: ['n', 'e'],
  OKP: ['crv', 'x'],
};

/** 2048 bits in base64url. */
const shortestModulus = 342;

/** Validates the JSON Web Key Set of a document: public keys only, each usable to verify, each with a name of its own. */
function validateJwks(value: JsonValue): readonly Finding[] {
  const keys = asObject(value)?.['keys'];
  if (!Array.isArray(keys) || keys.length === 0) {
    const what = 'jwks is not an object with a list of one key or more.';
    return foundInKeys({ keys_unusable: [what, 'Write it as {"keys": [ … ]}.'] });
  }
  const names = keys.map((key) => asObject(key)?.['kid']);
  return [
    ...keys.flatMap((key, index) => validateKey(asObject(key), `Key ${index + 1} of jwks`)),
    ...foundInKeys({
      key_names_clash:
        new Set(names).size < keys.length &&
        'Keys of jwks share a kid, or have none: nobody can tell which of them signed.',
    }),
  ];
}

function validateKey(key: JsonObject | undefined, which: string): readonly Finding[] {
  if (key === undefined) {
    return foundInKeys({ keys_unusable: [`${which} is no object.`, 'Write each key as a JSON Web Key.'] });
  }
  const leaked = privateMembers.filter((name) => key[name] !== undefined);
  const kind = stringField(key, 'kty') ?? '';
  const isWhole = publicMembers[kind]?.every((name) => (stringField(key, name) ?? '') !== '') === true;
  const isShort = kind === 'RSA' && (stringField(key, 'n') ?? '').length < shortestModulus;
  const [unusable] = foundInKeys({
    private_key_inside:
      (leaked.length > 0 || kind === 'oct') &&
      `${which} holds the private part of the key (${leaked.join(', ') || 'kty oct'}), for everybody to read.`,
    keys_unusable: !isWhole && `${which} is no whole public key (kty ${quoted(kind, 20)}).`,
    key_too_short: isShort && `${which} is an RSA key of less than 2048 bits.`,
  });
  const { use, alg, kid } = key;
  return unusable !== undefined
    ? [unusable]
    : foundInKeys({
        key_use: use !== undefined && use !== 'sig' && `${which} is not for signatures (use ${quotedValue(use, 20)}).`,
        key_algorithm:
          !isSigning(alg) &&
          `${which} names the algorithm ${quotedValue(alg, 20)}, which no client signs assertions with.`,
        key_unnamed: (typeof kid !== 'string' || kid === '') && `${which} has no kid, which a later rotation needs.`,
      });
}
