import {
  asObject,
  type JsonObject,
  type JsonValue,
  jsonTrouble,
  parseJson,
  stringField,
  stringListField,
} from '../../core/text/json.js';
import { printable, quoted } from '../../core/text/printable.js';
import { gateUrl } from '../../core/url.js';
import { validateClientId } from './client-id.js';
import { type Finding, fails, findingsAbout, type Problem, warns } from './finding.js';
import { redirectUriProblems } from './redirect-uris.js';

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
  const long = `The document has ${size} bytes, and authorization servers read ${maxDocumentBytes} at most.`;
  const isTooLarge = size > maxDocumentBytes && fails(long, 'Leave out what the client does not need.');
  const tooLarge = findingsAbout('too_large', 'R-5.8g, CIMD section 6.6', isTooLarge);
  const parsed = parseJson(bytes, { maxDepth: 16, maxKeys: 2_000 });
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  if (object === undefined) {
    const why = parsed.ok ? 'it is no JSON object' : jsonTrouble(parsed.problem, 'it');
    const isHtml = /^\s*</.test(new TextDecoder().decode(bytes.subarray(0, 64)));
    const problem = isHtml
      ? fails('The document is a web page.', 'Publish the JSON file itself at this address, not a page about it.')
      : fails(`The document cannot be read: ${why}.`, 'Save it as one plain JSON object (RFC 8259), each member once.');
    return { object, findings: [...tooLarge, ...findingsAbout('json', 'R-2.3b', problem)] };
  }
  const clientId = object['client_id'];
  const address = url ?? (typeof clientId === 'string' ? clientId : undefined);
  return {
    object,
    findings: [
      ...tooLarge,
      ...findingsAbout('client_id', 'R-2.3a, R-5.7a, CIMD section 4.1', clientIdProblem(clientId, url)),
      ...(address === undefined ? [] : validateClientId(address)),
      ...Object.entries(members).flatMap(([name, [rule, check]]) =>
        findingsAbout(name, rule, ...[check(object[name], object)].flat()),
      ),
      ...findingsAbout('secret', secretRule, ...secretProblems(object)),
    ],
  };
}

type Found = Problem | false | undefined;

type Check = (value: JsonValue | undefined, document: JsonObject) => Found | readonly Found[];

const secretRule = 'R-2.3b, CIMD section 4.1';

const keyRule = 'R-2.3c, RFC 7591 section 2';

const rule = 'R-2.3b, RFC 7591 section 2';

/** What each member has to be. */
const members: Readonly<Record<string, readonly [rule: string, check: Check]>> = {
  client_name: ['R-2.3a', nameProblem],
  redirect_uris: ['R-2.3a, R-2.5d, R-5.8d', redirectUriProblems],
  client_uri: [rule, (value) => addressProblem('client_uri', value)],
  logo_uri: [rule, (value) => addressProblem('logo_uri', value)],
  tos_uri: [rule, (value) => addressProblem('tos_uri', value)],
  policy_uri: [rule, (value) => addressProblem('policy_uri', value)],
  grant_types: [rule, grantTypesProblem],
  response_types: [
    rule,
    (value) =>
      value !== undefined &&
      JSON.stringify(value) !== '["code"]' &&
      fails('response_types is not ["code"], the only one in OAuth 2.1.', 'Use ["code"].'),
  ],
  application_type: [rule, applicationTypeProblem],
  scope: [
    rule,
    (value) =>
      value !== undefined &&
      warns(
        'scope is fixed in the document: logins to servers that need another one fail.',
        'Leave it out: each server says what it needs.',
      ),
  ],
  contacts: [
    rule,
    (value, document) =>
      value !== undefined &&
      stringListField(document, 'contacts') === undefined &&
      fails('contacts is not a list of texts.', 'Write it as ["abuse@example.com"].'),
  ],
  token_endpoint_auth_method: [secretRule, methodProblem],
  token_endpoint_auth_signing_alg: [
    keyRule,
    (value) =>
      !isSigning(value) &&
      fails(`token_endpoint_auth_signing_alg ${isShown(value)}, which no client signs with.`, 'Use ES256 or RS256.'),
  ],
  jwks_uri: [keyRule, (value, document) => [addressProblem('jwks_uri', value), keysElsewhereProblem(value, document)]],
  jwks: [keyRule, (value, document) => [keysProblem(document), ...jwksProblems(value)]],
};

