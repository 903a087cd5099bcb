import type { AuthorizationAnswer } from '../../ports.js';
import { longestParameter, mostParameters } from './limits.js';

export type CallbackReading =
  /** Not an answer to our request: no `state`, several, or another. */
  | { readonly kind: 'not_ours' }
  /** It carries our state, and cannot be read without guessing. `why` begins with "it". */
  | { readonly kind: 'unusable'; readonly why: string }
  | { readonly kind: 'ours'; readonly answer: AuthorizationAnswer };

/**
 * Reads the query of a callback (RFC 6749 section 4.1.2; `application/x-www-form-urlencoded`). Whether it is ours is
 * decided by `state` alone; what the other parameters mean is the protocol's to judge, so repeats are kept.
 */
export function readAnswer(query: string, isOurState: (state: string) => boolean): CallbackReading {
  // The question mark keeps URLSearchParams from eating one that belongs to the first name.
  const answer = [...new URLSearchParams(`?${query}`)];
  const states = answer.filter(([name]) => name === 'state').map(([, value]) => value);
  if (states.length !== 1 || !isOurState(states[0] ?? '')) return { kind: 'not_ours' };
  if (answer.length > mostParameters) return { kind: 'unusable', why: 'it has too many parameters' };
  if (answer.some(([name, value]) => Math.max(name.length, value.length) > longestParameter)) {
    return { kind: 'unusable', why: `it has a parameter longer than ${longestParameter} characters` };
  }
  if (!isStrictlyEncoded(query)) return { kind: 'unusable', why: 'its percent-encoding is not valid UTF-8' };
  return { kind: 'ours', answer };
}

/** URLSearchParams repairs what it cannot decode; an answer that needs repair is not taken. */
function isStrictlyEncoded(query: string): boolean {
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}
