import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../core/secret.js';
import { CookieJar } from '../core/text/cookies.js';
import { type RequestFraming, requestFraming } from '../relay/heads.js';
import type { IncomingRequest } from '../relay/server-request.js';
import { newKey } from '../stores/key-file.js';
import { type ForwardedRequest, type ForwardedResponse, forwardedRequest, plainly } from './forwarded-headers.js';
import { proxyLimits } from './limits.js';
import { upstreamTarget } from './mount-path.js';
import type { ProxyMount } from './ports.js';
import { type Refusal, refusal } from './refusal.js';

/** What requests are checked against; the same for all of them. */
export interface Gate {
  /** What `Host` may be. */
  readonly authorities: ReadonlySet<string>;
  readonly key: LocalKey | undefined;
  readonly mounts: ReadonlyMap<string, Mounted>;
  readonly sessions: Sessions;
}

/** A mount, with what was worked out for it once. */
export interface Mounted {
  readonly mount: ProxyMount;
  readonly url: URL;
  readonly origin: string;
}

export interface Admitted {
  readonly mounted: Mounted;
  readonly head: ForwardedRequest;
  readonly framing: RequestFraming;
  /** Path and query to ask the server for. */
  readonly target: string;
  /** The beginning of a path of ours that leads to this mount. */
  readonly prefix: string;
}

/**
 * Decides by form alone whether a request goes on, and where to; nothing has been sent before. The order
 * reveals the least: first the address (a rebound name, RFC 9112 section 3.2), web pages of whatever origin, then the form,
 * then the key, then the mount.
 */
export function admit(request: IncomingRequest, gate: Gate): Admitted | Refusal {
  const { method, target, lines } = request;
  if (lines.length / 2 >= proxyLimits.headerLines) return refusal('too_many_headers', true);
  const head = forwardedRequest(lines);
  const [host] = head.hosts;
  if (host === undefined) return refusal('bad_request', true);
  if (head.hosts.length !== 1 || !gate.authorities.has(host)) return refusal('wrong_host', true);
  if (head.origins.length > 0 || head.fetchSites.some((site) => site !== 'none')) return refusal('cross_site');
  if (request.minor !== 1) return refusal('version_refused', true);
  const framing = requestFraming(head.lengths, head.codings);
  if (framing === undefined || head.repeated) return refusal('bad_request', true);
  if (head.expects.some((what) => what.toLowerCase() !== '100-continue')) return refusal('expectation_refused', true);
  if (head.upgrades.some((protocol) => protocol.toLowerCase() !== 'h2c')) return refusal('upgrade_refused', true);
  if (!/^\/(?!\/)[\x21\x22\x24-\x5b\x5d-\x7e]*$/.test(target)) return refusal('bad_target');
  const inner = inside(target, head.keys, gate.key);
  if (inner === undefined) return refusal('key_needed');
  const { segment, rest } = firstSegment(inner);
  const mounted = gate.mounts.get(segment);
  if (mounted === undefined) return refusal('no_such_mount');
  const upstream = upstreamTarget(mounted.mount.server, rest);
  if (upstream === undefined) return refusal('bad_target');
  const prefix = target.slice(0, target.length - rest.length);
  const forward = method === 'GET' ? plainly(head.forward) : head.forward;
  const admitted = { mounted, head: { ...head, forward }, framing, target: upstream, prefix };
  request.known = admitted;
  return ofOneServer(admitted, gate);
}

/** The same for a head that was admitted before, word for word. */
export function admitAgain({ known }: IncomingRequest, gate: Gate): Admitted | Refusal | undefined {
  const admitted = known as Admitted | undefined;
  return admitted === undefined ? undefined : ofOneServer(admitted, gate);
}

/** A session belongs to the server that it began at. */
function ofOneServer(admitted: Admitted, { sessions }: Gate): Admitted | Refusal {
  const { head, mounted } = admitted;
  const isOther = head.sessions.length > 0 && sessions.isOfOther(head.sessions, mounted.mount.name);
  return isOther ? refusal('session_of_other_server') : admitted;
}

