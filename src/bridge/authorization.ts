import { Failure } from '../core/failure.js';
import type { LoginMeant } from '../core/login-command.js';
import type { LoginRecord } from '../core/records.js';
import { attaches } from '../core/resource.js';
import { scopesMissing } from '../core/scope.js';
import { Secret } from '../core/secret.js';
import type { SenderPorts } from '../tokens/authorized-client.js';
import { loginBrakes, type StepUpBudget, stepUpBudget } from '../tokens/budget.js';
import { proveAddress } from '../tokens/credential-target.js';
import { loginNeeded, tokenRefusedByServer } from '../tokens/failures.js';
import { believedMs, isOneLogin, loginNow, pickLogin } from '../tokens/find-login.js';
import { scopeRefused } from '../tokens/request-failures.js';
import type { WantedScope } from '../tokens/step-up.js';
import { defaultMinLifeMs, validToken } from '../tokens/valid-token.js';
import { widenCredential } from '../tokens/widen.js';
import { bridgeScopeNeeded } from './failures.js';
import { type AuthorizationOptions, Together, waitForPerson } from './wait-for-person.js';

/** A login that came to nothing is not begun again by itself for so long. */
const restAfterLoginMs = 600_000;

/** Without a login it is looked for one so often, as long as the server asks for none. */
const lookAgainMs = 2_000;

/** The login that a bridge is for and has not. */
function meantBy({ server, wanted }: AuthorizationOptions): LoginMeant {
  return { server, account: wanted.account };
}

/** Logins that are tried one after the other for one token. */
const mostTaken = 3;

/** The token of a bridge's requests: one for all of them, renewed once for all of them, found again where it was lost. */
export class Authorization {
  readonly #ports: SenderPorts;
  readonly #options: AuthorizationOptions;
  #login: LoginRecord | undefined;
  #token: { readonly header: Secret; readonly until: number; believedUntil: number } | undefined;
  readonly #together = new Together();
  #restUntil = 0;
  #openUntil = 0;
  /** The login whose token has worked here. */
  #proven: LoginRecord | undefined;

  constructor(ports: SenderPorts, options: AuthorizationOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#login = options.login;
  }

  /** Which credential is used; undefined without one. Sessions belong to it. */
  get key(): string | undefined {
    return this.#login?.key;
  }

  /** Resolves once no refresh is under way: what it brings should be stored before the end. */
  settled(): Promise<void> {
    return this.#together.settled();
  }

  /** The `Authorization` value; undefined as long as there is no login, which not every server asks for. */
  bearer(): Secret | undefined | Promise<Secret | undefined> {
    const held = this.#token;
    const now = this.#ports.clock.now();
    const isBelieved = held !== undefined && this.#ports.clock.monotonic() < held.believedUntil;
    if (isBelieved && now < held.until) return held.header;
    return now < this.#openUntil ? undefined : this.#obtain();
  }

  /**
   * The server answered 401 to `rejected`: refreshes, once for all requests; where that was done before (`again`), or
   * is not possible, looks for another login, and asks for one where a person can be reached.
   * @throws Failure `login_needed`, `login_expired`, `token_refused`, `login_under_way`, or what a refresh throws
   */
  async renew(rejected: Secret | undefined, again: boolean): Promise<void> {
    if (this.#token !== undefined && this.#token.header.reveal() !== rejected?.reveal()) return;
    const login = this.#login;
    if (login === undefined || rejected === undefined)
      return this.#newLogin(loginNeeded(meantBy(this.#options)));
    if (again) return this.#newLogin(tokenRefusedByServer(login), rejected);
    const accessToken = new Secret(rejected.reveal().replace('Bearer ', ''));
    await this.#together.run('renew', async () => {
      const now = await loginNow(this.#ports, login);
      if (now !== undefined) return this.#take(now, accessToken);
      // What it was called may be another server's name by now.
      this.#login = undefined;
      await this.#newLogin(loginNeeded({ server: login.server, account: login.account }));
    });
  }

