import { type Challenge, parseChallenges } from './challenge.js';

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
  if (!parsed.ok) {
    return { kind: 'unreadable', problem: parsed.problem };
  }
  const [first, ...others] = parsed.challenges.filter((challenge) => challenge.scheme === 'bearer');
  if (first === undefined) {
    return { kind: 'none' };
  }
  if (others.some((other) => !saysTheSame(first, other))) {
    return { kind: 'ambiguous', why: 'it holds two Bearer challenges that differ' };
  }
  const [repeated] = first.repeated;
  if (repeated !== undefined) {
    return { kind: 'ambiguous', why: 'its Bearer challenge holds a parameter twice' };
  }
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
