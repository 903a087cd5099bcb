import { maxHeaderLines } from './callback-limits.js';

export interface RawRequest {
  readonly method: string;
  /** The request target as it came. */
  readonly target: string;
  /** Names and values in turn, as they came, repeats included (Node's `rawHeaders`). */
  readonly rawHeaders: readonly string[];
}

export type RequestVerdict =
  | { readonly ok: true; readonly path: string; readonly query: string | undefined }
  | { readonly ok: false; readonly status: 400 | 405 | 413 | 431 };

/** How browsers announce that nobody has asked to see the page yet. */
const speculative = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/**
 * Decides by form alone whether a request may be looked at: exactly one Host, equal to the address that we are bound
 * to (RFC 9112 section 3.2; keeps out rebound names); a target in origin form; GET without a body; and, where the
 * browser says what it is for (Fetch Metadata), the navigation of a whole page, not an image, a frame or a script's
 * request. All from the raw header lines, because Node shows only the first of two Hosts.
 */
export function validateRequest(request: RawRequest, authority: string): RequestVerdict {
  const { method, target, rawHeaders } = request;
  if (rawHeaders.length / 2 >= maxHeaderLines) return { ok: false, status: 431 };
  const valuesOf = (name: string): string[] =>
    rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
  const hosts = valuesOf('host');
  if (hosts.length !== 1 || hosts[0] !== authority) return { ok: false, status: 400 };
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(target)) return { ok: false, status: 400 };
  if (method !== 'GET') return { ok: false, status: 405 };
  if (valuesOf('transfer-encoding').length > 0 || valuesOf('content-length').some((length) => length !== '0')) {
    return { ok: false, status: 413 };
  }
  const isNavigation =
    valuesOf('sec-fetch-mode').every((mode) => mode === 'navigate') &&
    valuesOf('sec-fetch-dest').every((destination) => destination === 'document') &&
    speculative.every((name) => valuesOf(name).length === 0);
  if (!isNavigation) return { ok: false, status: 400 };
  const cut = target.indexOf('?');
  return cut === -1
    ? { ok: true, path: target, query: undefined }
    : { ok: true, path: target.slice(0, cut), query: target.slice(cut + 1) };
}
