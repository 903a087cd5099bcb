import { holdSecret, Secret } from '../core/secret.js';
import { isVscharText } from '../core/text/characters.js';
import { anyClient, isVerdict, type UnusableResponse, unusable } from './engine.js';
import type { AuthorizationServer } from './server-metadata.js';

/** The parameters of the one callback that carried our state, as they came, decoded, in order. */
export type AuthorizationResponse = readonly (readonly [name: string, value: string])[];

export type AuthorizationResult =
  | { readonly ok: true; readonly code: Secret }
  | { readonly ok: false; readonly problem: 'other_issuer'; readonly found: string | undefined }
  | { readonly ok: false; readonly problem: 'refused'; readonly error: string; readonly said: string }
  | UnusableResponse;

/**
 * Validates the response that carried our state: `iss` first (RFC 9207 section 2.4, compared as a string), so that
 * nothing of a response from somebody else is used or shown; then repeats, then `error`, then `code`.
 */
export async function validateAuthorizationResponse(
  response: AuthorizationResponse,
  about: { readonly server: Pick<AuthorizationServer, 'issuer' | 'announcesIss'>; readonly state: Secret },
): Promise<AuthorizationResult> {
  const oauth = await import('oauth4webapi');
  const { issuer, announcesIss } = about.server;
  const as = { issuer, authorization_response_iss_parameter_supported: announcesIss };
  const parameters = new URLSearchParams(response.map(([name, value]) => [name, value]));
  for (const code of parameters.getAll('code')) holdSecret(code);
  // Stricter: the library takes an empty `iss` for none.
  const issuers = parameters.getAll('iss');
  const other = issuers.find((iss) => iss !== issuer);
  if (other !== undefined) return { ok: false, problem: 'other_issuer', found: other };
  try {
    const taken = oauth.validateAuthResponse(as, anyClient, parameters, about.state.reveal());
    return usableCode(taken);
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      if (parameters.has('code')) return unusable(bothPresent);
      const said = parameters.get('error_description') ?? '';
      return { ok: false, problem: 'refused', error: error.error, said };
    }
    if (!isVerdict(oauth, error)) throw error;
    if (issuers.length === 0 && announcesIss) return { ok: false, problem: 'other_issuer', found: undefined };
    const repeated = ['code', 'state', 'iss', 'error'].find((name) => parameters.getAll(name).length > 1);
    return unusable(repeated === undefined ? 'it is not what the standard says' : `it has "${repeated}" twice`);
  }
}

const bothPresent = 'it has both a code and an error';

/** Stricter: one code, bounded, of the characters that a code has (RFC 6749 appendix A.11). */
function usableCode(parameters: URLSearchParams): AuthorizationResult {
  const [code = '', another] = parameters.getAll('code');
  if (another !== undefined) return unusable('it has "code" twice');
  if (parameters.has('error')) return unusable(code === '' ? 'it has an error without a code' : bothPresent);
  if (code === '') return unusable('it has neither a code nor an error');
  return code.length > 4096 || !isVscharText(code)
    ? unusable('its code is too long or has forbidden characters')
    : { ok: true, code: new Secret(code) };
}

export type PastedProblem =
  | 'empty'
  /** A bare code, or anything else that is no URL. */
  | 'not_a_url'
  | 'other_address'
  | 'no_state'
  | 'other_state'
  /** Too long, something follows it, or it cannot be decoded. */
  | 'unreadable';

export type PastedResponse =
  | { readonly ok: true; readonly response: AuthorizationResponse }
  | { readonly ok: false; readonly problem: PastedProblem };

const inQuotes = /^(?:(["'`])(.*)\1|<(.*)>)$/s;

/**
 * Reads what a person pasted when the browser could not come back by itself: the whole redirect URL, beginning with
 * our redirect URI character for character, with our state exactly once (RFC 6749 section 4.1.2). A bare code is
 * refused, because nothing ties it to this login. What the parameters say is validated where a callback's are.
 */
export function readPastedResponse(
  text: string,
  expected: { readonly redirectUri: string; readonly isOurState: (state: string) => boolean },
): PastedResponse {
  const trimmed = text.trim();
  const [, , quoted, inAngles = quoted ?? trimmed] = inQuotes.exec(trimmed) ?? [];
  const url = inAngles.trim();
  if (url === '') return refused('empty');
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return refused('not_a_url');
  // Compared as text: a URL parser would repair what it should refuse, and call different addresses equal.
  const [, address = '', query = ''] = /^([^?#]*)\??([^#]*)/.exec(url) ?? [];
  if (address !== expected.redirectUri) return refused('other_address');
  if (url.length > 8192 || !isStrictlyEncoded(query)) return refused('unreadable');
  return readResponse(query, expected.isOurState);
}

/**
 * Reads the query of a redirect URL. One `state` alone, of ours, makes it ours; what the other parameters mean is validated
 * later, so repeats are kept. URLSearchParams repairs what it cannot decode; a response that needs repair is not taken.
 */
export function readResponse(query: string, isOurState: (state: string) => boolean): PastedResponse {
  // The question mark keeps URLSearchParams from eating one that belongs to the first name.
  const response = [...new URLSearchParams(`?${query}`)];
  const states = response.filter(([name]) => name === 'state').map(([, value]) => value);
  if (states.length === 0) return refused('no_state');
  if (states.length > 1 || !isOurState(states[0] ?? '')) return refused('other_state');
  const isTooLong = response.length > 64 || response.flat().some((text) => text.length > 4096);
  return isTooLong || !isStrictlyEncoded(query) ? refused('unreadable') : { ok: true, response };
}

const refused = (problem: PastedProblem): PastedResponse => ({ ok: false, problem });

/** Nothing that a browser's address cannot hold, and percent-encoding that is valid UTF-8. */
function isStrictlyEncoded(query: string): boolean {
  if (!/^[\x21-\x7e]*$/.test(query)) return false;
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}
