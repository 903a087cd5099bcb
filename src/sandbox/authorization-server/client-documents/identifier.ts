import { gateUrl } from '../../../core/url.js';

const longestIdentifier = 2048;

export type Identifier = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly problem: string };

/**
 * Whether a client identifier is the address of a document that may be asked for, validated before anything is
 * looked up: https, a path, no user name, no fragment, no dot segments, and spelled in its one plain form,
 * since identifiers are compared as strings (client ID metadata document draft, section 3).
 */
export function readIdentifier(clientId: string): Identifier {
  const gated = gateUrl(clientId, longestIdentifier);
  if (!gated.ok) return refuse(gated.problem);
  const { url } = gated;
  if (url.protocol !== 'https:') return refuse('its scheme is not https');
  if (clientId.includes('#')) return refuse('it has a fragment');
  if (url.port !== '' && Number(url.port) < 1024)
    return refuse('its port belongs to another service: it may be 443, or 1024 and above');
  if (url.pathname === '/') return refuse('it has no path');
  if (url.href !== clientId) return refuse('its host is not in lower case, or it names the port 443');
  return { ok: true, url };
}

/** Whether the domain is one that the sandbox was told to trust; with no list, every one is. */
export function isTrusted(url: URL, trust: readonly string[] | undefined): boolean {
  return trust === undefined || trust.some((entry) => matches(url, entry));
}

function matches(url: URL, entry: string): boolean {
  const wanted = entry.replace(/:443$/, '');
  if (!wanted.startsWith('*.')) return url.host === wanted;
  return url.host.endsWith(wanted.slice(1)) && url.host.length > wanted.length - 1;
}

function refuse(problem: string): Identifier {
  return { ok: false, problem };
}
