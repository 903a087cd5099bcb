import { type Failure, ignoreFailure, isFailure } from '../core/failure.js';
import { isSharedKind, type LoginRecord } from '../core/records.js';
import type { HttpClient } from '../http/request.js';
import type { FailedToken, TokenResult } from '../oauth/token.js';
import { encodeCredential, type StoredCredential } from '../stores/credential-item.js';
import type { Lock } from '../stores/ports.js';
import { currentProofs } from './client-keys.js';
import type { Refreshes } from './company/vouch.js';
import { refreshLeftElsewhere, replacedTooOften, tokenUnusable } from './failures.js';
import {
  handingOver,
  keepCredential,
  recover,
  refreshed,
  type Sealed,
  sealResponse,
  whyNotOurs,
} from './keep-refreshed.js';
import { readCredential, withLogin } from './read-credential.js';
import { forgetRegistration } from './registrations.js';
import { revokePending } from './revocation/revoke.js';
import { refreshRefused, refusalToKeep, requestRefresh, tokenFailure } from './send-refresh.js';
import { awaitRefreshed } from './shared/await-refreshed.js';
import { type Begun, begunIn } from './shared/begun.js';
import { refreshLeftByMachine } from './shared/failures.js';
import {
  cannotRefresh,
  isRefreshable,
  isRefused,
  stillLives,
  type TokenPorts,
  usable,
  type ValidTokenRequest,
} from './token-request.js';
import { isByOthersWord, maxPlatformRefusals, mayAskByPlatform, platformRefusals } from './workload/own-grant.js';

/** How long a process waits for another one's refresh: not long while the token that it has still lives. */
const lockWaitMs = { tokenLives: 5_000, tokenEnded: 30_000 } as const;

/** Turns among the machines of a fleet that one refresh may lose. */
const maxLostTurns = 4;

/** Tokens of one login that a server may refuse within a minute. */
const maxRefused = 3;

/**
 * Refreshes under the lock between processes: reads again, uses another process's fresh token if there is one, else
 * refreshes, seals the response, writes it, and only then hands out. The loser of a race never deletes.
 * @param known What was stored a moment ago: it says how long to wait for the lock, and nothing else.
 * @throws Failure `login_expired`, `token_endpoint_failed`, `refresh_not_stored`, `busy`, or the store's and HTTP client's
 */
export async function refreshCredential(
  ports: TokenPorts,
  request: ValidTokenRequest,
  known: StoredCredential,
): Promise<StoredCredential> {
  const fresh = await new Refresh(ports, request).run(known);
  await revokePending(ports, request.login.issuer, request.signal);
  return fresh;
}

class Refresh {
  readonly #ports: TokenPorts;
  readonly #request: ValidTokenRequest;
  /** Makes a refusal say more. */
  #explain: (failure: Failure) => Failure = (failure) => failure;
  readonly #awaitRefreshed = (held: StoredCredential) => awaitRefreshed(this.#ports, this.#request, held);

  constructor(ports: TokenPorts, request: ValidTokenRequest) {
    this.#ports = ports;
    this.#request = request;
  }

  async run(known: StoredCredential): Promise<StoredCredential> {
    if (known.refreshedElsewhere !== undefined) return await this.#awaitRefreshed(known);
    let lost = 0;
    for (let held = known; ; held = await this.#read()) {
      try {
        const result = await this.#once(held);
        if (result !== 'again') return result;
      } catch (error) {
        // A turn that ended before anything was sent, as this process was paused: it begins anew.
        lost += 1;
        if (!isFailure(error, 'shared_overtaken') || lost === maxLostTurns) throw error;
      }
    }
  }

