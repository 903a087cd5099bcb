import { randomBytes } from 'node:crypto';
import { restOfLocation } from '../../primitives/mount-path.js';
import { gateUrl } from '../../primitives/url-gate.js';
import type { Admitted } from './admit.js';

/** Remembered for one mount; the oldest are forgotten first. */
const most = 256;

/**
 * The addresses for messages that a server of the older transport has named, where they are not below its own: each is
 * reached under a path of ours that nobody can make up.
 */
export class Endpoints {
  readonly #targets = new Map<string, string>();

  /** Path and query that a path of ours stands for. */
  targetOf(rest: string): string | undefined {
    return this.#targets.get(rest);
  }

  add(target: string): string {
    if (this.#targets.size >= most) {
      const [oldest = ''] = this.#targets.keys();
      this.#targets.delete(oldest);
    }
    const rest = `/~endpoint-${randomBytes(12).toString('base64url')}`;
    this.#targets.set(rest, target);
    return rest;
  }
}

/** Where a caller finds an address that the server names for messages; undefined unless it is on the server's own origin. */
export function pathOfEndpoint(address: string, { mounted, prefix, target }: Admitted): string | undefined {
  const rest = restOfLocation(mounted.mount.server, target, address);
  if (rest !== undefined) return prefix + rest;
  const base = mounted.origin + target;
  if (!/^[\x21-\x5b\x5d-\x7e]{1,2000}$/.test(address) || !URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  url.hash = '';
  const isOwn = url.origin === mounted.origin && url.username === '' && url.password === '';
  if (!isOwn || !gateUrl(url.href).ok || url.pathname.startsWith('//')) return undefined;
  return prefix + mounted.endpoints.add(url.pathname + url.search);
}