function clientIdProblem(clientId: JsonValue | undefined, url: string | undefined): Problem | undefined {
  if (typeof clientId !== 'string') {
    const what = `client_id is ${clientId === undefined ? 'missing' : 'no text'}.`;
    return fails(what, `Add "client_id": ${url === undefined ? 'the address of the document' : quoted(url)}.`);
  }
  if (url === undefined || clientId === url) return undefined;
  return fails(
    `client_id is ${quoted(clientId)}, and the document’s address is ${quoted(url)}: ${difference(clientId, url)}.`,
    `Put ${quoted(url)} there, character for character: postern client-metadata build --url ${printable(url)}`,
  );
}

function difference(clientId: string, url: string): string {
  const same = (plain: (text: string) => string | undefined) => plain(clientId) === plain(url);
  if (same((text) => text.toLowerCase())) return 'they differ in letter case';
  if (same((text) => text.replace(/\/$/, ''))) return 'they differ in the slash at the end';
  if (same((text) => text.split('?')[0])) return 'they differ in the query';
  if (same((text) => text.replace(/^http:/, 'https:'))) return 'they differ in the scheme';
  return 'they are two addresses';
}

function nameProblem(name: JsonValue | undefined): Problem | undefined {
  if (typeof name !== 'string' || name.trim() === '') {
    const what = `client_name is ${name === undefined ? 'missing' : 'no text, or an empty one'}.`;
    return fails(what, 'Add "client_name": the name that people are shown when they are asked.');
  }
  if (printable(name, name.length) !== name) {
    const what = `client_name ${quoted(name)} holds characters that are invisible, or that steer a terminal or a page.`;
    return fails(what, 'Write the name in plain letters.');
  }
  if (name.length <= 100) return undefined;
  return warns(`client_name has ${name.length} characters, and consent pages cut long names.`, 'Use 100 at most.');
}

function addressProblem(name: string, value: JsonValue | undefined): Problem | undefined {
  const gated = typeof value === 'string' ? gateUrl(value) : undefined;
  if (value === undefined || (gated?.ok === true && gated.url.protocol === 'https:')) return undefined;
  return fails(`${name} ${isShown(value)}, and has to be an https URL.`, 'Correct it, or leave it out.');
}

function grantTypesProblem(value: JsonValue | undefined, document: JsonObject): Problem | undefined {
  const types = stringListField(document, 'grant_types') ?? [];
  const usual = 'Use ["authorization_code", "refresh_token"].';
  const dropped = types.find((type) => type === 'implicit' || type === 'password');
  if (dropped !== undefined)
    return fails(`grant_types lists ${quoted(dropped)}, which OAuth 2.1 has taken out.`, usual);
  if (value !== undefined && !types.includes('authorization_code')) {
    return fails('grant_types lacks authorization_code, which every login in the browser uses.', usual);
  }
  return types.includes('refresh_token')
    ? undefined
    : warns('grant_types lacks refresh_token: logins end when their first token does.', usual);
}

function applicationTypeProblem(type: JsonValue | undefined): Problem | undefined {
  const remedy = 'Use "application_type": "native".';
  if (type === 'native') return undefined;
  if (type !== undefined && type !== 'web') return fails('application_type is neither native nor web.', remedy);
  const web = `application_type is ${type === undefined ? 'missing, and then means web' : 'web'}`;
  return warns(`${web}: OpenID providers refuse loopback redirect URIs of those.`, remedy);
}

/** Nothing symmetric: the whole world reads the document (CIMD section 4.1). */
function methodProblem(method: JsonValue | undefined): Problem | undefined {
  if (method === 'none' || method === 'private_key_jwt') return undefined;
  if (method === undefined) {
    const means = 'means client_secret_basic (RFC 7591 section 2), a shared secret';
    const what = `token_endpoint_auth_method is missing, and then ${means}.`;
    return warns(what, 'Add "token_endpoint_auth_method": "none".');
  }
  const isSymmetric = typeof method === 'string' && /secret/i.test(method);
  const why = isSymmetric ? 'needs a shared secret, and there can be none' : 'this program does not have';
  return fails(`token_endpoint_auth_method ${isShown(method)}, which ${why}.`, 'Use none or private_key_jwt.');
}

function keysProblem({ token_endpoint_auth_method: method, jwks, jwks_uri: jwksUri }: JsonObject): Problem | undefined {
  const hasKeys = jwks !== undefined || jwksUri !== undefined;
  if (method === 'private_key_jwt' && !hasKeys) {
    const what = 'token_endpoint_auth_method is private_key_jwt, and the document publishes no key (jwks).';
    return fails(what, 'Make it again: postern client-metadata init --auth private_key_jwt');
  }
  if (method !== 'none' || !hasKeys) return undefined;
  const what = 'The document publishes keys, and token_endpoint_auth_method is none: they are not used.';
  return warns(what, 'Use private_key_jwt, or leave the keys out.');
}

