import { lookup } from 'node:dns/promises';
import { setTimeout as wait } from 'node:timers/promises';
import * as errors from 'oidc-provider/lib/helpers/errors.js';
import { timeLimit } from '../../../core/time.js';
import { gateUrl } from '../../../core/url.js';
import { Allowance } from '../../allowance.js';
import type { ClientDocumentRules } from '../../client-document-rules.js';
import { DocumentShelf, type FreshDocument, freshSeconds } from './document-cache.js';
import { getDocument, type Resolve, reachableAddresses, type ServedDocument } from './get-document.js';
import { validateDocument } from './validate-document.js';

/** What the fetching needs of the world around it. */
export interface DocumentSurroundings {
  readonly rules: ClientDocumentRules;
  readonly resolve: Resolve;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Ends every fetch that is under way. */
  readonly closing: AbortSignal;
  /** A connection is about to be made. */
  readonly onFetch: () => void;
}

/** Milliseconds that a fetch may take, name look-up and all; and the minimum time until a failure is reported. */
const longestFetch = 5000;

const soonestFailure = 200;

/**
 * Connections to one address in a minute, whatever names lead there and whatever comes back: strangers choose
 * what is fetched, and must not be able to make this server hammer somebody.
 */
const maxVisits = 60;

/** What every failure to fetch looks like: it tells nothing of what was found at the address. */
const unreadable =
  'the metadata document of this client could not be read: it must be a JSON object, served over https as ' +
  'application/json with status 200, in at most 5 KiB and 5 seconds, with a certificate that this server trusts, ' +
  'from a public address or a place that it was told to allow';

/**
 * The client ID metadata documents that this authorization server knows, fetched as strangers' addresses must
 * be: checked before, while and after (MCP authorization 4.4 and 5.8, the draft's section 6).
 */
export class ClientDocuments {
  readonly #about: DocumentSurroundings;
  readonly #shelf: DocumentShelf;
  readonly #visits: Allowance;

  constructor(about: DocumentSurroundings) {
    this.#about = about;
    this.#shelf = new DocumentShelf(about.now);
    this.#visits = new Allowance(maxVisits, 60_000, about.now);
  }

  /**
   * The document of a client, from the cache or fetched now, as JSON text.
   * @param keyId The key that the client has just signed with: a kept document that does not know it may be
   *   older than the key, and is fetched again. Undefined: any will do.
   * @throws errors.InvalidClient in words for whoever hosts the document, without any of it
   */
  async load(clientId: string, keyId?: string): Promise<string> {
    const identifier = readIdentifier(clientId);
    if (!identifier.ok) throw refusal(`this client_id cannot be the address of a document: ${identifier.problem}`);
    if (!isTrusted(identifier.url, this.#about.rules.trust)) {
      throw refusal(`this server lets only clients of domains on its list log in, and ${identifier.url.host} is not`);
    }
    const suits = (kept: string): boolean => keyId === undefined || knowsKey(kept, keyId);
    const text = await this.#shelf.get(clientId, suits, () => this.#fetch(clientId, identifier.url));
    if (text === undefined) throw refusal('this server is fetching too many documents at the moment');
    return text;
  }

  async #fetch(clientId: string, url: URL): Promise<FreshDocument> {
    const floor = wait(soonestFailure, undefined, { ref: false });
    const served = await this.#serve(url).catch(() => undefined);
    const validated = served === undefined ? undefined : validateDocument(served.bytes, clientId);
    if (served === undefined || validated === undefined || (!validated.ok && validated.problem === undefined)) {
      await floor;
      throw refusal(unreadable);
    }
    if (!validated.ok) throw refusal(`the client's metadata document ${validated.problem}`);
    // Without a method it is a public client: the default of RFC 7591 would need a secret, and none is allowed here.
    const text = JSON.stringify({ token_endpoint_auth_method: 'none', ...validated.document });
    return { text, seconds: freshSeconds(served.headers, this.#about.now()) };
  }

  async #serve(url: URL): Promise<ServedDocument> {
    const { rules, resolve, closing, onFetch } = this.#about;
    const signal = AbortSignal.any([closing, timeLimit(longestFetch)]);
    const addresses = await reachableAddresses(url, rules.allow ?? [], resolve, signal);
    for (const { address } of addresses) if (this.#visits.isSpent(address)) throw new Error('asked too often');
    for (const { address } of addresses) this.#visits.take(address);
    onFetch();
    return getDocument(url, addresses, rules.ca, signal);
  }
}

/** The system's resolver. */
export const resolveName: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true });

function knowsKey(text: string, keyId: string): boolean {
  const { jwks } = JSON.parse(text) as { readonly jwks?: { readonly keys: readonly { readonly kid?: unknown }[] } };
  return jwks?.keys.some(({ kid }) => kid === keyId) ?? false;
}

function refusal(description: string): Error {
  return new errors.InvalidClient(description);
}

const longestIdentifier = 2048;

type Identifier = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly problem: string };

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
