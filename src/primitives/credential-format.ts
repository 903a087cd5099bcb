/** The forms in which other programs ask for a credential. */
export const credentialFormats = [
  'headers',
  'header',
  'value',
  'token',
  'curl',
  'env',
  'git',
  'kubectl',
  'bazel',
  'goauth',
  'terraform',
] as const;

/** Formats of programs that ask again after a 401, and do not say so (Claude Code, client-go). */
export const formatsAskedAgain: ReadonlySet<string> = new Set(['headers', 'kubectl']);

export type CredentialFormat = (typeof credentialFormats)[number];

/** A little sooner than it ends, so that nobody is told of a token that ends on its way. */
const earlierMs = 30_000;

/**
 * When a token ends, as other programs are told: half a minute early, and never in the past. Whole seconds since 1970;
 * undefined when nobody knows.
 */
export function toldExpiry(expiresAt: number | null, now: number): number | undefined {
  if (expiresAt === null) {
    return undefined;
  }
  const told = expiresAt - earlierMs > now + 1000 ? expiresAt - earlierMs : expiresAt;
  return Math.max(Math.floor(told / 1000), Math.floor(now / 1000) + 1);
}

/** The same in the form of RFC 3339, without fractions. */
export function toldExpiryDate(expiresAt: number | null, now: number): string | undefined {
  const seconds = toldExpiry(expiresAt, now);
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
