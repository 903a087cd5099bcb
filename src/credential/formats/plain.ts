import type { Secret, SecretHeader } from '../../core/secret.js';
import { isTokenText } from '../../core/text/characters.js';
import { gateUrl } from '../../core/url.js';
import { formatCannotCarry } from '../failures.js';

/** What is handed out. */
export interface Granted {
  readonly accessToken: Secret;
  /** Milliseconds since 1970; null when unknown. */
  readonly expiresAt: number | null;
  /** The server's URL, as the login has it. */
  readonly server: string;
  /** What the server wants beside the token. */
  readonly headers?: readonly SecretHeader[];
}

/**
 * The token's text. A token that could end a line, a header or a quoted word is never written, whoever stored it.
 * @throws Failure `output_unusable`
 */
export function tokenText(format: string, { accessToken }: Pick<Granted, 'accessToken'>): string {
  const value = accessToken.reveal();
  if (!isTokenText(value)) throw formatCannotCarry(format, 'the token holds a character that no token may hold');
  return value;
}

/** Formats that hold the token and nothing else of the login, in one line. */
const plainFormats = {
  token: (token: string) => token,
  /** What follows `Authorization: `, for programs that take just that (cargo, pnpm). */
  value: (token: string) => `Bearer ${token}`,
  header: (token: string) => `Authorization: Bearer ${token}`,
  /** For `curl -K -`. As a header, not as `oauth2-bearer`, which curl may send to the host of a redirect (CVE-2025-14524). */
  curl: (token: string) => `header = "Authorization: Bearer ${token}"`,
  /** Terraform's credentials helpers: `{}` would say that there is none. */
  terraform: (token: string) => JSON.stringify({ token }),
} as const;

export type PlainFormat = keyof typeof plainFormats;

/** @throws Failure `output_unusable` */
export function plainOutput(format: PlainFormat, granted: Pick<Granted, 'accessToken'>): string {
  return `${tokenIn(format, tokenText(format, granted))}\n`;
}

export function tokenIn(format: PlainFormat, token: string): string {
  return plainFormats[format](token);
}

/** A flat object of header fields; all else in it would be sent as a header. @throws Failure `output_unusable` */
export function headersOutput(granted: Pick<Granted, 'accessToken' | 'headers'>): string {
  const others = (granted.headers ?? []).map(({ name, value }) => [name, value.reveal()] as const);
  const authorization = ['Authorization', `Bearer ${tokenText('headers', granted)}`] as const;
  return `${JSON.stringify(Object.fromEntries([authorization, ...others]))}\n`;
}

/** Credential helper specification of EngFlow, which Bazel follows: a list of values for each header. */
export function bazelOutput(granted: Granted, now: number): string {
  const headers = { Authorization: [`Bearer ${tokenText('bazel', granted)}`] };
  return `${JSON.stringify({ headers, expires: reportedExpiryDate(granted.expiresAt, now) })}\n`;
}

/** ExecCredential of client.authentication.k8s.io. */
export function kubectlOutput(granted: Granted, apiVersion: string, now: number): string {
  const token = tokenText('kubectl', granted);
  const status = { token, expirationTimestamp: reportedExpiryDate(granted.expiresAt, now) };
  return `${JSON.stringify({ kind: 'ExecCredential', apiVersion, status })}\n`;
}

/**
 * `go help goauth`: the addresses below which the headers are sent, an empty line, the headers, an empty line. Nothing
 * for what go takes no credential for: plain http, and an address with a query.
 * @param asked What go wants to fetch, if it said: go 1.24 takes no address but a host, or exactly this one.
 */
export function goauthOutput(granted: Granted, asked: string | undefined): string {
  if (!/^https:\/\/[^?]*$/i.test(granted.server)) return '';
  const exact = asked?.startsWith('https://') && gateUrl(asked).ok ? [asked] : [];
  const addresses = new Set([granted.server, ...exact]);
  return `${[...addresses].join('\n')}\n\nAuthorization: Bearer ${tokenText('goauth', granted)}\n\n`;
}

/** So much sooner a token is reported to end, that nobody is given one that ends on its way. */
const earlierMs = 30_000;

/**
 * When a token ends, as other programs are told: half a minute early, and never in the past. Whole seconds since 1970;
 * undefined when unknown.
 */
export function reportedExpiry(expiresAt: number | null, now: number): number | undefined {
  if (expiresAt === null) return undefined;
  const reported = expiresAt - earlierMs > now + 1000 ? expiresAt - earlierMs : expiresAt;
  return Math.max(Math.floor(reported / 1000), Math.floor(now / 1000) + 1);
}

/** The same in the form of RFC 3339, without fractions. */
function reportedExpiryDate(expiresAt: number | null, now: number): string | undefined {
  const seconds = reportedExpiry(expiresAt, now);
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
