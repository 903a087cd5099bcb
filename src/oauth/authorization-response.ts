import { holdSecret, Secret } from '../core/secret.js';
import { isVscharText } from '../core/text/characters.js';
import { type UnusableResponse, unusable } from './engine.js';
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
 * nothing of another issuer's response is used or shown; then repeats, then `error`, then `code`.
 */
export function validateAuthorizationResponse(
  response: AuthorizationResponse,
  about: { readonly server: Pick<AuthorizationServer, 'issuer' | 'announcesIss'>; readonly state: Secret },
): AuthorizationResult {
  const { issuer, announcesIss } = about.server;
  const values = (wanted: string) => response.flatMap(([name, value]) => (name === wanted ? [value] : []));
  for (const code of values('code')) holdSecret(code);
  const issuers = values('iss');
  const other = issuers.find((iss) => iss !== issuer);
  if (other !== undefined || (issuers.length === 0 && announcesIss)) {
    return { ok: false, problem: 'other_issuer', found: other };
  }
  const repeated = ['code', 'state', 'iss', 'error'].find((name) => values(name).length > 1);
  if (repeated !== undefined) return unusable(`it has "${repeated}" twice`);
  if (values('state')[0] !== about.state.reveal()) return unusable('its state is not that of this login');
  const [code = ''] = values('code');
  const [error] = values('error');
  const [said = ''] = values('error_description');
  if (error !== undefined && code !== '') return unusable('it has both a code and an error');
  if (error === '') return unusable('it has an error without a code');
  if (error !== undefined) return { ok: false, problem: 'refused', error, said };
  if (code === '') return unusable('it has neither a code nor an error');
  // Stricter: a code is bounded, and of the characters that it may have (RFC 6749 appendix A.11).
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
