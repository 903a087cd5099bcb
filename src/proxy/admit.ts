import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret } from '../core/secret.js';
import { CookieJar } from '../core/text/cookies.js';
import { type RequestFraming, requestFraming } from '../relay/heads.js';
import type { IncomingRequest } from '../relay/server-request.js';
import { type ForwardedRequest, type ForwardedResponse, forwardedRequest, plainly } from './forwarded-headers.js';
import { proxyLimits } from './limits.js';
import { upstreamTarget } from './mount-path.js';
import type { LocalKeys, ProxyMount } from './ports.js';
import { type Refusal, refusal } from './refusal.js';

/** What requests are checked against; the same for all of them. */
export interface Gate {
  /** What `Host` may be. */
  readonly authorities: ReadonlySet<string>;
  readonly keys: LocalKeys | undefined;
  /** For a request without a key that asks who listens here: a refusal that proves it. */
  readonly prove?: ((target: string) => Refusal | undefined) | undefined;
  readonly mounts: ReadonlyMap<string, Mounted>;
  readonly sessions: Sessions;
}

/** A mount, with what was worked out for it once. */
export interface Mounted {
  readonly mount: ProxyMount;
  readonly url: URL;
  readonly origin: string;
  /** Targets validated before, by what follows the mount in the path. */
  readonly targets: Map<string, string | undefined>;
}

export interface Admitted {
  readonly mounted: Mounted;
  readonly head: ForwardedRequest;
  readonly framing: RequestFraming;
  /** Path and query to ask the server for. */
  readonly target: string;
  /** The beginning of a path of ours that leads to this mount. */
  readonly prefix: string;
  /** The key that let it in, and of which keys that was one. */
  readonly key: string | undefined;
  readonly keysThen: unknown;
}

/** Targets remembered for one mount: most programs ask for the same few. */
const maxTargets = 256;

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
  const keysThen = gate.keys?.version();
  const inner = inside(target, head.keys, gate.keys);
  if (inner === undefined) return gate.prove?.(target) ?? refusal('key_needed');
  const { segment, rest } = firstSegment(inner.path);
  const mounted = gate.mounts.get(segment);
  if (mounted === undefined) return refusal('no_such_mount');
  const upstream = targetAt(mounted, rest);
  if (upstream === undefined) return refusal('bad_target');
  const prefix = target.slice(0, target.length - rest.length);
  const forward = method === 'GET' ? plainly(head.forward) : head.forward;
  const { key } = inner;
  const admitted = { mounted, head: { ...head, forward }, framing, target: upstream, prefix, key, keysThen };
  request.known = admitted;
  return ofOneServer(admitted, gate);
}

/** The same for a head that was admitted before, word for word, where nothing has changed since. */
export function admitAgain({ known }: IncomingRequest, gate: Gate): Admitted | Refusal | undefined {
  const admitted = known as Admitted | undefined;
  return admitted === undefined || admitted.keysThen !== gate.keys?.version() ? undefined : ofOneServer(admitted, gate);
}

/** A session belongs to the server that it began at. */
function ofOneServer(admitted: Admitted, { sessions }: Gate): Admitted | Refusal {
  const { head, mounted } = admitted;
  const isOther = head.sessions.length > 0 && sessions.isOfOther(head.sessions, mounted.mount.name);
  return isOther ? refusal('session_of_other_server') : admitted;
}

/** The part of the target behind the key, and that key; undefined without the right one. Never from the query. */
function inside(
  target: string,
  offeredKeys: readonly string[],
  keys: LocalKeys | undefined,
): { readonly path: string; readonly key: string | undefined } | undefined {
  if (keys === undefined) return { path: target, key: undefined };
  const { segment, rest } = firstSegment(target);
  const [offered] = offeredKeys;
  const isInHeader = offered !== undefined;
  const key = offeredKeys.length > 1 ? undefined : keys.find(offered ?? segment);
  return key === undefined ? undefined : { path: isInHeader ? target : rest, key };
}

function firstSegment(path: string): { readonly segment: string; readonly rest: string } {
  const end = path.slice(1).search(/[/?]/);
  return end === -1
    ? { segment: path.slice(1), rest: '' }
    : { segment: path.slice(1, end + 1), rest: path.slice(end + 1) };
}

function targetAt({ mount, targets }: Mounted, rest: string): string | undefined {
  const known = targets.get(rest);
  if (known !== undefined) return known;
  const target = upstreamTarget(mount.server, rest);
  if (targets.size >= maxTargets) targets.clear();
  targets.set(rest, target);
  return target;
}

/** 256 random bits: 43 characters of base64url, so that it can stand in a path as it is. */
export function newKeyText(): string {
  return randomBytes(32).toString('base64url');
}

/** Makes a key that holds as long as this start of the proxy. */
export function newLocalKey(): LocalKeys & { readonly secret: Secret } {
  const text = newKeyText();
  const expected = Buffer.from(text, 'latin1');
  const given = Buffer.alloc(expected.length);
  return {
    secret: new Secret(text),
    version: () => expected,
    find: (offered) => {
      if (offered.length !== expected.length) return undefined;
      given.write(offered, 'latin1');
      return timingSafeEqual(given, expected) ? 'local' : undefined;
    },
    has: () => true,
  };
}

/** Sessions remembered; the oldest are forgotten first. */
const maxSessions = 10_000;

/** An identifier that is longer is remembered by its hash: servers may write 16 KiB of it. In characters, one a byte. */
const maxSession = 64;

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
type CookieOwner = Pick<Admitted, 'mounted' | 'key' | 'target' | 'head'>;

/** The cookies of each session, for the local caller that they came to: another caller's requests never go with them. */
export class SessionCookies {
  readonly #jars = new Map<string, CookieJar>();

  /** The header lines of a request, with those that it goes with. */
  addTo(lines: readonly string[], { head, mounted, key, target }: CookieOwner): readonly string[] {
    const [session] = head.sessions;
    if (session === undefined || this.#jars.size === 0) return lines;
    const cookie = this.#jarOf(session, mounted, key)?.headerFor(mounted.origin + target);
    return cookie === undefined ? lines : [...lines, 'cookie', cookie];
  }

  /** Takes those of a response, for its session, or else the request's. */
  take(response: ForwardedResponse, { head, mounted, key, target }: CookieOwner): void {
    const [session] = [...response.sessions, ...head.sessions];
    if (response.cookies.length === 0 || session === undefined) return;
    this.#jarOf(session, mounted, key, new CookieJar())?.take(response.cookies, mounted.origin + target);
    const [oldest = ''] = this.#jars.keys();
    if (this.#jars.size > maxJars) this.#jars.delete(oldest);
  }

  #jarOf(session: string, { mount }: Mounted, key: string | undefined, another?: CookieJar): CookieJar | undefined {
    const owner = JSON.stringify([mount.name, key, keptAs(session)]);
    const jar = this.#jars.get(owner) ?? another;
    this.#jars.delete(owner);
    if (jar !== undefined) this.#jars.set(owner, jar);
    return jar;
  }
}

/** A copy, since V8 keeps the whole head that a part of it was cut from. No identifier has a line feed. */
function keptAs(session: string): string {
  return session.length <= maxSession
    ? Buffer.from(session, 'latin1').toString('latin1')
    : `\n${createHash('sha256').update(session, 'latin1').digest('base64')}`;
}
