import { randomBytes } from 'node:crypto';
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

/** Remembered for one mount; the oldest are forgotten first. */
const maxEndpoints = 256;

/**
 * The addresses for messages that a server of the older transport has named, where they are not below its own: each is
 * reached under a path of ours that cannot be guessed.
 */
export class Endpoints {
  readonly #targets = new Map<string, string>();

  /** Path and query at the server for a path of ours. */
  targetOf(rest: string): string | undefined {
    return this.#targets.get(rest);
  }

  isNamed(target: string): boolean {
    return [...this.#targets.values()].includes(target);
  }

  add(target: string): string {
    if (this.#targets.size >= maxEndpoints) {
      const [oldest = ''] = this.#targets.keys();
      this.#targets.delete(oldest);
    }
    const rest = `/~endpoint-${randomBytes(12).toString('base64url')}`;
    this.#targets.set(rest, target);
    return rest;
  }
}

/** A request that was sent on: to what target of which server, and the beginning of its path of ours. */
export interface Asked {
  readonly mounted: {
    /** With a policy only some tools are lent, and no address below the server's own but what it names. */
    readonly mount: { readonly server: string; readonly policy?: object | undefined };
    readonly origin: string;
    readonly endpoints: Endpoints;
  };
  readonly prefix: string;
  readonly target: string;
}

/** Where a caller finds an address that the server names for messages; undefined unless it is on the server's own origin. */
export function pathOfEndpoint(address: string, { mounted, prefix, target }: Asked): string | undefined {
  const rest = restOfLocation(mounted.mount.server, target, address);
  if (rest !== undefined && (rest === '' || mounted.mount.policy === undefined)) return prefix + rest;
  const base = mounted.origin + target;
  if (!/^[\x21-\x5b\x5d-\x7e]{1,2000}$/.test(address) || !URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  url.hash = '';
  const isOwn = url.origin === mounted.origin && url.username === '' && url.password === '';
  if (!isOwn || !gateUrl(url.href).ok || url.pathname.startsWith('//')) return undefined;
  return prefix + mounted.endpoints.add(url.pathname + url.search);
}
