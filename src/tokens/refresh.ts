import { ignoreFailure, isFailure } from '../core/failure.js';
import type { HttpClient } from '../http/request.js';
import { providerRefusedTooOften } from '../oauth/company/failures.js';
import type { FailedToken } from '../oauth/token.js';
import { platformRefusedTooOften } from '../oauth/workload/assertion.js';
import { encodeCredential, type StoredCredential } from '../stores/credential-item.js';
import type { SharedTurn } from '../stores/ports.js';
import type { Lock } from '../stores/state/locks.js';
import { maxPlatformRefusals, platformRefusals } from './budget.js';
import { noKeyToRefresh, refreshLeft, tokenNotRefreshed, tokenUnusable } from './failures.js';
import { keepCredential, recover, refreshed, sealing, sealResponse, whyNotOurs } from './keep-refreshed.js';
import {
  cannotRefresh,
  isRefreshable,
  isRefused,
  markDead,
  readCredential,
  stillLives,
  type TokenPorts,
  usable,
  type ValidTokenRequest,
} from './read-credential.js';
import { forgetRegistration } from './registrations.js';
import { replacedTooOften } from './request-failures.js';
import { revokePending } from './revoke.js';
import { type Asked, refreshRefused, refusalToKeep, requestRefresh, tokenFailure } from './send-refresh.js';
import type { Refreshes } from './vouch.js';

/** How long a process waits for another one's refresh: not long while the token that it has still lives. */
const lockWaitMs = { tokenLives: 5_000, tokenEnded: 30_000 } as const;

/** How often one refresh may lose its turn to another machine of a fleet. */
const maxLostTurns = 4;

/** Tokens of one login that a server may refuse within a minute. */
const maxRefused = 3;

/** How long, and how often, a machine that only reads looks for another one's refresh. */
const [patienceMs, pauseMs] = [10_000, 400];

const nothingCame = {
  ok: false,
  problem: 'transient',
  status: 0,
  retryAfterMs: undefined,
  said: '',
  isPage: false,
} as const;

/**
 * Refreshes under the lock between processes: reads again, uses another process's fresh token if there is one, else
 * refreshes, seals the response, writes it, and only then hands it out. The loser of a race never deletes.
 * @param known What was stored a moment ago: it says how long to wait for the lock, and nothing else.
 * @throws Failure `login_expired`, `token_endpoint_failed`, `refresh_not_stored`, `busy`, or the store's and HTTP client's
 */
export async function refreshCredential(
  ports: TokenPorts,
  request: ValidTokenRequest,
  known: StoredCredential,
): Promise<StoredCredential> {
  const refresh = new Refresh(ports, request);
  let fresh: StoredCredential | undefined;
  for (let held = known, lost = 0; ; held = await readCredential(ports, request.login)) {
    try {
      fresh = await refresh.inTurn(held);
    } catch (error) {
      lost += 1;
      if (!isFailure(error, 'shared_overtaken') || lost === maxLostTurns) throw error;
    }
    if (fresh !== undefined) break;
  }
  await revokePending(ports, request.login.issuer, request.signal);
  return fresh;
}

class Refresh {
  readonly #ports: TokenPorts;
  readonly #request: ValidTokenRequest;

  constructor(ports: TokenPorts, request: ValidTokenRequest) {
    this.#ports = ports;
    this.#request = request;
  }

