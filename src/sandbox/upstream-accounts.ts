import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { timeLimit } from '../core/time.js';
import { forgetOldest, hashOf, OneTime, randomSecret } from './one-time.js';
import { cookiesOf, strictCookie } from './wire/request.js';

/** What a person has just allowed on our own consent page: this client, for this login, and nothing else. */
export interface UpstreamConsent {
  /** The login (interaction) that goes on afterwards. */
  readonly uid: string;
  readonly subject: string;
  readonly clientId: string;
  /** The scopes that were ticked. */
  readonly scopes: readonly string[];
}

/** Where a browser is sent, and the cookie that it must bring back. */
export interface Departure {
  readonly location: string;
  readonly cookie: string;
}

interface Underway extends UpstreamConsent {
  readonly verifier: string;
  /** Hash of the cookie of the browser in which it was allowed. */
  readonly browser: string;
}

/** How a visit to the upstream ended. */
export interface Visit {
  readonly consent: UpstreamConsent;
  readonly connected: boolean;
}

const minutes = 60_000;

const maxTokens = 1000;

/**
 * The sandbox as a client of the upstream, which knows it under one static client identifier. So the upstream
 * cannot tell the sandbox's clients apart, and the sandbox must: every departure begins with a consent on its own
 * page to one client, and the token that comes back serves that person through that client alone (MCP
 * authorization 5.8, confused deputy).
 */
export class UpstreamAccounts {
  readonly #origin: string;
  readonly #client: StaticClient;
  readonly #underway: OneTime<Underway>;
  readonly #ended = new Map<string, Visit>();
  readonly #tokens = new Map<string, string>();

  /** @param origin of the upstream */
  constructor(origin: string, client: StaticClient, now: () => number) {
    this.#origin = origin;
    this.#client = client;
    this.#underway = new OneTime<Underway>(10 * minutes, now);
  }

  /** Origin of the upstream. */
  get origin(): string {
    return this.#origin;
  }

  /** Only after the person's consent: makes the state, and the cookie that binds it to this browser. */
  depart(consent: UpstreamConsent): Departure {
    const browser = randomSecret();
    const verifier = randomSecret();
    const state = this.#underway.put({ ...consent, verifier, browser: hashOf(browser) });
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.#client.id,
      redirect_uri: this.#client.redirectUri,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    return {
      location: `${this.#origin}/authorize?${query}`,
      cookie: strictCookie(this.#cookieName(state), browser, 600),
    };
  }

  /**
   * Judges what the upstream sent a browser back with: a state of ours, unused, and from this very browser; only
   * then is the code looked at. The consent that it belongs to, or undefined for a response that is not ours.
   *
   * @param bound false is for a fault: any browser may bring the response
   */
  async arrive(request: IncomingMessage, query: URLSearchParams, bound: boolean): Promise<UpstreamConsent | undefined> {
    const underway = this.#underway.take(query.get('state') ?? '');
    const browser = cookiesOf(request).get(this.#cookieName(query.get('state') ?? '')) ?? '';
    if (underway === undefined || query.get('iss') !== this.#origin) return undefined;
    if (bound && underway.browser !== hashOf(browser)) return undefined;
    const token = await this.#redeem(query.get('code'), underway.verifier);
    if (token !== undefined) keep(this.#tokens, ownerOf(underway), token);
    keep(this.#ended, underway.uid, { consent: underway, connected: token !== undefined });
    return underway;
  }

  /** Takes back the cookie of a departure, whatever came of it. */
  forget(state: string): string {
    return strictCookie(this.#cookieName(state), '', 0);
  }

  /** How the visit of this login ended; told once. Undefined: there was none, or it is not over. */
  takeVisit(uid: string): Visit | undefined {
    const visit = this.#ended.get(uid);
    this.#ended.delete(uid);
    return visit;
  }

  /** Whether any client at all was ever allowed to use the upstream for this person. */
  knows(subject: string): boolean {
    return [...this.#tokens.keys()].some((owner) => JSON.parse(owner)[0] === subject);
  }

  /**
   * The person's profile at the upstream, asked for with the token that was got for this person and this client.
   * Undefined when there is none, or the upstream refuses it.
   */
  async profile(subject: string, clientId: string): Promise<string | undefined> {
    const token = this.#tokens.get(ownerOf({ subject, clientId }));
    if (token === undefined) return undefined;
    const response = await askUpstream(`${this.#origin}/profile`, { authorization: `Bearer ${token}` });
    return response['name'];
  }

  /** One for each departure: a browser may be on several ways at once. */
  #cookieName(state: string): string {
    return `postern_sandbox_${new URL(this.#client.redirectUri).port}_upstream_${hashOf(state).slice(0, 8)}`;
  }

  async #redeem(code: string | null, verifier: string): Promise<string | undefined> {
    if (code === null) return undefined;
    const { id, secret, redirectUri } = this.#client;
    const reply = await askUpstream(
      `${this.#origin}/token`,
      { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
    );
    return reply['access_token'];
  }
}

/** Two clients of one person are two owners. */
function ownerOf({ subject, clientId }: { readonly subject: string; readonly clientId: string }): string {
  return JSON.stringify([subject, clientId]);
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  forgetOldest(map, maxTokens);
}

/**
 * One request to the upstream, which is on this computer: a GET, or a POST of `form`. The JSON object of its response;
 * empty for an error.
 *
 * @throws TypeError when it cannot be reached
 */
async function askUpstream(
  url: string,
  headers: Readonly<Record<string, string>>,
  form?: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const body = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
  const response = await fetch(url, { headers, ...body, signal: timeLimit(5000) });
  return response.ok ? ((await response.json()) as Readonly<Record<string, string>>) : {};
}

/** The sandbox as the upstream knows it: one client identifier, whoever of the sandbox's own clients it acts for. */
export interface StaticClient {
  readonly id: string;
  readonly secret: string;
  /** The one redirect URI that it has; compared as a string. */
  readonly redirectUri: string;
}

/** @param issuer of the sandbox, at which the responses of the upstream arrive */
export function makeStaticClient(issuer: string): StaticClient {
  return { id: 'postern-sandbox', secret: randomSecret(), redirectUri: `${issuer}/upstream/callback` };
}