function keysElsewhereProblem(value: JsonValue | undefined, { jwks }: JsonObject): Problem | undefined {
  if (value === undefined) return undefined;
  const remedy = 'Put the public keys into the document itself, as jwks, and leave jwks_uri out.';
  return jwks === undefined
    ? warns('The keys lie at another address (jwks_uri), which many authorization servers do not fetch.', remedy)
    : fails('The document has both jwks and jwks_uri, and may have only one of them.', remedy);
}

/** Is it an asymmetric signature algorithm (RFC 7518 section 3.1, RFC 8037)? One that is not named may be. */
function isSigning(algorithm: JsonValue | undefined): boolean {
  const pattern = /^(?:ES|RS|PS)(?:256|384|512)$|^EdDSA$|^Ed25519$/;
  return algorithm === undefined || (typeof algorithm === 'string' && pattern.test(algorithm));
}

/** The private parts of EC, OKP and RSA keys, and the key of a symmetric one (RFC 7518 section 6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const publicMembers: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'x', 'y'],
  RSA: ['n', 'e'],
  OKP: ['crv', 'x'],
};

/** 2048 bits in base64url. */
const shortestModulus = 342;

/** What is wrong with a JSON Web Key Set: public keys only, each usable to verify, each with a name of its own. */
function jwksProblems(value: JsonValue | undefined): readonly (Problem | undefined)[] {
  if (value === undefined) return [];
  const keys = asObject(value)?.['keys'];
  if (!Array.isArray(keys) || keys.length === 0) {
    return [fails('jwks is not an object with a list of one key or more.', 'Write it as {"keys": [ … ]}.')];
  }
  const names = keys.map((key) => asObject(key)?.['kid']);
  const isClash = new Set(names).size < keys.length;
  const clash = 'Keys of jwks share a kid, or have none: nobody can tell which of them signed.';
  return [
    ...keys.flatMap((key, index) => keyProblem(asObject(key) ?? {}, `Key ${index + 1} of jwks`)),
    isClash ? fails(clash, 'Give each key a kid of its own.') : undefined,
  ];
}

function keyProblem(key: JsonObject, which: string): Problem | undefined {
  const { use, alg, kid } = key;
  const kind = stringField(key, 'kty') ?? '';
  const leaked = privateMembers.filter((name) => key[name] !== undefined);
  if (leaked.length > 0 || kind === 'oct') {
    const what = `${which} holds the private part of the key (${leaked.join(', ') || 'kty oct'}), for everybody to read.`;
    return fails(what, 'Stop using that key at once, and make a new pair: postern client-metadata init');
  }
  const isWhole = publicMembers[kind]?.every((name) => (stringField(key, name) ?? '') !== '') === true;
  if (!isWhole || (kind === 'RSA' && (stringField(key, 'n') ?? '').length < shortestModulus)) {
    const what = `${which} is no whole public key (kty ${quoted(kind, 20)}), or an RSA key of less than 2048 bits.`;
    return fails(what, 'Publish an EC key on P-256, or a longer RSA key.');
  }
  if ((use !== undefined && use !== 'sig') || !isSigning(alg)) {
    return fails(`${which} is not for signatures (use, alg).`, 'Set "use": "sig" and "alg": "ES256" or "RS256".');
  }
  return typeof kid === 'string' && kid !== ''
    ? undefined
    : warns(`${which} has no kid, which a later rotation needs.`, 'Give it a kid, such as its thumbprint (RFC 7638).');
}

/** Members whose value would be a secret, at any depth. */
const secretNames =
  /^(?:client_secret|client_secret_expires_at|registration_access_token|password|private_key|privatekey|client_assertion|access_token|refresh_token)$/i;

function secretProblems(document: JsonObject): readonly Problem[] {
  const secrets = namesIn(document).filter((name) => secretNames.test(name));
  const whose = (name: string) =>
    `The document holds ${quoted(name, 60)}: whatever secret stands there, everybody can read it.`;
  return secrets.map((name) => fails(whose(name), 'Take it out, and do not use that secret again.'));
}

/** The names of every member at every depth; the parser has limited both. */
function namesIn(value: JsonValue): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  const object = asObject(value);
  return object === undefined ? [] : Object.entries(object).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}

/** A value of the document in a sentence: quoted, a text as it is, anything else as JSON. */
function isShown(value: JsonValue | undefined): string {
  return `is ${quoted(typeof value === 'string' ? value : JSON.stringify(value ?? null), 200)}`;
}
