import { Failure } from '../core/failure.js';
import type { Relogin } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { scopesMissing } from '../core/scope.js';
import type { Secret } from '../core/secret.js';
import type { HttpPorts, OutboundRequest, OutboundResponse } from '../http/request.js';
import type { StorePorts } from '../stores/ports.js';
import { loginBrakes, type StepUpBudget, stepUpBudget } from './budget.js';
import { proveAddress } from './credential-target.js';
import { loginNeeded, tokenRefusedByServer, withServerWords } from './failures.js';
import { insufficientScope, scopeNotForClient, scopeRefused } from './request-failures.js';
import { readWords } from './server-words.js';
import { operationOf, type WantedScope, wantedScope } from './step-up.js';
import type { TokenPorts } from './token-request.js';
import { defaultMinLifeMs, type ValidToken, validToken } from './valid-token.js';
import { widenCredential } from './widen.js';

/** Step-ups for one request, whatever the budget of the hour still holds (rule 5.6). */
const mostStepUps = 3;

/** A request to the protected server, before the token is put on it. */
export type ProtectedRequest = Omit<OutboundRequest, 'namedBy' | 'redirects'>;

export interface AuthorizedSender {
  /**
   * Sends with `Authorization: Bearer`. On 401: one refresh and one retry; on 403 `insufficient_scope`: step-up, when
   * allowed, at most three times; a login of the client's own widens itself, once. Only a body that can be sent again is; the answer is the caller's to dispose.
   * @throws Failure `token_not_for_url`, `login_expired`, `token_refused`, `insufficient_scope`, `scope_refused`, `scope_not_for_client`, or the
   * door's
   */
  send(request: ProtectedRequest): Promise<OutboundResponse>;
}

/** A sender for one login. Its token goes to this login's server and below it, and nowhere else. */
export function createAuthorizedSender(ports: SenderPorts, options: SenderOptions): AuthorizedSender {
  const sender = new Sender(ports, options);
  return { send: (request) => sender.send(request) };
}

export type SenderPorts = TokenPorts & Pick<StorePorts, 'attempts'>;

export interface SenderOptions {
  readonly login: LoginRecord;
  readonly relogin: Relogin | undefined;
  readonly signal: AbortSignal;
}

class Sender {
  readonly #ports: SenderPorts;
  readonly #options: SenderOptions;
  #login: LoginRecord;
  readonly #tokens = new SingleFlight<ValidToken>();
  /** A client's own login asks for more once; what it was not given then it is not given later. */
  #widened = false;
  /** Has a token of this login worked here? */
  #proven = false;

  constructor(ports: SenderPorts, options: SenderOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#login = options.login;
  }

