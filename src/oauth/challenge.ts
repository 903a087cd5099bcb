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

const maxChallenges = 16;

/**
 * The challenges of all `WWW-Authenticate` lines of one response, as RFC 9110 sections 5.3 and 11 have them:
 * several lines are one list, several challenges share a line, values are tokens or quoted strings, names and
 * schemes come in any case, empty elements count for nothing. Text inside a quoted string is never anything
 * but a value. What is malformed is left out. Linear in the length of the input.
 */
export function parseChallenges(values: readonly string[]): ParsedChallenges {
  if (values.reduce((sum, value) => sum + value.length, 0) > longestHeader) return { ok: false, problem: 'too_large' };
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
  return challenges.length > maxChallenges ? { ok: false, problem: 'too_many' } : { ok: true, challenges };
}

interface MutableChallenge extends Challenge {
  token68?: string;
  readonly parameters: Map<string, string>;
  readonly repeated: string[];
}

/** A challenge has either a token68 or parameters: what follows a token68 belongs to nothing. */
function addParameter(challenge: MutableChallenge, name: string, value: string): void {
  if (challenge.token68 !== undefined) return;
  if (!challenge.parameters.has(name)) {
    challenge.parameters.set(name, value);
  } else if (!challenge.repeated.includes(name)) {
    challenge.repeated.push(name);
  }
}

/** What a header line of challenges is made of, piece by piece. */
export type ChallengePiece =
  | { readonly kind: 'scheme'; readonly scheme: string }
  | { readonly kind: 'token68'; readonly token68: string }
  | { readonly kind: 'parameter'; readonly name: string; readonly value: string }
  /** A parameter whose value is malformed. */
  | { readonly kind: 'bad_parameter' }
  /** Something that is neither scheme nor parameter: nobody knows whom the following parameters are for. */
  | { readonly kind: 'junk' };

const token = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const token68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const whiteSpace = /[ \t]*/y;
const separators = /[ \t,]*/y;
const quotedString = /"((?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\uffff]|\\[\t\x20-\x7e\x80-\uffff])*)"/y;
const endOfElement = /[ \t]*(?=,|$)/y;
/** The rest of an element that went wrong; a comma inside quotes does not end it. */
const rest = /(?:[^",]|"(?:[^"\\]|\\.)*(?:"|\\?$))*/sy;

/**
 * Takes one `WWW-Authenticate` line apart (RFC 9110 sections 5.6 and 11). No pattern has two ways to match the
 * same text, and the position only moves forward but for one look ahead per piece, so the time is linear.
 */
export class ChallengeReader {
  readonly #line: string;
  #at = 0;
  /** Set after a scheme and white space: a token68 may stand here. */
  #afterScheme = false;

  constructor(line: string) {
    this.#line = line;
  }

  /** The next piece; undefined at the end of the line. */
  next(): ChallengePiece | undefined {
    const afterScheme = this.#afterScheme;
    this.#afterScheme = false;
    if (afterScheme) {
      const found = this.#take(token68);
      if (found !== undefined) return { kind: 'token68', token68: found };
    } else {
      this.#take(separators);
    }
    if (this.#at >= this.#line.length) return undefined;
    const word = this.#take(token);
    return word === undefined ? this.#junk() : this.#afterToken(word.toLowerCase(), afterScheme);
  }

  #afterToken(word: string, afterScheme: boolean): ChallengePiece {
    const space = this.#take(whiteSpace) ?? '';
    const character = this.#line[this.#at];
    if (character === '=') {
      this.#at++;
      return this.#parameter(word);
    }
    const ended = character === undefined || character === ',';
    if (afterScheme || (space === '' && !ended)) return this.#junk();
    this.#afterScheme = !ended;
    return { kind: 'scheme', scheme: word };
  }

  #parameter(name: string): ChallengePiece {
    this.#take(whiteSpace);
    const literal = this.#take(quotedString);
    const value = literal === undefined ? this.#take(token) : unquoted(literal);
    if (value === undefined || this.#take(endOfElement) === undefined) {
      this.#take(rest);
      return { kind: 'bad_parameter' };
    }
    return { kind: 'parameter', name, value };
  }

  #junk(): ChallengePiece {
    this.#take(rest);
    return { kind: 'junk' };
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#line)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

function unquoted(literal: string): string {
  return literal.slice(1, -1).replace(/\\(.)/gs, '$1');
}

/** The Bearer challenge of a response (RFC 6750 section 3, RFC 9728 section 5.1). */
export type BearerChallenge =
  /** No challenge with this scheme. */
  | { readonly kind: 'none' }
  /** Values as they came: `scope` unsplit, `resourceMetadata` not yet judged. */
  | {
      readonly kind: 'bearer';
      readonly resourceMetadata?: string;
      readonly scope?: string;
      readonly error?: string;
      readonly errorDescription?: string;
      readonly realm?: string;
    }
  /** It says two things; which one is meant is not for us to guess. `why` finishes "…, because". */
  | { readonly kind: 'ambiguous'; readonly why: string }
  | { readonly kind: 'unreadable'; readonly problem: 'too_large' | 'too_many' };

/**
 * Reads the Bearer challenge out of all `WWW-Authenticate` lines of one response. Other schemes beside it are
 * passed over. Two Bearer challenges that say the same are one.
 */
export function bearerChallenge(values: readonly string[]): BearerChallenge {
  const parsed = parseChallenges(values);
  if (!parsed.ok) return { kind: 'unreadable', problem: parsed.problem };
  const [first, ...others] = parsed.challenges.filter((challenge) => challenge.scheme === 'bearer');
  if (first === undefined) return { kind: 'none' };
  if (others.some((other) => !saysTheSame(first, other))) {
    return { kind: 'ambiguous', why: 'it holds two Bearer challenges that differ' };
  }
  const [repeated] = first.repeated;
  if (repeated !== undefined) return { kind: 'ambiguous', why: 'its Bearer challenge holds a parameter twice' };
  return { kind: 'bearer', ...known(first.parameters) };
}

function saysTheSame(one: Challenge, other: Challenge): boolean {
  return (
    one.token68 === other.token68 &&
    one.repeated.length === other.repeated.length &&
    one.parameters.size === other.parameters.size &&
    [...one.parameters].every(([name, value]) => other.parameters.get(name) === value)
  );
}

const wireNames = {
  resourceMetadata: 'resource_metadata',
  scope: 'scope',
  error: 'error',
  errorDescription: 'error_description',
  realm: 'realm',
} as const;

function known(parameters: ReadonlyMap<string, string>): Partial<Record<keyof typeof wireNames, string>> {
  const entries = Object.entries(wireNames).map(([name, wire]) => [name, parameters.get(wire)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
