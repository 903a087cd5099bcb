import { attaches } from '../core/resource.js';
import { gateUrl, originOf, resolveReference, splitUrl } from '../core/url.js';

/** Longest request target, in characters. */
const maxTarget = 8_192;

/** An encoded control character, which some servers cut a path at. */
const encodedControl = /%(?:25)*(?:[01][0-9a-f]|7f)/i;

/**
 * Path and query to ask a server for, when the request target goes on behind its mount with `rest`: '' for the
 * server's own address, else with its `/` or `?` in front. Undefined where it might lead anywhere but to the server's
 * address or below it: dot segments and separators in any spelling, `//` in front, controls. Scheme and host come from
 * `server` alone, a canonical URL, whatever `rest` says.
 */
export function upstreamTarget(server: string, rest: string): string | undefined {
  const parts = splitUrl(server);
  if (parts === undefined || !/^(?:$|[/?])/.test(rest)) return undefined;
  const cut = rest.indexOf('?');
  const below = cut === -1 ? rest : rest.slice(0, cut);
  const own = cut === -1 ? '' : rest.slice(cut);
  const base = below !== '' && parts.path.endsWith('/') ? parts.path.slice(0, -1) : parts.path;
  const path = `${base}${below}` || '/';
  const query = parts.query === '' || own === '' ? parts.query + own : `${parts.query}&${own.slice(1)}`;
  const url = `${originOf(parts)}${path}${query}`;
  const gated = gateUrl(url, maxTarget);
  const leadsThere =
    gated.ok && gated.url.origin === originOf(parts) && attaches(server, url) && !encodedControl.test(path);
  return leadsThere && !path.startsWith('//') ? path + query : undefined;
}

/**
 * What follows the mount in a path of ours for an address that the server named in `Location`, resolved against the target that
 * was asked for; undefined for an address that is not the server's or below it.
 */
export function restOfLocation(server: string, asked: string, location: string): string | undefined {
  const parts = splitUrl(server);
  if (parts === undefined) return undefined;
  const url = resolveReference(location, originOf(parts) + asked, maxTarget);
  if (url === undefined) return undefined;
  const { hash } = url;
  url.hash = '';
  const plain = splitUrl(url.href);
  // The mount's own query is put on whatever is asked for here, so that only the path is looked at.
  if (plain === undefined || !attaches(`${originOf(parts)}${parts.path}`, url.href)) return undefined;
  const base = parts.path.endsWith('/') ? parts.path.slice(0, -1) : parts.path;
  const rest = plain.path === (parts.path || '/') ? '' : plain.path.slice(base.length);
  const query = withoutOwn(parts.query, plain.query);
  return upstreamTarget(server, `${rest}${query}`) === undefined ? undefined : `${rest}${query}${hash}`;
}

/** A query without the mount's own, with its `?`. */
function withoutOwn(own: string, query: string): string {
  if (!`${query}&`.startsWith(`${own}&`)) return query;
  const more = query.slice(own.length + 1);
  return more === '' ? '' : `?${more}`;
}
