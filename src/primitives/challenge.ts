import { ChallengeReader } from './challenge-reader.js';

/** One challenge of `WWW-Authenticate` (RFC 9110 section 11.6.1). */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  readonly token68?: string;
  /** By name in lower case, in order of arrival; of a name that came twice, the first value. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Names that came more than once, in lower case. */
  readonly repeated: readonly string[];
}

export type ParsedChallenges =
  | { readonly ok: true; readonly challenges: readonly Challenge[] }
  | { readonly ok: false; readonly problem: 'too_large' | 'too_many' };

/** Characters of all header lines together, and challenges, that are read. */
const longestHeader = 8 * 1024;
const mostChallenges = 16;

/**
 * The challenges of all `WWW-Authenticate` lines of one response, as RFC 9110 sections 5.3 and 11 have them:
 * several lines are one list, several challenges share a line, values are tokens or quoted strings, names and
 * schemes come in any case, empty elements count for nothing. Text inside a quoted string is never anything
 * but a value. What is malformed is left out. Linear in the length of the input.
 */
export function parseChallenges(values: readonly string[]): ParsedChallenges {
  if (values.reduce((sum, value) => sum + value.length, 0) > longestHeader) {
    return { ok: false, problem: 'too_large' };
  }
  const challenges: MutableChallenge[] = [];
  let current: MutableChallenge | undefined;
  for (const value of values) {
    const reader = new ChallengeReader(value);
    for (let element = reader.next(); element !== undefined; element = reader.next()) {
      if (element.kind === 'scheme') {
        current = { scheme: element.scheme, parameters: new Map(), repeated: [] };
        challenges.push(current);
      } else if (element.kind === 'token68' && current !== undefined) {
        current.token68 = element.token68;
      } else if (element.kind === 'parameter' && current !== undefined) {
        addParameter(current, element.name, element.value);
      } else if (element.kind === 'junk') {
        current = undefined;
      }
    }
  }
  return challenges.length > mostChallenges ? { ok: false, problem: 'too_many' } : { ok: true, challenges };
}

interface MutableChallenge extends Challenge {
  token68?: string;
  readonly parameters: Map<string, string>;
  readonly repeated: string[];
}

/** A challenge has either a token68 or parameters: what follows a token68 belongs to nothing. */
function addParameter(challenge: MutableChallenge, name: string, value: string): void {
  if (challenge.token68 !== undefined) {
    return;
  }
  if (!challenge.parameters.has(name)) {
    challenge.parameters.set(name, value);
  } else if (!challenge.repeated.includes(name)) {
    challenge.repeated.push(name);
  }
}
