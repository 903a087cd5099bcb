import type { Secret } from '../../core/secret.js';
import { isTokenText } from '../../core/text/characters.js';
import { gateUrl } from '../../core/url.js';
import { toldExpiryDate } from '../credential.options.js';
import { formatCannotCarry } from '../failures.js';

/** What is handed out. */
export interface Granted {
  readonly accessToken: Secret;
  /** Milliseconds since 1970; null when unknown. */
  readonly expiresAt: number | null;
  /** The server's URL, as the login has it. */
  readonly server: string;
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

/** A flat object of header fields; whatever else stood in it would be sent as a header. */
export function headersOutput(granted: Granted): string {
  return `${JSON.stringify({ Authorization: `Bearer ${tokenText('headers', granted)}` })}\n`;
}

export function headerOutput(granted: Granted): string {
  return `Authorization: Bearer ${tokenText('header', granted)}\n`;
}

/** What stands after `Authorization: `, for programs that take just that (cargo, pnpm). */
export function valueOutput(granted: Granted): string {
  return `Bearer ${tokenText('value', granted)}\n`;
}

/** Terraform's credentials helpers: `{}` would say that there is none. */
export function terraformOutput(granted: Granted): string {
  return `${JSON.stringify({ token: tokenText('terraform', granted) })}\n`;
}

export function bareOutput(granted: Granted): string {
  return `${tokenText('token', granted)}\n`;
}

/**
 * A line for `curl -K -`. As a header, not as `oauth2-bearer`, which curl may send to the host of a redirect
 * (CVE-2025-14524); nothing else that would change where the request goes.
 */
export function curlOutput(granted: Granted): string {
  return `header = "Authorization: Bearer ${tokenText('curl', granted)}"\n`;
}

/** Credential helper specification of EngFlow, which Bazel follows: a list of values for each header. */
export function bazelOutput(granted: Granted, now: number): string {
  const headers = { Authorization: [`Bearer ${tokenText('bazel', granted)}`] };
  const expires = toldExpiryDate(granted.expiresAt, now);
  return `${JSON.stringify(expires === undefined ? { headers } : { headers, expires })}\n`;
}

/** ExecCredential of client.authentication.k8s.io. */
export function kubectlOutput(granted: Granted, apiVersion: string, now: number): string {
  const token = tokenText('kubectl', granted);
  const expirationTimestamp = toldExpiryDate(granted.expiresAt, now);
  const status = expirationTimestamp === undefined ? { token } : { token, expirationTimestamp };
  return `${JSON.stringify({ kind: 'ExecCredential', apiVersion, status })}\n`;
}

/**
 * `go help goauth`: the addresses below which the headers are sent, an empty line, the headers, an empty line. Nothing
 * for what go takes no answer for: plain http, and an address with a query.
 * @param asked What go wants to fetch, if it said: go 1.24 takes no address but a host, or exactly this one.
 */
export function goauthOutput(granted: Granted, asked: string | undefined): string {
  if (!/^https:\/\/[^?]*$/i.test(granted.server)) return '';
  const exact = asked?.startsWith('https://') && gateUrl(asked).ok ? [asked] : [];
  const addresses = new Set([granted.server, ...exact]);
  return `${[...addresses].join('\n')}\n\nAuthorization: Bearer ${tokenText('goauth', granted)}\n\n`;
}
