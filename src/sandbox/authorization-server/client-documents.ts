import { setTimeout as wait } from 'node:timers/promises';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import * as errors from 'oidc-provider/lib/helpers/errors.js';
import { asObject, parseJson } from '../../core/text/json.js';
import { gateUrl } from '../../core/url.js';
import { createHttpClient } from '../../http/client.js';
import type { HttpResponse } from '../../http/request.js';
import { Allowance } from '../allowance.js';
import { forgetOldest } from '../one-time.js';
import type { ClientDocumentRules } from '../options.js';
import { clientOfDocument } from './client-rules.js';

/** The two places at which oidc-provider lets others decide about documents. */
export interface DocumentHooks {
  readonly allowFetch: (context: KoaContextWithOIDC | undefined, clientId: string) => Promise<boolean>;
  readonly fetch: NonNullable<Configuration['fetch']>;
}

/** Bytes of a document (client ID metadata document draft, section 6.6). */
const largestDocument = 5 * 1024;

/** Milliseconds that a fetch may take, name look-up and all; and the minimum time until a failure is reported. */
const longestFetch = 5000;

const soonestFailure = 200;

/** Fetches in a minute: strangers choose what is fetched, and must not be able to make this server hammer an address. */
const maxFetches = 60;

const maxWaiting = 100;

/** What every failure to fetch looks like: it tells nothing of what was found at the address. */
const unreadable =
  'the metadata document of this client could not be read: it must be a JSON object, served over https as ' +
  'application/json with status 200, in at most 5 KiB and 5 seconds, with a certificate that this server trusts, ' +
  'from a public address or a place that it was told to allow';

/**
 * Client ID metadata documents, fetched as strangers' addresses must be (MCP authorization 4.4 and 5.8, the draft's
 * section 6). oidc-provider asks whether it may fetch a document, and then fetches. Here the first question is answered
 * with the document at hand, or with an error that says what is wrong with it, and the second hands it over: nothing is
 * fetched that did not pass the first, neither keys nor anything else that a client names.
 */
export function documentHooks(rules: ClientDocumentRules, closing: AbortSignal): DocumentHooks {
  const fetches = new Allowance(maxFetches, 60_000, Date.now);
  const ready = new Map<string, { readonly text: string; readonly cache: string }>();
  // To say no, oidc-provider asks once more: the same request is not worth another fetch.
  const refused = new WeakMap<object, unknown>();
  const load = async (clientId: string) => {
    const url = addressIn(clientId);
    if (rules.trust?.some((entry) => matches(url, entry)) === false) {
      throw refusal(`this server lets only clients of domains on its list log in, and ${url.host} is not`);
    }
    if (fetches.isSpent('all')) throw refusal('this server has fetched too many documents in the last minute');
    fetches.take('all');
    ready.set(clientId, await fetchDocument(url, rules, closing));
    forgetOldest(ready, maxWaiting);
  };
  return {
    allowFetch: async (context, clientId) => {
      // Our own pages ask outside of a request to oidc-provider.
      if (context !== undefined && refused.has(context)) throw refused.get(context);
      await load(clientId).catch((error: unknown) => {
        if (context !== undefined) refused.set(context, error);
        throw error;
      });
      return true;
    },
    fetch: async (url) => {
      const document = ready.get(url instanceof Request ? url.url : String(url));
      if (document === undefined) throw new Error('nothing else is fetched');
      return new Response(document.text, { headers: { 'cache-control': document.cache } });
    },
  };
}

async function fetchDocument(url: URL, rules: ClientDocumentRules, signal: AbortSignal) {
  const floor = wait(soonestFailure, undefined, { ref: false });
  const served = await serve(url, rules, signal).catch(() => undefined);
  if (served === undefined) {
    await floor;
    throw refusal(unreadable);
  }
  const client = clientOfDocument(served.document);
  if (typeof client === 'string') throw refusal(`the client's metadata document ${client}`);
  return { text: JSON.stringify(client), cache: served.cache };
}

/** @throws Error for whatever else comes than a JSON document with status 200 */
async function serve(url: URL, { allow, caFile }: ClientDocumentRules, signal: AbortSignal) {
  // A client for each: no connection is kept, and no name is taken for what it was before.
  await using http = createHttpClient({
    ...{ userAgent: 'postern-sandbox', env: {} },
    ...(caFile !== undefined && { caFile }),
  });
  await using response = await http.send({
    method: 'GET',
    url: url.href,
    headers: [['accept', 'application/json']],
    namedBy: allow?.includes(`${url.hostname}:${url.port || 443}`) ? 'loopback' : 'public',
    redirects: 'refuse',
    limits: { totalMs: longestFetch, headersMs: longestFetch, maxBytes: largestDocument },
    signal,
  });
  if (response.status !== 200 || !isJson(response)) throw new Error('not a JSON document');
  const parsed = parseJson(await response.bytes(), { maxDepth: 8, maxKeys: 200 });
  const document = parsed.ok ? asObject(parsed.value) : undefined;
  if (document === undefined) throw new Error('not a JSON object');
  return { document, cache: cacheControl(response) };
}

const valuesOf = ({ headers }: HttpResponse, name: string): readonly string[] =>
  headers.filter(([one]) => one === name).map(([, value]) => value);

/** One media type, `application/json` or of its kind, with any parameters. */
function isJson(response: HttpResponse): boolean {
  const [type = '', ...more] = valuesOf(response, 'content-type');
  return more.length === 0 && /^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;|$)/i.test(type);
}

/** How oidc-provider is to keep it: as its host says, and where that says nothing for five seconds, as one login asks several times. */
function cacheControl(response: HttpResponse): string {
  const said = valuesOf(response, 'cache-control').join();
  if (/no-store|no-cache|private/i.test(said)) return 'max-age=0';
  return said === '' ? 'max-age=5' : said;
}

function refusal(description: string): Error {
  return new errors.InvalidClient(description);
}

/**
 * The address that a client identifier is, validated before anything is looked up: https, a path, no user name, no
 * fragment, no dot segments, and spelled in its one plain form, since identifiers are compared as strings (client ID
 * metadata document draft, section 3).
 */
function addressIn(clientId: string): URL {
  const gated = gateUrl(clientId, 2048);
  const problem = gated.ok ? problemOf(gated.url, clientId) : gated.problem;
  if (!gated.ok || problem !== undefined) {
    throw refusal(`this client_id cannot be the address of a document: ${problem}`);
  }
  return gated.url;
}

function problemOf(url: URL, clientId: string): string | undefined {
  if (url.protocol !== 'https:') return 'its scheme is not https';
  if (clientId.includes('#')) return 'it has a fragment';
  if (url.port !== '' && Number(url.port) < 1024)
    return 'its port belongs to another service: it may be 443, or 1024 and above';
  if (url.pathname === '/') return 'it has no path';
  return url.href === clientId ? undefined : 'its host is not in lower case, or it names the port 443';
}

function matches(url: URL, entry: string): boolean {
  const wanted = entry.replace(/:443$/, '');
  if (!wanted.startsWith('*.')) return url.host === wanted;
  return url.host.endsWith(wanted.slice(1)) && url.host.length > wanted.length - 1;
}
