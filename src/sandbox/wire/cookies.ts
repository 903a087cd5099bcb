import type { IncomingMessage } from 'node:http';

/** The cookies of a request by name; of two with one name the first (RFC 6265 section 5.4). */
export function cookiesOf(request: IncomingMessage): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name = '', ...value] = pair.trim().split('=');
    if (name !== '' && !found.has(name)) found.set(name, value.join('='));
  }
  return found;
}

/**
 * A `Set-Cookie` line with all that the prefix `__Host-` stands for, but for `Secure`: no `Domain`, the path `/`,
 * unreadable for scripts, not sent along by other sites' forms. Plain http on loopback cannot have `Secure`, nor
 * the prefix, which needs it.
 */
export function strictCookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax`;
}
