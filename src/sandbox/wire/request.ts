import { IncomingMessage } from 'node:http';

/** The whole body, or undefined when it is longer than `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The same request with another target and its body ready to be read once more. `mountedAt` is the path
 * that was cut off the target, told the way connect and Express do, so that addresses are built with it.
 */
export function replayed(
  request: IncomingMessage,
  url: string,
  body: Buffer,
  mountedAt = '',
): IncomingMessage & { originalUrl: string } {
  const copy = Object.assign(new IncomingMessage(request.socket), { originalUrl: `${mountedAt}${url}` });
  copy.method = request.method ?? 'GET';
  copy.url = url;
  copy.httpVersion = request.httpVersion;
  copy.httpVersionMajor = request.httpVersionMajor;
  copy.httpVersionMinor = request.httpVersionMinor;
  copy.headers = { ...request.headers, ...(body.length > 0 ? { 'content-length': String(body.length) } : {}) };
  copy.rawHeaders = request.rawHeaders;
  copy.complete = true;
  if (body.length > 0) copy.push(body);
  copy.push(null);
  return copy;
}

/** Path and query that a request asks for; the origin of the result says nothing. Never throws. */
export function targetOf(request: IncomingMessage): URL {
  const target = `http://sandbox.invalid${(request.url ?? '').replace(/^[^/?]*/, '')}`;
  return new URL(URL.canParse(target) ? target : 'http://sandbox.invalid/');
}

/** The parameters of a form body, or of the query for other requests, in order. */
export function parametersOf(request: IncomingMessage, body: Buffer): readonly (readonly [string, string])[] {
  const form = (request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  return [...(form ? new URLSearchParams(body.toString('utf8')) : targetOf(request).searchParams)];
}

/** Exactly one Host header, and it is ours: what a rebound DNS name cannot send. */
export function hasHost(request: IncomingMessage, host: string): boolean {
  const hosts = request.rawHeaders.filter((_, at, all) => at % 2 === 1 && all[at - 1]?.toLowerCase() === 'host');
  return hosts.length === 1 && hosts[0] === host;
}

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