  /**
   * The server wants more scope: step-up, once for all requests that want the same. To be told if that helped.
   * @throws Failure `insufficient_scope`, `scope_refused`, `scope_not_for_client`, `login_under_way`, or the login's
   */
  async widen(wants: WantedScope, operation: string): Promise<Pick<StepUpBudget, 'helped'> | undefined> {
    const login = this.#login;
    const { ask, server, signal } = this.#options;
    const added = scopesMissing(login?.scopes ?? [], wants.scopes);
    if (login === undefined) return this.#newLogin(loginNeeded(meantBy(this.#options))).then(() => undefined);
    if (added.length === 0) throw scopeRefused(server, wants.scopes);
    const budget = stepUpBudget(this.#ports, { login, operation, scopes: wants.scopes });
    await this.#together.run(`widen ${added.join(' ')}`, async () => {
      if (login.grant === 'client_credentials') {
        return this.#use(await widenCredential(this.#ports, { login, scopes: added, signal }));
      }
      if (await this.#adoptOther((other) => scopesMissing(other.scopes, wants.scopes).length === 0)) return;
      if (ask === undefined) throw bridgeScopeNeeded(login, [...login.scopes, ...added], wants.said);
      await budget.check();
      await this.#asked(async () => {
        const better = await ask(login, wants.scopes, () => budget.begin());
        await budget.answered(better);
        return better;
      });
    });
    return budget;
  }

  /** The server took that token: from now on a login may be repeated by itself. */
  worked(taken: Secret | undefined): Promise<void> | undefined {
    const login = this.#login;
    if (taken === undefined || login === undefined || this.#token?.header !== taken) return undefined;
    if (this.#proven !== undefined && isOneLogin(this.#proven, login)) return undefined;
    this.#proven = login;
    return loginBrakes(this.#ports, login).worked();
  }

  async #obtain(): Promise<Secret | undefined> {
    await this.#together.run('obtain', async () => {
      if (await this.#holds()) return;
      this.#login = (this.#login && (await loginNow(this.#ports, this.#login))) ?? (await this.#lookUp());
      if (this.#login === undefined) this.#openUntil = this.#ports.clock.now() + lookAgainMs;
      // Where another login has taken the place of the one at hand, the request goes with its token, never with none.
      for (let tries = 1; this.#login !== undefined && this.#token === undefined; tries += 1) {
        if (tries > mostTaken) throw loginNeeded(this.#login);
        await this.#take(this.#login, undefined);
      }
    });
    return this.#token?.header;
  }

  /** Is the token at hand still to be used? A logout ends it, and another login takes its place, though nothing was refused. */
  async #holds(): Promise<boolean> {
    const { clock } = this.#ports;
    const [held, login] = [this.#token, this.#login];
    if (held === undefined || login === undefined || clock.now() >= held.until) return false;
    const now = await loginNow(this.#ports, login);
    if (now !== undefined && isOneLogin(login, now)) {
      held.believedUntil = clock.monotonic() + believedMs;
      return true;
    }
    this.#login = now;
    this.#token = undefined;
    return false;
  }

  /** A valid token of that login, other than `rejected`; where it has none any more, another login. */
  async #take(login: LoginRecord, rejected: Secret | undefined): Promise<void> {
    const { signal } = this.#options;
    this.#token = undefined;
    try {
      const token = await validToken(this.#ports, { login, minLifeMs: defaultMinLifeMs, rejected, signal });
      proveAddress(token, this.#options.server);
      const header = new Secret(`Bearer ${token.accessToken.reveal()}`);
      const { clock } = this.#ports;
      const until = usedUntil(token.expiresAt, clock.now());
      this.#login = { ...login, scopes: token.scopes };
      this.#token = { header, until, believedUntil: clock.monotonic() + believedMs };
    } catch (error) {
      const isGone = error instanceof Failure && ['login_expired', 'login_needed'].includes(error.code);
      if (!isGone) throw error;
      await this.#newLogin(error, rejected);
    }
  }

  /**
   * Another login may have appeared; else a person is asked, where that is allowed: not where the server refuses the
   * first token of a login (`rejected`), since the next one would fare no better.
   * @throws `failure`, `token_refused`
   */
  async #newLogin(failure: Failure, rejected?: Secret): Promise<void> {
    const { ask } = this.#options;
    const before = this.#login;
    await this.#together.run('login', async () => {
      if (await this.#adoptOther((other) => isOther(before, other))) return;
      if (ask === undefined || before?.grant !== undefined) throw failure;
      if (this.#ports.clock.now() < this.#restUntil) throw failure;
      if (before !== undefined && rejected !== undefined) {
        if (!(await loginBrakes(this.#ports, before).mayRepeat())) throw tokenRefusedByServer(before);
      }
      await this.#asked(() => ask(before, [], async () => undefined));
    });
  }

  /** Waits for the person, not longer than is said; what comes later is used then. */
  async #asked(ask: () => Promise<LoginRecord>): Promise<void> {
    const { clock } = this.#ports;
    const done = this.#together.run('person', async () => {
      try {
        this.#use(await ask());
      } catch (error) {
        this.#restUntil = clock.now() + restAfterLoginMs;
        throw error;
      }
    });
    await waitForPerson(this.#ports, done, this.#options);
  }

  async #adoptOther(fits: (login: LoginRecord) => boolean): Promise<boolean> {
    const other = await this.#lookUp();
    if (other === undefined || !fits(other)) return false;
    this.#use(other);
    return true;
  }

  #use(login: LoginRecord): void {
    this.#login = login;
    this.#token = undefined;
    this.#openUntil = 0;
  }

  /**
   * The login that was named, if it is for the server that this bridge began with; where the name is gone or another
   * server's now, the login of that server and account.
   */
  async #lookUp(): Promise<LoginRecord | undefined> {
    const { wanted, server, login } = this.#options;
    const { logins } = await this.#ports.index.read();
    const own = logins.filter((one) => attaches(one.server, server));
    // A pin stands for the server and account of the start: no other one has it, whatever it is called.
    const named = wanted.pin === undefined ? pickLogin(own, wanted) : undefined;
    const picked =
      named === undefined || named.kind === 'none'
        ? pickLogin(own, { server, account: login?.account ?? wanted.account })
        : named;
    return picked.kind === 'one' ? picked.login : undefined;
  }
}

/** Is this a login to try in place of the one that no longer does? */
export function isOther(before: LoginRecord | undefined, now: LoginRecord): boolean {
  if (now.dead === true) return false;
  return (
    before === undefined ||
    before.key !== now.key ||
    before.generation !== now.generation ||
    (before.obtainedAt !== now.obtainedAt && before.dead === true)
  );
}

/** A token is looked at again a minute before it ends; one that lives shorter than two minutes after half of its life. */
export function usedUntil(expiresAt: number | null, now: number): number {
  if (expiresAt === null) return Number.POSITIVE_INFINITY;
  return expiresAt - Math.min(defaultMinLifeMs, Math.max(0, expiresAt - now) / 2);
}
