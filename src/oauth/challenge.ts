/** One challenge of `WWW-Authenticate` (RFC 9110 section 11.6.1). */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  token68?: string;
  /** By name in lower case, in order of arrival; of a name that came twice, the first value. */
  readonly parameters: Map<string, string>;
  /** Names that came more than once, in lower case. */
  readonly repeated: Set<string>;
}

export type ParsedChallenges =
  | { readonly ok: true; readonly challenges: readonly Challenge[] }
  | { readonly ok: false; readonly problem: 'too_large' | 'too_many' };

/** Characters of all header lines together, and challenges, that are read. */
const longestHeader = 8 * 1024;

const maxChallenges = 16;

// No pattern has two ways to match the same text, so the time is linear.
const token = String.raw`[!#$%&'*+\-.^_\x60|~0-9A-Za-z]+`;

/** What comes between two commas; a comma inside quotes is none. */
const elementPattern = /(?:[^",]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/gs;
const schemePattern = new RegExp(String.raw`^[ \t]*(${token})(?:[ \t]+(.*))?$`, 's');
const token68Pattern = /^([A-Za-z0-9\-._~+/]+=*)[ \t]*$/;
const parameterPattern = new RegExp(String.raw`^[ \t]*(${token})[ \t]*=(.*)$`, 's');
const valuePattern = new RegExp(
  String.raw`^[ \t]*(?:"((?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\uffff]|\\[\t\x20-\x7e\x80-\uffff])*)"|(${token}))[ \t]*$`,
);

/**
 * The challenges of all `WWW-Authenticate` lines of one response, as RFC 9110 sections 5.3 and 11 have them:
 * several lines are one list, several challenges share a line, values are tokens or quoted strings, names and
 * schemes come in any case, empty elements count for nothing. Text inside a quoted string is never anything
 * but a value. What is malformed is left out.
 */
export function parseChallenges(values: readonly string[]): ParsedChallenges {
  if (values.reduce((sum, value) => sum + value.length, 0) > longestHeader) return { ok: false, problem: 'too_large' };
  const challenges: Challenge[] = [];
  let current: Challenge | undefined;
  for (const [element] of values.flatMap((line) => [...line.matchAll(elementPattern)])) {
    const isParameter = parameterPattern.test(element);
    const [, scheme, first = ''] = (isParameter ? undefined : schemePattern.exec(element)) ?? [];
    if (scheme !== undefined) {
      current = { scheme: scheme.toLowerCase(), parameters: new Map(), repeated: new Set() };
      challenges.push(current);
    }
    const [, token68] = token68Pattern.exec(first) ?? [];
    const text = scheme === undefined ? element : first;
    if (current !== undefined && token68 !== undefined) current.token68 = token68;
    else if (parameterPattern.test(text)) addParameter(current, text);
    // Neither scheme nor parameter: nobody knows whom the following parameters are for.
    else if (!/^[ \t]*$/.test(text)) current = undefined;
  }
  return challenges.length > maxChallenges ? { ok: false, problem: 'too_many' } : { ok: true, challenges };
}

/** A challenge has either a token68 or parameters: what follows a token68 belongs to nothing. */
function addParameter(challenge: Challenge | undefined, text: string): void {
  const [, written = '', literal = ''] = parameterPattern.exec(text) ?? [];
  const [, quoted, plain = quoted?.replace(/\\(.)/gs, '$1')] = valuePattern.exec(literal) ?? [];
  const name = written.toLowerCase();
  if (challenge === undefined || challenge.token68 !== undefined || plain === undefined) return;
  if (!challenge.parameters.has(name)) challenge.parameters.set(name, plain);
  else challenge.repeated.add(name);
}

/** The Bearer challenge of a response (RFC 6750 section 3, RFC 9728 section 5.1), or its DPoP challenge (RFC 9449 section 7.1). */
export type BearerChallenge =
  /** No challenge with this scheme. */
  | { readonly kind: 'none' }
  /** Values as they came: `scope` unsplit, `resourceMetadata` not yet validated. */
  | ({ readonly kind: 'bearer'; readonly scheme?: 'dpop' } & Partial<Readonly<Record<keyof typeof wireNames, string>>>)
  /** It says two things, or more than is read; which of them counts is not for us to guess. `why` finishes "…, because". */
  | { readonly kind: 'unusable'; readonly why: string };

const wireNames = {
  resourceMetadata: 'resource_metadata',
  scope: 'scope',
  error: 'error',
  errorDescription: 'error_description',
  realm: 'realm',
} as const;

/**
 * Reads the Bearer challenge out of all `WWW-Authenticate` lines of one response, and the DPoP challenge where there is no
 * other: they have the same parameters. Other schemes are passed over. Two challenges that say the same are one.
 */
export function bearerChallenge(values: readonly string[]): BearerChallenge {
  const bearer = challengeOf(values, 'bearer');
  return bearer.kind === 'none' ? dpopChallenge(values) : bearer;
}

/** The DPoP challenge alone. */
export function dpopChallenge(values: readonly string[]): BearerChallenge {
  return challengeOf(values, 'dpop');
}

function challengeOf(values: readonly string[], scheme: 'bearer' | 'dpop'): BearerChallenge {
  const parsed = parseChallenges(values);
  if (!parsed.ok) return { kind: 'unusable', why: `it is ${parsed.problem.replaceAll('_', ' ')}` };
  const [first, ...others] = parsed.challenges.filter((challenge) => challenge.scheme === scheme);
  if (first === undefined) return { kind: 'none' };
  const shown = scheme === 'bearer' ? 'Bearer' : 'DPoP';
  if (others.some((other) => textOf(other) !== textOf(first))) {
    return { kind: 'unusable', why: `it holds two ${shown} challenges that differ` };
  }
  if (first.repeated.size > 0) return { kind: 'unusable', why: `its ${shown} challenge holds a parameter twice` };
  const known = Object.entries(wireNames).map(([name, wire]) => [name, first.parameters.get(wire)]);
  const isDpop = scheme === 'dpop' ? ({ scheme } as const) : {};
  return { kind: 'bearer', ...isDpop, ...Object.fromEntries(known.filter(([, value]) => value !== undefined)) };
}

/** Equal for challenges that say the same. */
function textOf({ token68, parameters, repeated }: Challenge): string {
  return JSON.stringify([token68, [...parameters].sort(), [...repeated]]);
}
