import type { IncomingMessage } from 'node:http';
import { targetOf } from '../wire/request.js';

/** What a request brings by way of a token (RFC 6750 section 2, RFC 9449 section 7.1). */
export type Presented =
  | { readonly kind: 'token'; readonly scheme: 'bearer' | 'dpop'; readonly token: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'bad-request'; readonly problem: string };

/**
 * The token of the `Authorization` header, the only place where one is taken from. A token in the query is
 * refused whatever else is sent, since it may be in logs by now.
 */
export function presentedToken(request: IncomingMessage): Presented {
  if (targetOf(request).searchParams.has('access_token')) {
    return { kind: 'bad-request', problem: 'A token must not be in the query' };
  }
  const [value, ...more] = request.headersDistinct['authorization'] ?? [];
  if (more.length > 0) return { kind: 'bad-request', problem: 'There must be one Authorization header' };
  const [scheme, ...rest] = (value ?? '').split(' ');
  const token = rest.join(' ').trim();
  const named = (['bearer', 'dpop'] as const).find((one) => one === scheme?.toLowerCase());
  return named !== undefined && token !== '' ? { kind: 'token', scheme: named, token } : { kind: 'none' };
}
