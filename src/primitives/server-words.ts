import { bearerChallenge } from './bearer-challenge.js';
import { asObject, type JsonObject, parseJson } from './json.js';

/**
 * What a server says about a refusal in its own words: the `error` and `error_description` of its Bearer challenge (RFC
 * 6750 section 3), else of a JSON body, be it an OAuth error, a problem (RFC 9457) or a JSON-RPC error. '' where it says
 * nothing. Untrusted: it is shown through `quoted` alone.
 */
export function serverWords(refusal: {
  readonly challenges: readonly string[];
  readonly body?: Uint8Array | undefined;
}): string {
  const challenge = bearerChallenge(refusal.challenges);
  const said = challenge.kind === 'bearer' ? joined(challenge.error, challenge.errorDescription) : '';
  const isWhole = challenge.kind === 'bearer' && challenge.errorDescription !== undefined;
  if (isWhole || refusal.body === undefined) return said;
  const inBody = wordsInBody(refusal.body);
  return inBody === '' ? said : inBody;
}

function wordsInBody(body: Uint8Array): string {
  const parsed = parseJson(body);
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  if (object === undefined) return '';
  const inner = asObject(object['error']) ?? asObject(object['errors']);
  return inner === undefined ? wordsOf(object) : wordsOf(inner);
}

function wordsOf(object: JsonObject): string {
  const [what] = texts(object, ['error', 'title']);
  const [why] = texts(object, ['error_description', 'detail', 'message']);
  return joined(what, why);
}

function texts(object: JsonObject, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const value = object[name];
    return typeof value === 'string' && value.trim() !== '' ? [value] : [];
  });
}

function joined(what: string | undefined, why: string | undefined): string {
  return [what, why].filter((text) => text !== undefined && text !== '').join(': ');
}
