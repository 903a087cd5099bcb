import type { AuthorizationAnswer } from '../../ports.js';
import { isVscharText } from '../../primitives/characters.js';
import { Secret } from '../../primitives/secret.js';
import type { AuthorizationServer } from './authorization-server-metadata.js';

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