/** The part of the target behind the key; undefined without the right one. Never from the query. */
function inside(target: string, offeredKeys: readonly string[], key: LocalKey | undefined): string | undefined {
  if (key === undefined) return target;
  const { segment, rest } = firstSegment(target);
  const [offered] = offeredKeys;
  if (offeredKeys.length > 1 || !key.is(offered ?? segment)) return undefined;
  return offered === undefined ? rest : target;
}

function firstSegment(path: string): { readonly segment: string; readonly rest: string } {
  const end = path.slice(1).search(/[/?]/);
  return end === -1
    ? { segment: path.slice(1), rest: '' }
    : { segment: path.slice(1, end + 1), rest: path.slice(end + 1) };
}

/** Who knows it may come in. */
interface LocalKey {
  readonly secret: Secret;
  /** In the same time whatever is offered; only its length, which is no secret, may tell. */
  is(offered: string): boolean;
}

/** The key of a proxy, or one that holds as long as this start of it. */
export function localKey(secret = newKey()): LocalKey {
  const expected = Buffer.from(secret.reveal(), 'latin1');
  return {
    secret,
    is: (offered) => {
      const bytes = Buffer.from(offered, 'latin1');
      return bytes.length === expected.length && timingSafeEqual(bytes, expected);
    },
  };
}

/** Sessions remembered; the oldest are forgotten first. */
const maxSessions = 10_000;

/** Which mount each session began at: a session of one server is a secret that no other one may see. */
export class Sessions {
  readonly #mounts = new Map<string, string>();

  learn(sessions: readonly string[], mount: string): void {
    for (const session of sessions) {
      const kept = keptAs(session);
      if (this.#mounts.has(kept)) continue;
      if (this.#mounts.size >= maxSessions) {
        const [oldest = ''] = this.#mounts.keys();
        this.#mounts.delete(oldest);
      }
      this.#mounts.set(kept, mount);
    }
  }

  /** Did one of these begin elsewhere? */
  isOfOther(sessions: readonly string[], mount: string): boolean {
    return sessions.some((session) => (this.#mounts.get(keptAs(session)) ?? mount) !== mount);
  }
}

/** Sessions whose cookies are kept; those unused for longest are forgotten first. */
const maxJars = 256;

/** What the server's cookies of a request are kept by. */
type CookieOwner = Pick<Admitted, 'mounted' | 'target' | 'head'>;

/** The cookies of each session: no other session's requests go with them. */
export class SessionCookies {
  readonly #jars = new Map<string, CookieJar>();

  /** The header lines of a request, with those that it goes with. */
  addTo(lines: readonly string[], { head, mounted, target }: CookieOwner): readonly string[] {
    const [session] = head.sessions;
    if (session === undefined || this.#jars.size === 0) return lines;
    const cookie = this.#jarOf(session, mounted)?.headerFor(mounted.origin + target);
    return cookie === undefined ? lines : [...lines, 'cookie', cookie];
  }

  /** Takes those of a response, for its session, or else the request's. */
  take(response: ForwardedResponse, { head, mounted, target }: CookieOwner): void {
    const [session] = [...response.sessions, ...head.sessions];
    if (response.cookies.length === 0 || session === undefined) return;
    this.#jarOf(session, mounted, new CookieJar())?.take(response.cookies, mounted.origin + target);
    const [oldest = ''] = this.#jars.keys();
    if (this.#jars.size > maxJars) this.#jars.delete(oldest);
  }

  #jarOf(session: string, { mount }: Mounted, another?: CookieJar): CookieJar | undefined {
    const owner = JSON.stringify([mount.name, keptAs(session)]);
    const jar = this.#jars.get(owner) ?? another;
    this.#jars.delete(owner);
    if (jar !== undefined) this.#jars.set(owner, jar);
    return jar;
  }
}

/** By its hash: servers may write 16 KiB of it, and a part of a head keeps the whole of it in memory. */
function keptAs(session: string): string {
  return createHash('sha256').update(session, 'latin1').digest('base64');
}
