import { Failure } from '../core/failure.js';
import type { Relogin } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import type { OutboundRequest } from '../http/request.js';
import type { SenderPorts } from '../tokens/authorized-client.js';
import { loginBrakes } from '../tokens/budget.js';
import { proveAddress } from '../tokens/credential-target.js';
import { loginNeeded, tokenRefusedByServer } from '../tokens/failures.js';
import { believedMs, isOneLogin, loginNow } from '../tokens/find-login.js';
import { operationOf, wantedScope } from '../tokens/step-up.js';
import { defaultMinLifeMs, validToken } from '../tokens/valid-token.js';
import type { ProxyMount, WidenedToken } from './ports.js';
import { stepUp } from './step-up.js';

/** A token that the server refuses this soon after it replaced a refused one is not replaced again: it is not the token. */
const freshMs = 10_000;

/** How long a failure answers for what would fail again: a store or a network; a person who has just been asked. */
const failureHoldsMs = { machine: 1_000, person: 30_000 } as const;

export interface MountLoginOptions {
  readonly name: string;
  readonly login: LoginRecord;
  /** Undefined where nobody can be asked. */
  readonly relogin: Relogin | undefined;
  readonly signal: AbortSignal;
}

interface Held {
  readonly accessToken: Secret;
  /** Wall clock: when it is time for another one. */
  readonly until: number;
  /** When it took the place of one that the server had refused. */
  readonly replacedAt: number | undefined;
}

/** The token of one login for as long as a proxy runs: held while it lives, fetched once for all who wait for it. */
export class MountLogin implements ProxyMount {
  readonly name: string;
  readonly server: string;
  readonly #ports: SenderPorts;
  readonly #options: MountLoginOptions;
  readonly #once = { widened: false };
  #login: LoginRecord;
  #held: Held | undefined;
  #believedUntil = 0;
  #failed: { readonly error: unknown; readonly until: number } | undefined;
  #fetching: Promise<Secret> | undefined;
  #widening: Promise<WidenedToken> | undefined;
  /** The token that the server took last. */
  #taken: Secret | undefined;

  constructor(ports: SenderPorts, options: MountLoginOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#login = options.login;
    this.name = options.name;
    this.server = options.login.server;
  }

  get login(): LoginRecord {
    return this.#login;
  }

  token(): Secret | Promise<Secret> {
    const { clock } = this.#ports;
    const lives = this.#heldAlive();
    return lives !== undefined && clock.monotonic() < this.#believedUntil ? lives : this.#fetch(undefined);
  }

  async renewed(rejected: Secret): Promise<Secret> {
    const held = this.#held;
    if (held !== undefined && held.accessToken.reveal() !== rejected.reveal()) {
      return this.token(); // another request has seen to it
    }
    const now = this.#ports.clock.monotonic();
    if (held?.replacedAt !== undefined && now - held.replacedAt < freshMs) {
      throw tokenRefusedByServer(this.#login);
    }
    return this.#fetch(rejected);
  }

  worked(token: Secret): void {
    if (this.#taken === token) return;
    this.#taken = token;
    void loginBrakes(this.#ports, this.#login).worked();
  }

  widened(
    refused: Secret,
    challenges: readonly string[],
    request: Pick<OutboundRequest, 'method' | 'url' | 'body'>,
  ): Promise<WidenedToken> | undefined {
    const wants = wantedScope(challenges);
    if (wants === undefined) {
      return undefined;
    }
    if (this.#held !== undefined && this.#held.accessToken.reveal() !== refused.reveal()) {
      return Promise.resolve(this.token()).then(asItIs); // another request has seen to it
    }
    const { relogin, signal } = this.#options;
    const widen = async () => {
      const asked = { wants, operation: operationOf(request), once: this.#once, relogin, signal };
      const { login, helped } = await stepUp(this.#ports, { ...asked, login: this.#login });
      this.#login = login;
      return { token: await this.#keep(0, undefined), helped };
    };
    this.#widening ??= widen().finally(() => {
      this.#widening = undefined;
    });
    return this.#widening;
  }

  /** One fetch for all, whoever began it. */
  #fetch(rejected: Secret | undefined): Promise<Secret> {
    const failed = this.#failed;
    if (failed !== undefined && this.#ports.clock.monotonic() < failed.until) {
      return Promise.reject(failed.error);
    }
    this.#fetching ??= this.#find(rejected)
      .catch((error: unknown) => {
        throw this.#fail(error, 'machine');
      })
      .finally(() => {
        this.#fetching = undefined;
      });
    return this.#fetching;
  }

  /** The login as it is now: it may have been made anew, or ended, by another command. */
  async #find(rejected: Secret | undefined): Promise<Secret> {
    const { relogin } = this.#options;
    try {
      const before = this.#login;
      const now = await loginNow(this.#ports, before);
      if (now === undefined) throw loginNeeded({ server: before.server, account: before.account });
      this.#login = now;
      this.#believedUntil = this.#ports.clock.monotonic() + believedMs;
      const isSame = isOneLogin(before, this.#login) && !this.#login.dead;
      const lives = isSame && rejected === undefined ? this.#heldAlive() : undefined;
      if (lives !== undefined) return lives;
      this.#held = undefined;
      return await this.#keep(defaultMinLifeMs, rejected);
    } catch (error) {
      const isOver =
        error instanceof Failure && (error.code === 'login_expired' || error.code === 'login_needed');
      if (!isOver || relogin === undefined || this.#login.grant !== undefined) throw error;
      if (rejected !== undefined && !(await loginBrakes(this.#ports, this.#login).mayRepeat())) {
        throw tokenRefusedByServer(this.#login);
      }
      const better = await relogin(this.#login, [], async () => undefined).catch((refusal: unknown) => {
        throw this.#fail(refusal, 'person');
      });
      if (better === undefined) throw error;
      this.#login = better;
      return this.#keep(0, undefined);
    }
  }

  async #keep(minLifeMs: number, rejected: Secret | undefined): Promise<Secret> {
    const { clock } = this.#ports;
    const { signal } = this.#options;
    const valid = await validToken(this.#ports, { login: this.#login, minLifeMs, rejected, signal });
    proveAddress(valid, this.server); // each target lies below it
    this.#login = { ...this.#login, scopes: valid.scopes };
    const now = clock.now();
    // A token of short life is used for three quarters of what is left of it, lest each request fetch another.
    const left = valid.expiresAt === null ? Number.POSITIVE_INFINITY : valid.expiresAt - now;
    const until = now + Math.max(0, left - Math.min(defaultMinLifeMs, left / 4));
    const replacedAt = rejected === undefined ? undefined : clock.monotonic();
    this.#held = { accessToken: valid.accessToken, until, replacedAt };
    this.#believedUntil = clock.monotonic() + believedMs;
    this.#failed = undefined;
    return valid.accessToken;
  }

  #heldAlive(): Secret | undefined {
    const held = this.#held;
    return held !== undefined && this.#ports.clock.now() < held.until ? held.accessToken : undefined;
  }

  #fail(error: unknown, who: keyof typeof failureHoldsMs): unknown {
    const until = this.#ports.clock.monotonic() + failureHoldsMs[who];
    if ((this.#failed?.until ?? 0) < until) this.#failed = { error, until };
    return error;
  }
}

function asItIs(token: Secret): WidenedToken {
  return { token, helped: async () => undefined };
}