  /** Undefined: another process or machine has had the turn meanwhile, and what is stored has to be read again. */
  async inTurn(known: StoredCredential): Promise<StoredCredential | undefined> {
    if (known.refreshedElsewhere !== undefined) return await this.#awaitRefreshed(known);
    const { login, signal } = this.#request;
    const endedMs = this.#lives(known) ? lockWaitMs.tokenLives : lockWaitMs.tokenEnded;
    // Where a response only has to be moved to the store, another process may be doing that.
    const waitMs = this.#isUsable(known) ? 0 : endedMs;
    let lock: Lock;
    try {
      lock = await this.#ports.locks.acquire(login.key, { waitMs, signal });
    } catch (error) {
      // A full or read-only disk gives no lock, and without one nothing is refreshed.
      if (!isFailure(error, 'state_unwritable', 'busy')) throw error;
      const held = await this.#read();
      if (this.#lives(held)) return held;
      throw error;
    }
    await using turn = lock;
    const stored = await this.#read();
    // A shared store that stalls gives the half that was read before, which opens no sealed response either.
    if (stored.refreshedElsewhere !== undefined) return undefined;
    const recovered = await recover(this.#ports, login, stored);
    if (recovered !== undefined) await keepCredential(this.#ports, this.#request, recovered, true);
    const held = recovered ?? stored;
    return this.#isUsable(held) || !(await this.#mayRefresh(held)) ? held : await this.#refresh(held, turn);
  }

  /**
   * False: the token at hand has to do.
   * @throws Failure `login_expired`, `assertion_refused`, `provider_refused`
   */
  async #mayRefresh(held: StoredCredential): Promise<boolean> {
    const { login } = this.#request;
    if (!isRefreshable(held)) throw cannotRefresh(held, this.#request, this.#ports.clock.now());
    const { logins, providers = [] } = await this.#ports.index.read();
    const dead = [...logins, ...providers].find((one) => one.key === login.key && one.dead === true);
    if (dead !== undefined || held.ended === true) throw refreshRefused(login, dead?.refusal);
    if (isByOthersWord(held) && !(await this.#ports.attempts.allows(platformRefusals(login), maxPlatformRefusals))) {
      if (this.#lives(held)) return false;
      const tooOften = held.provider === undefined ? platformRefusedTooOften : providerRefusedTooOften;
      throw tooOften(login, maxPlatformRefusals);
    }
    // A process out of sight may have sent this refresh token. Sent twice, it could cost both the login.
    const other = held.refreshToken && (await this.#ports.recovery.begunElsewhere(login.key, held.refreshToken));
    if (other !== undefined && !this.#lives(held)) throw refreshLeft(login, other);
    return other === undefined;
  }

  async #refresh(held: StoredCredential, turn: Lock): Promise<StoredCredential | undefined> {
    const { login } = this.#request;
    const begun = await this.#begin(held);
    if (begun === 'not now') return held;
    await using shared = begun.shared;
    await using room = begun.room;
    await this.#countRefused(held);
    // Paused for so long that another machine took the lock: the stored credential may be a newer one.
    if (!turn.isHeld()) return undefined;
    this.#ports.progress.begin('Refreshing the token');
    let sealed = false;
    const http = sealing(this.#ports.http, {
      seal: async (body) => {
        shared?.responded();
        sealed = await sealResponse(room, held, { body, now: this.#ports.clock.now() });
      },
      beforeBody: shared !== undefined && held.grant === undefined ? () => shared.sending() : undefined,
    });
    const { result, explain, proof } = await this.#ask(held, http);
    const problem = result.ok ? whyNotOurs(held, result.token) : 'there is none';
    const isSilent = !result.ok && result.problem === 'transient' && result.status === 0;
    if (problem !== undefined && !isSilent) shared?.hadNone();
    if (sealed && problem !== undefined) await this.#ports.recovery.forget(login.key).catch(ignoreFailure);
    if (!result.ok) return await this.#afterFailure(held, result, explain);
    if (problem !== undefined) throw tokenUnusable(held.binding.issuer, problem);
    // A sealed response follows on the stored credential or on none: the next process with the lock finds out.
    if (sealed && !turn.isHeld()) return undefined;
    const fresh = refreshed(proof, result.token);
    await keepCredential(this.#ports, this.#request, fresh, sealed);
    return fresh;
  }

  /**
   * Begins alone among all machines where they share the store, and with room for what the authorization server is about
   * to give: the refresh token is spent by then. Without both nothing is asked, and the token at hand is used while it lives.
   * @throws Failure `state_unwritable`, `busy`, `login_expired`, `shared_overtaken`, or the store's
   */
  async #begin(held: StoredCredential) {
    const { store, recovery } = this.#ports;
    const { login, signal } = this.#request;
    const lives = this.#lives(held);
    let shared: SharedTurn | undefined;
    try {
      const waitMs = lives ? lockWaitMs.tokenLives : lockWaitMs.tokenEnded;
      const turn = await store.refreshTurn?.(login.key, { waitMs, lives, signal });
      if (turn !== undefined && 'since' in turn) throw refreshLeft(login, turn);
      shared = turn;
      const bytes = encodeCredential(held).reveal().length;
      const spent = held.grant === undefined ? held.refreshToken : undefined;
      return { shared, room: await recovery.begin(login.key, { bytes, spent }) };
    } catch (error) {
      await shared?.[Symbol.asyncDispose]();
      if (isFailure(error) && error.code !== 'shared_overtaken' && lives) return 'not now';
      throw error;
    }
  }

  /**
   * A token that lives, and is refused or not wanted, is replaced so often within a minute, over all processes.
   * @throws Failure `token_refused`, `refreshed_too_often`
   */
  async #countRefused(held: StoredCredential): Promise<void> {
    const { login, isAskedAnew } = this.#request;
    if (!isRefused(held, this.#request)) return;
    const what = isAskedAnew ? 'asked_anew' : 'refused';
    if (!(await this.#ports.attempts.take(`${what} token ${login.key}`, maxRefused, 60_000)))
      throw replacedTooOften(login, maxRefused, isAskedAnew);
  }

  async #ask(held: StoredCredential, http: HttpClient): Promise<Asked> {
    const { login, signal } = this.#request;
    const step = { name: 'refresh', asked: `POST ${held.tokenEndpoint}` } as const;
    const refresh: Refreshes = async (one, rejected) =>
      await refreshCredential(this.#ports, { login: one, rejected, signal }, await readCredential(this.#ports, one));
    try {
      const request = { held, scopes: held.scopes, login, refresh, signal };
      const asked = await requestRefresh({ ...this.#ports, http }, request);
      const { result } = asked;
      const issued = result.ok && result.token.isBound ? 'a token bound to our key (DPoP)' : 'a Bearer token';
      const came = result.ok ? issued : result.problem;
      this.#ports.journal.record({ ...step, came, rule: 'R-2.5a', verdict: result.ok ? 'pass' : 'failure' });
      return asked;
    } catch (error) {
      if (!isFailure(error) || !this.#lives(held)) throw error;
      this.#ports.journal.record({ ...step, came: error.message, rule: 'R-5.8a', verdict: 'warning' });
      return { result: nothingCame, explain: (failure) => failure, proof: held };
    }
  }

  async #afterFailure(
    held: StoredCredential,
    failed: FailedToken,
    explain: Asked['explain'],
  ): Promise<StoredCredential | undefined> {
    const { login } = this.#request;
    const failure = explain(tokenFailure(failed, held.binding.issuer));
    if (failed.problem !== 'refused') {
      if (this.#lives(held)) return held;
      throw failure;
    }
    // A process that does not keep to the lock (another machine's home) may have refreshed in the meantime.
    const now = await this.#read();
    if (now.refreshedElsewhere !== undefined) return undefined;
    const proof = ({ refreshToken, accessToken }: StoredCredential) => (refreshToken ?? accessToken).reveal();
    if (proof(now) !== proof(held)) return now;
    if (isByOthersWord(held)) {
      // The platform or the provider may say something else the next time, and the login needs nobody to be made again.
      await this.#ports.attempts.take(platformRefusals(login), maxPlatformRefusals);
      if (this.#lives(held)) return held;
      throw failure;
    }
    const refusal = refusalToKeep(failed, held);
    await markDead(this.#ports, login, held, refusal);
    // The next login registers again instead of sending the person to a page that says "unknown client".
    const isUnknown = failed.error === 'invalid_client' || failed.error === 'unauthorized_client';
    if (isUnknown && login.registration === 'dynamic') await forgetRegistration(this.#ports, held.binding);
    throw refreshRefused(login, refusal, failure);
  }

  /**
   * A machine that has nothing to refresh with uses the token while that lives, and waits a little for another machine's.
   * @throws Failure `token_not_refreshed`, `store_key_missing`, or the store's
   */
  async #awaitRefreshed(known: StoredCredential): Promise<StoredCredential> {
    const { clock, progress } = this.#ports;
    const { login, signal } = this.#request;
    const since = clock.monotonic();
    for (let held = known; ; held = await this.#read()) {
      if (this.#lives(held)) return held;
      if (held.refreshedElsewhere === 'no-key') throw noKeyToRefresh(login);
      const waited = clock.monotonic() - since;
      if (waited >= patienceMs) throw tokenNotRefreshed(login, waited, isRefused(held, this.#request));
      progress.begin('Waiting for another machine to refresh the token');
      await clock.sleep(pauseMs * (1 + Math.random()), signal);
    }
  }

  #read(): Promise<StoredCredential> {
    return readCredential(this.#ports, this.#request.login);
  }

  #isUsable(held: StoredCredential): boolean {
    return usable(held, this.#request, this.#ports.clock.now());
  }

  #lives(held: StoredCredential): boolean {
    return stillLives(held, this.#request, this.#ports.clock.now());
  }
}

/** Is the login refreshed by what a platform or a company's provider says? */
function isByOthersWord({ assertion, provider }: StoredCredential): boolean {
  return assertion !== undefined || provider !== undefined;
}
