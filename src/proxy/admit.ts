import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret } from '../core/secret.js';
import { plainly, type RequestHead, readRequestHead } from '../relay/forwarded-headers.js';
import { proxyLimits } from '../relay/limits.js';
import type { Framing, IncomingHead } from '../relay/server-request.js';
import type { Refusal } from '../relay/server-response.js';
import { type Endpoints, upstreamTarget } from './mount-path.js';
import type { ProxyMount } from './ports.js';
import { refusal } from './refusal.js';
import type { Sessions } from './sessions.js';

/** What requests are judged against; the same for all of them. */
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
  /** Targets judged before, by what stands behind the mount. */
  readonly targets: Map<string, string | undefined>;
  readonly endpoints: Endpoints;
}

export interface Admitted {
  readonly ok: true;
  readonly mounted: Mounted;
  readonly head: RequestHead;
  readonly framing: Framing;
  /** Path and query to ask the server for. */
  readonly target: string;
  /** What stands before the rest in a path of ours that leads to this mount. */
  readonly prefix: string;
}

export interface Refused extends Refusal {
  readonly ok: false;
}

/** Targets remembered for one mount: most programs ask for the same few. */
const mostTargets = 256;

/**
 * Decides by form alone whether a request goes on, and where to; nothing has been sent before. Who may not come in is
 * told the least: first the address (a rebound name, RFC 9112 section 3.2), web pages of whatever origin, then the form,
 * then the key, then the mount.
 */
export function admit(request: IncomingHead, gate: Gate): Admitted | Refused {
  const { method, target, lines } = request;
  if (lines.length / 2 >= proxyLimits.headerLines) return refused('too_many_headers', true);
  const head = readRequestHead(lines);
  const [host] = head.hosts;
  if (host === undefined) return refused('bad_request', true);
  if (head.hosts.length !== 1 || !gate.authorities.has(host)) return refused('wrong_host', true);
  if (head.origins.length > 0 || head.fetchSites.some((site) => site !== 'none'))
    return refused('cross_site');
  if (request.minor !== 1) return refused('version_refused', true);
  const framing = framingOf(head);
  if (framing === undefined || head.repeated) return refused('bad_request', true);
  if (head.expects.some((what) => what.toLowerCase() !== '100-continue'))
    return refused('expectation_refused', true);
  if (head.upgrades.some((protocol) => protocol.toLowerCase() !== 'h2c'))
    return refused('upgrade_refused', true);
  if (!/^\/(?!\/)[\x21\x22\x24-\x5b\x5d-\x7e]*$/.test(target)) return refused('bad_target');
  const path = inside(target, head.keys, gate.key);
  if (path === undefined) return refused('key_needed');
  const { segment, rest } = firstSegment(path);
  const mounted = gate.mounts.get(segment);
  if (mounted === undefined) return refused('no_such_mount');
  const upstream = targetAt(mounted, rest);
  if (upstream === undefined) return refused('bad_target');
  const prefix = target.slice(0, target.length - rest.length);
  const forward = method === 'GET' ? plainly(head.forward) : head.forward;
  request.admitted = { ok: true, mounted, head: { ...head, forward }, framing, target: upstream, prefix };
  return ofOneServer(request.admitted, gate);
}

/** The same for a head that was admitted before, word for word, where nothing has changed since. */
export function admitAgain({ admitted }: IncomingHead, gate: Gate): Admitted | Refused | undefined {
  return admitted && ofOneServer(admitted, gate);
}

/** A session belongs to the server that it began at. */
function ofOneServer(admitted: Admitted, { sessions }: Gate): Admitted | Refused {
  const { head, mounted } = admitted;
  const isOther = head.sessions.length > 0 && sessions.isOfOther(head.sessions, mounted.mount.name);
  return isOther ? refused('session_of_other_server') : admitted;
}

export function refused(...why: Parameters<typeof refusal>): Refused {
  return { ok: false, ...refusal(...why) };
}

/** The part of the target behind the key; undefined without the right key. Never from the query. */
function inside(target: string, keys: readonly string[], key: LocalKey | undefined): string | undefined {
  if (key === undefined) return target;
  const [offered] = keys;
  if (offered !== undefined) return keys.length === 1 && key.isEqualTo(offered) ? target : undefined;
  const { segment, rest } = firstSegment(target);
  return key.isEqualTo(segment) ? rest : undefined;
}

function firstSegment(path: string): { readonly segment: string; readonly rest: string } {
  const end = path.slice(1).search(/[/?]/);
  return end === -1
    ? { segment: path.slice(1), rest: '' }
    : { segment: path.slice(1, end + 1), rest: path.slice(end + 1) };
}

function targetAt({ mount, targets, endpoints }: Mounted, rest: string): string | undefined {
  const known = endpoints.targetOf(rest) ?? targets.get(rest);
  if (known !== undefined) return known;
  const target = upstreamTarget(mount.server, rest);
  if (targets.size >= mostTargets) targets.clear();
  targets.set(rest, target);
  return target;
}

/** How the body is delimited (RFC 9112 section 6.3); undefined where two parsers might not agree. */
function framingOf({ lengths, codings }: RequestHead): Framing | undefined {
  const [length] = lengths;
  const [coding] = codings;
  if (coding !== undefined) {
    const isPlain = codings.length === 1 && coding.toLowerCase() === 'chunked' && length === undefined;
    return isPlain ? { kind: 'chunked' } : undefined;
  }
  if (length === undefined || (lengths.length === 1 && /^0{1,15}$/.test(length))) return { kind: 'none' };
  return lengths.length === 1 && /^[0-9]{1,15}$/.test(length)
    ? { kind: 'length', length: Number(length) }
    : undefined;
}

/** The key of one start of the proxy. */
export interface LocalKey {
  readonly secret: Secret;
  /** In the same time whatever is offered; only its length, which is no secret, may tell. */
  isEqualTo(offered: string): boolean;
}

/** Makes a key of 256 random bits: 43 characters of base64url, so that it can stand in a path as it is. */
export function newLocalKey(): LocalKey {
  const text = randomBytes(32).toString('base64url');
  const expected = Buffer.from(text, 'latin1');
  const given = Buffer.alloc(expected.length);
  return {
    secret: new Secret(text),
    isEqualTo: (offered) => {
      if (offered.length !== expected.length) return false;
      given.write(offered, 'latin1');
      return timingSafeEqual(given, expected);
    },
  };
}
