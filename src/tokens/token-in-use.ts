import { isFailure } from '../core/failure.js';
import type { LoginMeant } from '../core/login-command.js';
import type { CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { scopesMissing } from '../core/scope.js';
import type { Secret, SecretHeader } from '../core/secret.js';
import { quoted } from '../core/text/printable.js';
import { keepChallenge } from '../oauth/probe.js';
import type { StoredCredential } from '../stores/credential-item.js';
import { loginBrakes, stepUpBudget } from './budget.js';
import { proveAddress, type RequestToken, requestToken } from './credential-target.js';
import { loginNeeded } from './failures.js';
import { isOneLogin, loginNow } from './find-login.js';
import type { LoginProofs } from './login-proofs.js';
import { type TokenPorts, usedUntil, withLogin } from './read-credential.js';
import { environmentTokenOnly, scopeNotForClient, scopeRefused } from './request-failures.js';
import { BetterLogin, type BetterLoginOptions, SingleFlight, type WantedScope } from './step-up.js';
import { validToken, widenLogin } from './valid-token.js';

export type AuthorizerPorts = TokenPorts & Pick<CorePorts, 'givenHeaders'>;

/** How long a token, or the lack of one, is used without a look at the index: a logout ends it, too. */
const believedMs = 5_000;

/** How long a failure is repeated to further requests, unless a login is made meanwhile. */
const failureHoldsMs = 1_000;

export interface TokenOptions extends BetterLoginOptions {
  /** That of the start. */
  readonly login: LoginRecord | undefined;
  /** The logins that could be used now, the best first. Absent: that of the server and account at hand. */
  readonly find?: (login: LoginRecord | undefined) => Promise<readonly LoginRecord[]>;
  /** Without a login requests go without a token, until the server asks for one. */
  readonly mayGoWithout?: boolean;
}

type Asked = Omit<Parameters<typeof keepChallenge>[1], 'server'>;

interface Held extends RequestToken {
  /** Wall clock: when it is time for another one. */
  readonly until: number;
}

/** The token of one login while a command runs: held while it lives, fetched once for all requests that wait for it. */
export class TokenInUse {
  readonly #ports: AuthorizerPorts;
  readonly #options: TokenOptions;
  readonly #tokens = new SingleFlight();
  #login: LoginRecord | undefined;
  #held: Held | undefined;
  readonly #person: BetterLogin;
  /** Monotonic: until then there is no look at the index. */
  #believedUntil = 0;
  #given: readonly SecretHeader[] | undefined; // for this run, instead of those that are kept
  #failed: { readonly error: unknown; readonly until: number } | undefined;
  /** The token that the server took last. */
  #taken: RequestToken | undefined;
  /** Kept with its key: the nonces that the server has given hold for the tokens that follow. */
  #proofs: { readonly key: string; readonly bound: LoginProofs } | undefined;
  /** A client's own login asks for a scope once; what it was not given then it is not given later. */
  readonly #askedAsClient = new Set<string>();

  constructor(ports: AuthorizerPorts, options: TokenOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#login = options.login;
    this.#person = new BetterLogin(ports, options);
  }

  /** What goes without a token, to the server that is meant. */
  get withoutToken(): readonly SecretHeader[] {
    return this.#given ?? [];
  }

  get meant(): LoginMeant {
    return this.#login ?? this.#options.meant;
  }

  /** Which credential is used; undefined without one. */
  get key(): string | undefined {
    return this.#login?.key;
  }

  /** Resolves once no refresh is under way: what it brings should be stored before the end. */
  settled(): Promise<void> {
    return this.#tokens.settled();
  }

  /**
   * The token of the next request; at once while it lives. Undefined: the request goes without one.
   * @throws Failure `login_needed`, `login_expired`, …
   */
  current(
    target: { readonly url: string; reach?(): 'server' | 'host' },
    signal?: AbortSignal,
  ): RequestToken | undefined | Promise<RequestToken | undefined> {
    const { clock } = this.#ports;
    const replacing = this.#tokens.join<RequestToken>('replace', signal);
    if (replacing !== undefined) return replacing;
    const held = this.#held;
    if (clock.monotonic() < this.#believedUntil && (held === undefined || clock.now() < held.until)) return held;
    // Nothing is refreshed for an address that gets nothing.
    if (this.#login !== undefined) proveAddress(this.#login, target.url, target.reach?.());
    return this.#fetch('current', () => this.#find(), signal);
  }

  /** Another one than was refused with a 401; `asked` is that. @throws Failure `token_refused`, `login_expired`, … */
  async replace(refused: RequestToken | undefined, signal?: AbortSignal, asked?: Asked): Promise<RequestToken> {
    if (refused?.store === 'environment')
      throw environmentTokenOnly('token_refused', refused.server, 'was rejected by it');
    if (asked !== undefined) await keepChallenge(this.#ports, { ...asked, server: this.meant.server });
    const seen = await this.#replaced(refused, signal);
    if (seen !== undefined) return seen;
    const work = async () => this.#firstOf(await this.#logins(), refused?.accessToken);
    return await this.#fetch('replace', work, signal);
  }

  /**
   * One with more scope than was refused with a 403. `helped` is to be called once the server is content.
   * @param stepUps For this request so far.
   * @throws Failure `insufficient_scope`, `scope_refused`, …
   */
  async widen(
    refused: RequestToken,
    asked: { readonly wanted: WantedScope; readonly operation: string; readonly stepUps: number },
    signal?: AbortSignal,
  ): Promise<{ readonly token: RequestToken; helped(): Promise<void> }> {
    const { wanted, operation, stepUps } = asked;
    if (refused.store === 'environment') {
      const what = `lacks the scope ${quoted(wanted.scopes.join(' '))}, which it wants for this`;
      throw environmentTokenOnly('insufficient_scope', refused.server, what);
    }
    const seen = await this.#replaced(refused, signal);
    if (seen !== undefined) return { token: seen, helped: async () => undefined };
    const login = this.#login;
    if (login === undefined) throw loginNeeded(this.meant);
    const added = scopesMissing(login.scopes, wanted.scopes);
    if (added.length === 0) throw scopeRefused(login.server, wanted.scopes);
    const budget = stepUpBudget(this.#ports, { login, operation, scopes: wanted.scopes });
    const work = async () => {
      const isOwn = (login.grant ?? login.provider) !== undefined;
      const wider = isOwn
        ? await this.#asClient(login, added, stepUps)
        : ((await this.#otherWith(login, wanted.scopes)) ??
          (await this.#person.stepUp({ login, wanted, added, budget })));
      return this.#use(wider, undefined);
    };
    const token = await this.#tokens.run(`widen ${added.join(' ')}`, work, signal);
    return { token, helped: () => budget.helped() };
  }

  /** @throws Failure `scope_not_for_client` */
  async #asClient(login: LoginRecord, added: readonly string[], stepUps: number): Promise<LoginRecord> {
    if (stepUps > 0 || added.some((scope) => this.#askedAsClient.has(scope)))
      throw scopeNotForClient(login.server, added);
    for (const scope of added) this.#askedAsClient.add(scope);
    return widenLogin(this.#ports, { login, scopes: added, signal: this.#options.signal });
  }

  /** A login with these scopes that another process has made in the meantime. */
  async #otherWith(login: LoginRecord, scopes: readonly string[]): Promise<LoginRecord | undefined> {
    const fits = (one: LoginRecord) => one.dead !== true && scopesMissing(one.scopes, scopes).length === 0;
    return (await this.#logins()).find((one) => !isOneLogin(one, login) && fits(one));
  }

  /** The server took it. A promise where that is to be written down. */
  accepted(token: RequestToken): Promise<void> | undefined {
    const login = this.#login;
    if (this.#taken === token || this.#held !== token || login === undefined || token.store === 'environment') {
      return undefined;
    }
    this.#taken = token;
    return this.#noteUse(login, token);
  }

  /**
   * Once for each token: a bridge or a proxy is not slower for it. Whether the server takes a bound token as a Bearer token
   * is kept with the login, so that the next command need not try.
   */
  async #noteUse(login: LoginRecord, { bound }: RequestToken): Promise<void> {
    if (bound !== undefined && bound.isBare !== (login.schemeTaken === 'bearer')) {
      const seen = bound.isBare ? ({ schemeTaken: 'bearer' } as const) : {};
      const noted = ({ schemeTaken: _, ...old }: LoginRecord) => ({ ...old, ...seen });
      await this.#ports.index.update((document) => withLogin(document, login.key, noted));
    }
    await loginBrakes(this.#ports, login).worked();
  }

  /** The server refuses it for good: the next request looks for a new login. */
  doubt(token: RequestToken | undefined): void {
    if (this.#held === token) this.#believedUntil = 0;
  }

  async #isSameLogin(): Promise<boolean> {
    const login = this.#login;
    const [now] = await this.#logins();
    return login === undefined ? now === undefined : now !== undefined && isOneLogin(login, now);
  }

  /** The token at hand, where another request has seen to it that it is another one than was refused. */
  async #replaced(refused: RequestToken | undefined, signal?: AbortSignal): Promise<RequestToken | undefined> {
    const held = this.#held;
    if (held === undefined || held.accessToken.reveal() === refused?.accessToken.reveal()) return undefined;
    return this.current({ url: held.server }, signal);
  }

  /** One fetch for all requests. A login that may appear at any moment is looked for each time. */
  #fetch<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { clock } = this.#ports;
    const noted = async () => {
      const failed = this.#failed;
      if (failed !== undefined && clock.monotonic() < failed.until && (await this.#isSameLogin())) throw failed.error;
      try {
        return await work();
      } catch (error) {
        const isAwaited = isFailure(error, 'login_needed', 'login_under_way');
        if (!isAwaited) this.#failed = { error, until: clock.monotonic() + failureHoldsMs };
        throw error;
      }
    };
    return this.#tokens.run(name, noted, signal);
  }

  /** The login as it is now: it may have been made anew, or ended, by another command. */
  async #find(): Promise<Held | undefined> {
    const { clock } = this.#ports;
    const [held, login, logins] = [this.#held, this.#login, await this.#logins()];
    if (held !== undefined && login !== undefined && clock.now() < held.until) {
      const [now] = logins;
      if (now !== undefined && isOneLogin(login, now)) {
        this.#believedUntil = clock.monotonic() + believedMs;
        return held;
      }
    }
    this.#held = undefined;
    this.#given = await this.#ports.givenHeaders();
    if (logins.length > 0 || this.#options.mayGoWithout !== true) return this.#firstOf(logins, undefined);
    this.#believedUntil = clock.monotonic() + believedMs;
    return undefined;
  }

  async #logins(): Promise<readonly LoginRecord[]> {
    const login = this.#login;
    const { find, mayGoWithout } = this.#options;
    const same = async () => [login && (await loginNow(this.#ports, login))].filter((one) => one !== undefined);
    const logins = await (find ?? same)(login);
    if (logins.length === 0 && mayGoWithout === true) this.#login = undefined;
    return logins;
  }

  /** A token of the first of these logins that has one; else a person is asked. */
  async #firstOf(logins: readonly LoginRecord[], rejected: Secret | undefined): Promise<Held> {
    let over: unknown;
    for (const login of logins) {
      try {
        return await this.#use(login, rejected);
      } catch (error) {
        if (!isFailure(error, 'login_expired', 'login_needed')) throw error;
        over ??= error;
      }
    }
    const failure = over ?? loginNeeded(this.meant);
    this.#held = undefined;
    this.#login = logins[0] ?? this.#login;
    return this.#use(await this.#person.newLogin(this.#login, failure, rejected !== undefined), undefined);
  }

  async #use(login: LoginRecord, rejected: Secret | undefined): Promise<Held> {
    const { clock } = this.#ports;
    const token = await validToken(this.#ports, { login, rejected, signal: this.#options.signal });
    this.#login = { ...login, scopes: token.scopes, obtainedAt: token.obtainedAt };
    this.#failed = undefined;
    const bound = await this.#proofsOf(token, login);
    this.#believedUntil = clock.monotonic() + believedMs;
    this.#held = {
      ...requestToken(token.binding.server, token.accessToken, this.#given ?? token.headers, bound),
      store: login.store,
      until: usedUntil(token, clock.now()),
    };
    return this.#held;
  }

  async #proofsOf(token: StoredCredential, { schemeTaken }: LoginRecord): Promise<LoginProofs | undefined> {
    const { dpopKey } = token;
    if (dpopKey === undefined) return undefined;
    const key = dpopKey.reveal();
    if (this.#proofs?.key !== key) {
      const { LoginProofs } = await import('./login-proofs.js'); // most logins have no key
      const now = () => this.#ports.clock.now();
      this.#proofs = { key, bound: new LoginProofs(token, dpopKey, { schemeTaken, now }) };
    }
    return this.#proofs.bound;
  }
}