  async send(request: ProtectedRequest): Promise<OutboundResponse> {
    proveAddress(this.#login, request.url); // nothing is refreshed for an address that gets nothing
    const replayable = typeof request.body !== 'object' || request.body instanceof Uint8Array;
    let token = await this.#token(undefined, request.signal);
    let refreshed = false;
    const stepUps: (StepUpBudget | undefined)[] = [];
    for (;;) {
      const sent = { ...withBearer(request, token), namedBy: 'person', redirects: 'report' } as const;
      const response = await this.#ports.door.send(sent);
      const wants = response.status === 403 ? wantedScope(challengesOf(response)) : undefined;
      if (response.status !== 401 && wants === undefined) {
        if (response.status < 400) await this.#worked();
        await stepUps.at(-1)?.helped();
        return response;
      }
      const said = wants === undefined ? await readWords(this.#ports.clock, response) : '';
      await response[Symbol.asyncDispose]();
      if (wants !== undefined) {
        stepUps.push(await this.#stepUp(wants, request, { stepUps: stepUps.length, replayable }));
        token = await this.#token(undefined, request.signal);
        continue;
      }
      if (refreshed || !replayable) {
        throw withServerWords(tokenRefusedByServer(this.#login), said);
      }
      refreshed = true;
      try {
        token = await this.#token(token.accessToken, request.signal);
      } catch (error) {
        throw withServerWords(error, said);
      }
    }
  }

  /** A valid token, other than `rejected`; a login that has run out is renewed where somebody may be asked. One look, and
   * one refresh, for all requests that want it at once. */
  #token(rejected: Secret | undefined, signal: AbortSignal): Promise<ValidToken> {
    return this.#tokens.run(rejected?.reveal() ?? '', () => this.#renewed(rejected), signal);
  }

  async #renewed(rejected: Secret | undefined): Promise<ValidToken> {
    const { relogin, signal } = this.#options;
    const ask = async (minLifeMs: number) => {
      const token = await validToken(this.#ports, { login: this.#login, minLifeMs, rejected, signal });
      this.#login = { ...this.#login, scopes: token.scopes }; // a refresh may have changed them
      return token;
    };
    try {
      return await ask(defaultMinLifeMs);
    } catch (error) {
      const mayAsk = relogin !== undefined && this.#login.grant === undefined;
      if (!mayAsk || !(error instanceof Failure) || error.code !== 'login_expired') {
        throw error;
      }
      if (rejected !== undefined && !(await loginBrakes(this.#ports, this.#login).mayRepeat())) {
        throw tokenRefusedByServer(this.#login);
      }
      const better = await relogin(this.#login, [], async () => undefined);
      if (better === undefined) throw error;
      this.#use(better);
      return await ask(0);
    }
  }

  #use(login: LoginRecord): void {
    this.#login = login;
    this.#proven = false;
  }

  async #worked(): Promise<void> {
    if (this.#proven) return;
    this.#proven = true;
    await loginBrakes(this.#ports, this.#login).worked();
  }

  /**
   * @param before Step-ups for this request so far.
   * @throws Failure `scope_refused` or `too_many_step_ups` when asking again is of no use, `insufficient_scope` when
   * nobody may be asked
   */
  async #stepUp(
    wants: WantedScope,
    request: ProtectedRequest,
    before: { readonly stepUps: number; readonly replayable: boolean },
  ): Promise<StepUpBudget | undefined> {
    const { relogin } = this.#options;
    const { server, scopes } = this.#login;
    const added = scopesMissing(scopes, wants.scopes);
    if (added.length === 0 || before.stepUps === mostStepUps) {
      throw scopeRefused(server, wants.scopes);
    }
    if (this.#login.grant === 'client_credentials') {
      await this.#widen(added, before.replayable);
      return undefined;
    }
    const other = await madeElsewhere(this.#ports, this.#login);
    if (before.replayable && other !== undefined && scopesMissing(other.scopes, wants.scopes).length === 0) {
      this.#use(other);
      return undefined;
    }
    if (relogin === undefined || !before.replayable) {
      throw insufficientScope(this.#login, added, wants.said);
    }
    const about = { login: this.#login, operation: operationOf(request), scopes: wants.scopes };
    const budget = stepUpBudget(this.#ports, about);
    await budget.check();
    const better = await relogin(this.#login, wants.scopes, () => budget.begin());
    if (better === undefined) {
      throw insufficientScope(this.#login, added, wants.said);
    }
    await budget.answered(better);
    this.#use(better);
    return budget;
  }

  /** @throws Failure `scope_not_for_client` */
  async #widen(added: readonly string[], replayable: boolean): Promise<void> {
    if (this.#widened || !replayable) {
      throw scopeNotForClient(this.#login.server, added);
    }
    this.#widened = true;
    const { signal } = this.#options;
    this.#login = await widenCredential(this.#ports, { login: this.#login, scopes: added, signal });
  }
}

/** The last step before a request leaves. @throws Failure `token_not_for_url` */
function withBearer(request: ProtectedRequest, token: ValidToken): ProtectedRequest {
  proveAddress(token, request.url);
  const own = (request.headers ?? []).filter(([name]) => name.toLowerCase() !== 'authorization');
  return { ...request, headers: [...own, ['authorization', `Bearer ${token.accessToken.reveal()}`]] };
}

function challengesOf(response: OutboundResponse): readonly string[] {
  return response.headers.filter(([name]) => name === 'www-authenticate').map(([, value]) => value);
}

/**
 * A sender for a server that there is no login for: nothing of ours is put on its requests. Servers that ask nobody
 * to log in are called like this; one that does answers 401, and that is where it ends.
 */
export function createOpenSender(ports: Pick<HttpPorts, 'door'>, server: string): AuthorizedSender {
  return {
    send: async (request) => {
      const response = await ports.door.send({ ...request, namedBy: 'person', redirects: 'report' });
      if (response.status === 401) {
        await response[Symbol.asyncDispose]();
        throw loginNeeded({ server });
      }
      return response;
    },
  };
}

/** Work that is done once for all who want it at the same time; each of them can give up by himself. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Promise<T>>();

  /**
   * Joins the work of that name that is under way, else begins it; it goes on though who began it gives up.
   * @throws what the work throws, or the signal's reason
   */
  async run(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    let flight = this.#flights.get(name);
    if (flight === undefined) {
      flight = work().finally(() => this.#flights.delete(name));
      flight.catch(() => undefined); // nobody may be left who wants it
      this.#flights.set(name, flight);
    }
    return await unlessAborted(flight, signal);
  }
}

async function unlessAborted<T>(outcome: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([outcome, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A person's login for the same server and account that another process has made since this one was read. */
export async function madeElsewhere(
  ports: Pick<StorePorts, 'index'>,
  { server, account, key, generation }: LoginRecord,
): Promise<LoginRecord | undefined> {
  const { logins } = await ports.index.read();
  return logins.find(
    (one) =>
      one.server === server &&
      one.account === account &&
      one.dead !== true &&
      one.grant === undefined &&
      (one.key !== key || one.generation !== generation),
  );
}
