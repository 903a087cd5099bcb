import { Secret } from '../core/secret.js';
import { isVscharText } from '../core/text/characters.js';
import type { AuthorizationServer } from './server-metadata.js';

export type AuthorizationJudgement =
  | { readonly ok: true; readonly code: Secret }
  | { readonly ok: false; readonly problem: 'other_issuer'; readonly found: string | undefined }
  | { readonly ok: false; readonly problem: 'refused'; readonly error: string; readonly said: string }
  | { readonly ok: false; readonly problem: 'unusable'; readonly why: string };

const longestCode = 4096;

/**
 * Judges the answer that carried our state: `iss` first (RFC 9207 section 2.4, compared as a string), so that
 * nothing of an answer from somebody else is used or shown; then repeats, then `error`, then `code`.
 */
export function judgeAuthorizationAnswer(
  answer: AuthorizationAnswer,
  server: Pick<AuthorizationServer, 'issuer' | 'announcesIss'>,
): AuthorizationJudgement {
  const issuers = all(answer, 'iss');
  if (issuers.some((iss) => iss !== server.issuer)) {
    return { ok: false, problem: 'other_issuer', found: issuers.find((iss) => iss !== server.issuer) };
  }
  if (issuers.length === 0 && server.announcesIss) {
    return { ok: false, problem: 'other_issuer', found: undefined };
  }
  for (const name of ['code', 'state', 'iss', 'error']) {
    if (all(answer, name).length > 1) {
      return { ok: false, problem: 'unusable', why: `it has "${name}" twice` };
    }
  }
  const [error] = all(answer, 'error');
  const [code] = all(answer, 'code');
  if (error !== undefined && code !== undefined) {
    return { ok: false, problem: 'unusable', why: 'it has both a code and an error' };
  }
  if (error !== undefined) {
    return { ok: false, problem: 'refused', error, said: all(answer, 'error_description')[0] ?? '' };
  }
  if (code === undefined || code === '') {
    return { ok: false, problem: 'unusable', why: 'it has neither a code nor an error' };
  }
  if (code.length > longestCode || !isVscharText(code)) {
    return { ok: false, problem: 'unusable', why: 'its code is too long or has forbidden characters' };
  }
  return { ok: true, code: new Secret(code) };
}

function all(answer: AuthorizationAnswer, name: string): readonly string[] {
  return answer.filter(([key]) => key === name).map(([, value]) => value);
}

export type PastedProblem =
  | 'empty'
  /** A bare code, or anything else that is no URL. */
  | 'not_a_url'
  /** A URL, but not our redirect URI's. */
  | 'other_address'
  | 'no_state'
  /** Of another attempt, or of somebody else's. */
  | 'other_state'
  /** Too long, something stands behind it, or it cannot be decoded. */
  | 'unreadable';

export type PastedAnswer =
  | { readonly ok: true; readonly answer: AuthorizationAnswer }
  | { readonly ok: false; readonly problem: PastedProblem };

const longestPaste = 8192;

const longestParameter = 4096;

const quotes: readonly (readonly [open: string, close: string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['<', '>'],
  ['`', '`'],
];

/**
 * Reads what a person pasted when the browser could not come back by itself: the whole redirect URL, beginning with
 * our redirect URI character for character, with our state exactly once (RFC 6749 section 4.1.2). A bare code is
 * refused, because nothing ties it to this login. What the parameters say is judged where a callback's are.
 * Total: never throws, as long as `isOurState` does not.
 */
export function readPastedAnswer(
  text: string,
  expected: { readonly redirectUri: string; readonly isOurState: (state: string) => boolean },
): PastedAnswer {
  const url = unwrapped(text);
  if (url === '') return refused('empty');
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return refused('not_a_url');
  const [beforeFragment = ''] = url.split('#', 1);
  const cut = beforeFragment.indexOf('?');
  // Compared as text: a URL parser would repair what it should refuse, and call different addresses equal.
  const address = cut === -1 ? beforeFragment : beforeFragment.slice(0, cut);
  if (address !== expected.redirectUri) return refused('other_address');
  const query = cut === -1 ? '' : beforeFragment.slice(cut + 1);
  if (url.length > longestPaste || !isStrictlyEncoded(query)) return refused('unreadable');
  // The question mark keeps URLSearchParams from eating one that belongs to the first name.
  const answer = [...new URLSearchParams(`?${query}`)];
  if (answer.some(([name, value]) => Math.max(name.length, value.length) > longestParameter)) {
    return refused('unreadable');
  }
  const states = answer.filter(([name]) => name === 'state').map(([, value]) => value);
  if (states.length === 0) return refused('no_state');
  if (states.length > 1 || !expected.isOurState(states[0] ?? '')) return refused('other_state');
  return { ok: true, answer };
}

function refused(problem: PastedProblem): PastedAnswer {
  return { ok: false, problem };
}

function unwrapped(text: string): string {
  const trimmed = text.trim();
  const pair = quotes.find(
    ([open, close]) => trimmed.length > 1 && trimmed.startsWith(open) && trimmed.endsWith(close),
  );
  return pair === undefined ? trimmed : trimmed.slice(1, -1).trim();
}

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

/** The parameters of the one callback that carried our state, as they came, decoded, in order. */
export type AuthorizationAnswer = readonly (readonly [name: string, value: string])[];