  /** `again`: another process or machine has had the lock meanwhile, and what is stored is to be read anew. */
  async #once(known: StoredCredential): Promise<StoredCredential | 'again'> {
    const [ports, request] = [this.#ports, this.#request];
    const { login } = request;
    const lock = await this.#takeTurn(known);
    if (!('turn' in lock)) return lock;
    await using turn = lock.turn;
    const stored = await this.#read();
    // A shared store that stalls gives the half that was read before: there is nothing in it to refresh, or to open what is sealed.
    if (stored.refreshedElsewhere !== undefined) return await this.#awaitRefreshed(stored);
    const recovered = await recover(ports, login, stored);
    const held = recovered ?? stored;
    if (recovered !== undefined && !(await this.#keep(recovered, Promise.resolve(true)))) return 'again';
    if (this.#isUsable(held)) return held;
    if (!isRefreshable(held)) throw cannotRefresh(held, request, ports.clock.now());
    const { logins, providers = [] } = await ports.index.read();
    const dead = [...logins, ...providers].find((one) => one.key === login.key && one.dead === true);
    if (dead !== undefined || held.ended === true) throw refreshRefused(login, dead?.refusal);
    if (!(await mayAskByPlatform(ports, login, held, this.#lives(held)))) return held;
    if (await this.#isSpentElsewhere(held)) return held;
    const ours = await this.#begin(held);
    if (ours === 'again' || 'accessToken' in ours) return ours === 'again' ? ours : held;
    await using refresh = ours;
    await this.#countRefused(held);
    // Paused for so long that another machine took the lock: what is stored may be another one now.
    if (!turn.isHeld()) return 'again';
    ports.progress.begin('Refreshing the token');
    let sealed = undefined as Sealed | undefined;
    const take = async (body: Uint8Array) => {
      refresh.shared?.responded();
      sealed = sealResponse(refresh, held, { body, now: ports.clock.now() });
    };
    const spends = refresh.shared !== undefined && held.grant === undefined;
    const sending = spends ? async () => await refresh.shared?.sending() : undefined;
    const { result, proof } = await this.#attempt(held, handingOver(ports.http, take, sending));
    const problem = result.ok ? whyNotOurs(held, result.token) : 'there is none';
    const isSilent = !result.ok && result.problem === 'transient' && result.status === 0;
    if (problem !== undefined && !isSilent) refresh.shared?.hadNone();
    if (sealed && problem !== undefined) await ports.recovery.forget(login.key).catch(ignoreFailure);
    if (!result.ok) return await this.#afterFailure(held, result);
    if (problem !== undefined) throw tokenUnusable(held.binding.issuer, problem);
    const fresh = refreshed(proof, result.token);
    // Sealed, it follows on the stored credential or on none: the next one with the lock finds out.
    if (!turn.isHeld() && (await sealed)) return 'again';
    return (await this.#keep(fresh, sealed)) ? fresh : 'again';
  }

  /** False where another machine has written this login meanwhile: that one counts. */
  async #keep(fresh: StoredCredential, sealed: Sealed | undefined): Promise<boolean> {
    try {
      await keepCredential(this.#ports, this.#request, fresh, sealed);
      return true;
    } catch (error) {
      if (isFailure(error, 'shared_overtaken')) return false;
      throw error;
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

  /** The lock; or the stored credential where it lives on and the lock is another's, a paused one's perhaps, or cannot be had. */
  async #takeTurn(known: StoredCredential): Promise<{ readonly turn: Lock } | StoredCredential> {
    const { login, signal } = this.#request;
    const { tokenLives, tokenEnded } = lockWaitMs;
    let held = known;
    for (let waited = 0; ; waited += tokenLives) {
      // Nothing has to be waited for where a response is only to be moved, which another process may be doing.
      const waitMs = this.#isUsable(held) ? 0 : tokenLives;
      try {
        return { turn: await this.#ports.locks.acquire(login.key, { waitMs, signal }) };
      } catch (error) {
        // On a full or read-only disk there is no lock to be had, and no refresh without it.
        if (!isFailure(error, 'state_unwritable', 'busy')) throw error;
        // Of many that wait, those behind need not wait for those before once there is a new token.
        held = await this.#read();
        if (this.#lives(held)) return held;
        if (error.code === 'state_unwritable' || waited + waitMs >= tokenEnded) throw error;
      }
    }
  }

  /**
   * Has a process out of sight sent this refresh token, and not come back? Used a second time, it could cost both the login.
   * @throws Failure `login_expired` where the token at hand has ended
   */
  async #isSpentElsewhere(held: StoredCredential): Promise<boolean> {
    const { login } = this.#request;
    const other = held.refreshToken && (await this.#ports.recovery.begunElsewhere(login.key, held.refreshToken));
    if (other !== undefined && !this.#lives(held)) throw refreshLeftElsewhere(login, other.since);
    return other !== undefined;
  }

  /**
   * Begins alone among all machines where they share the store, and with room for what the authorization server is about
   * to give: the refresh token is spent by then. Without both nothing is asked, and the token at hand is used while it lives.
   * @throws Failure `state_unwritable`, `busy`, `login_expired`, or the store's
   */
  async #begin(held: StoredCredential): Promise<Begun | StoredCredential | 'again'> {
    const { store, recovery } = this.#ports;
    const { login, signal } = this.#request;
    const lives = this.#lives(held);
    const bytes = encodeCredential(held).reveal().length;
    const spent = held.grant === undefined ? held.refreshToken : undefined;
    try {
      const waitMs = lives ? lockWaitMs.tokenLives : lockWaitMs.tokenEnded;
      const shared = await store.begin?.(login.key, { waitMs, lives, signal });
      if (shared === 'overtaken') return 'again';
      if (shared !== undefined && 'since' in shared) throw refreshLeftByMachine(login, shared.by, shared.since);
      return await begunIn(shared, () => recovery.begin(login.key, { bytes, spent }));
    } catch (error) {
      if (isFailure(error) && lives) return held;
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

  /**
   * Asks; once more with the next key where the server does not know the first: authentication comes before anything is
   * spent. `proof`: the credential with the key that was used.
   */
  async #attempt(
    stored: StoredCredential,
    http: HttpClient,
  ): Promise<{ readonly result: TokenResult; readonly proof: StoredCredential }> {
    const proofs = await currentProofs(this.#ports, this.#request.login, stored);
    for (const proof of proofs.slice(0, -1)) {
      const result = await this.#ask(proof, http);
      const isUnknown = !result.ok && result.problem === 'refused' && result.error === 'invalid_client';
      if (!isUnknown) return { result, proof };
    }
    const proof = proofs.at(-1) ?? stored;
    return { result: await this.#ask(proof, http), proof };
  }

  async #ask(held: StoredCredential, http: HttpClient): Promise<TokenResult> {
    const { login, signal } = this.#request;
    const step = { name: 'refresh', asked: `POST ${held.tokenEndpoint}` } as const;
    const refresh: Refreshes = async (one, rejected) =>
      await refreshCredential(this.#ports, { login: one, rejected, signal }, await readCredential(this.#ports, one));
    try {
      const sent = await requestRefresh(
        { ...this.#ports, http },
        { held, scopes: held.scopes, login, refresh, signal },
      );
      const { result } = sent;
      this.#explain = sent.explain;
      const [came, verdict] = result.ok
        ? ([result.token.isBound ? 'a token bound to our key (DPoP)' : 'a Bearer token', 'pass'] as const)
        : ([result.problem, 'failure'] as const);
      this.#ports.journal.record({ ...step, came, rule: 'R-2.5a', verdict });
      return result;
    } catch (error) {
      if (!isFailure(error) || !this.#lives(held)) throw error;
      this.#ports.journal.record({ ...step, came: error.message, rule: 'R-5.8a', verdict: 'warning' });
      return { ok: false, problem: 'transient', status: 0, retryAfterMs: undefined, said: '', isPage: false };
    }
  }

  async #afterFailure(held: StoredCredential, failed: FailedToken): Promise<StoredCredential> {
    const { login } = this.#request;
    const failure = this.#explain(tokenFailure(failed, held.binding.issuer));
    if (failed.problem !== 'refused') {
      if (this.#lives(held)) return held;
      throw failure;
    }
    // A process that does not keep to the lock (another machine's home) may have refreshed in the meantime.
    const now = await this.#read();
    if (now.refreshedElsewhere !== undefined) return await this.#awaitRefreshed(now);
    const proof = ({ refreshToken, accessToken }: StoredCredential) => (refreshToken ?? accessToken).reveal();
    if (proof(now) !== proof(held)) return now;
    if (isByOthersWord(held)) {
      // What the platform or the provider says next may be taken, and the login needs nobody to be made again.
      await this.#ports.attempts.take(platformRefusals(login), maxPlatformRefusals);
      if (this.#lives(held)) return held;
      throw failure;
    }
    const refusal = refusalToKeep(failed, held);
    const dead = (old: LoginRecord) => ({ ...old, dead: true, refusal });
    await this.#ports.index.update((document) => withLogin(document, login.key, dead));
    // So that no other machine sends the same refresh token.
    const ended = encodeCredential({ ...held, ended: true });
    if (isSharedKind(login.store)) await this.#ports.store.write(login.key, ended).catch(ignoreFailure);
    // The next login registers anew instead of sending the person to a page that says "unknown client".
    const isUnknown = failed.error === 'invalid_client' || failed.error === 'unauthorized_client';
    if (isUnknown && login.registration === 'dynamic') await forgetRegistration(this.#ports, held.binding);
    throw refreshRefused(login, refusal, failure);
  }
}
