import { asObject, type JsonObject, type JsonValue, stringField } from '../../../primitives/json.js';
import { quoted } from '../../../primitives/printable.js';
import { type Finding, failure, quotedValue, warning } from './finding.js';
import { isSigning, judgeJwks } from './jwks.js';

const secretRule = 'R-2.3b, CIMD section 4.1';
/** Members whose value would be a secret, wherever they stand. */
const secretNames =
  /^(?:client_secret|client_secret_expires_at|registration_access_token|password|private_key|privatekey|client_assertion|access_token|refresh_token)$/i;

/**
 * Judges how the client is to authenticate at the token endpoint: nothing symmetric, since the whole world reads the
 * document (CIMD section 4.1), and for `private_key_jwt` public keys, of which nothing private is there.
 */
export function judgeAuthentication(document: JsonObject): readonly Finding[] {
  return [...secretsIn(document), ...judgeMethod(document), ...judgeKeys(document)];
}

function secretsIn(document: JsonObject): readonly Finding[] {
  return namesIn(document)
    .filter((name) => secretNames.test(name))
    .map((name) => {
      const what = `The document holds ${quoted(name, 60)}: whatever secret stands there, everybody can read it.`;
      const remedy = 'Take it out, and do not use that secret again.';
      return failure('secret_inside', secretRule, { what, remedy });
    });
}

/** The names of every member at every depth; the parser has limited both. */
function namesIn(value: JsonValue): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  const object = asObject(value);
  return object === undefined
    ? []
    : Object.entries(object).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}

function judgeMethod(document: JsonObject): readonly Finding[] {
  const method = document['token_endpoint_auth_method'];
  if (method === undefined) {
    const what =
      'token_endpoint_auth_method is missing, and then means client_secret_basic (RFC 7591 section 2), a shared secret.';
    return [
      warning('auth_method_missing', 'R-2.3b', { what, remedy: 'Add "token_endpoint_auth_method": "none".' }),
    ];
  }
  if (method === 'none' || method === 'private_key_jwt') {
    return [];
  }
  const symmetric = typeof method === 'string' && /secret/i.test(method);
  const what = symmetric
    ? `token_endpoint_auth_method is ${quoted(method, 60)}, which needs a shared secret, and there can be none.`
    : `token_endpoint_auth_method is ${quotedValue(method, 60)}, which this program does not have.`;
  const remedy = 'Use none or private_key_jwt.';
  return [failure(symmetric ? 'auth_method_symmetric' : 'auth_method_unknown', secretRule, { what, remedy })];
}

function judgeKeys(document: JsonObject): readonly Finding[] {
  const method = stringField(document, 'token_endpoint_auth_method');
  const algorithm = document['token_endpoint_auth_signing_alg'];
  const { jwks, jwks_uri: jwksUri } = document;
  const rule = 'R-2.3c, RFC 7591 section 2';
  if (jwks === undefined && jwksUri === undefined) {
    if (method !== 'private_key_jwt') return [];
    const what = 'token_endpoint_auth_method is private_key_jwt, and the document publishes no key (jwks).';
    return [
      failure('keys_missing', rule, {
        what,
        remedy: 'Make it again: postern client-metadata init --auth private_key_jwt',
      }),
    ];
  }
  const found: Finding[] = [];
  if (algorithm !== undefined && !(typeof algorithm === 'string' && isSigning(algorithm))) {
    const what = `token_endpoint_auth_signing_alg is ${quotedValue(algorithm, 40)}, which no client signs assertions with.`;
    found.push(failure('key_algorithm', rule, { what, remedy: 'Use ES256 or RS256, or leave it out.' }));
  }
  if (jwks !== undefined && jwksUri !== undefined) {
    const what = 'The document has both jwks and jwks_uri, and may have only one of them.';
    found.push(failure('keys_twice', rule, { what, remedy: 'Leave jwks_uri out.' }));
  }
  if (jwksUri !== undefined) {
    const what = 'The keys lie at another address (jwks_uri), which many authorization servers do not fetch.';
    found.push(
      warning('keys_elsewhere', rule, {
        what,
        remedy: 'Put the public keys into the document itself, as jwks.',
      }),
    );
  }
  if (method === 'none') {
    const what = 'The document publishes keys, and token_endpoint_auth_method is none: they are not used.';
    found.push(warning('keys_unused', rule, { what, remedy: 'Use private_key_jwt, or leave the keys out.' }));
  }
  return jwks === undefined ? found : [...found, ...judgeJwks(jwks)];
}
