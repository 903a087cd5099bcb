import type { LoginMeant } from '../core/login-command.js';
import type { CorePorts, Relogin } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { parseScope, scopesMissing } from '../core/scope.js';
import { asObject, parseObject, stringField } from '../core/text/json.js';
import { printable } from '../core/text/printable.js';
import { saysYes } from '../core/text/says-yes.js';
import { unlessAborted } from '../core/time.js';
import type { HttpRequest } from '../http/request.js';
import { bearerChallenge } from '../oauth/challenge.js';
import type { StorePorts } from '../stores/ports.js';
import { loginBrakes, type StepUpBudget } from './budget.js';
import { insufficientScope, loginUnderWay, stepUpDeclined, tokenRefusedByServer } from './request-failures.js';
import { serverWords } from './server-words.js';

type Wanted = { readonly login: LoginRecord; readonly scopes: readonly string[] };

/**
 * Asks the user whether this login may ask for more scope, and shows which. A no holds for an hour for programs, whose
 * requests nobody typed: for that server, account and scope, in every process.
 * @param request.scopes What the server wants, whether held or not.
 * @throws Failure `step_up_declined`; the signal's reason
 */
export async function askStepUp(
  ports: Pick<CorePorts, 'terminal'> & Pick<StorePorts, 'attempts'>,
  request: Wanted & { readonly signal: AbortSignal },
): Promise<void> {
  const { terminal, attempts } = ports;
  const { login, signal } = request;
  const added = scopesMissing(login.scopes, request.scopes);
  const word = added.length === 1 ? 'scope' : 'scopes';
  terminal.tell(`${printable(login.server)} needs the ${word} ${printable(added.join(' '))} for this.`);
  const isWanted = await saysYes(terminal, 'Request it in the browser?', signal, 'yes');
  for (const name of declinedNames(request)) await (isWanted ? attempts.forget(name) : attempts.take(name, 1));
  if (!isWanted) throw stepUpDeclined(login, added, 'now');
}

/** For a program. @throws Failure `step_up_declined` where the user has declined one of these scopes within the hour */
export async function checkNotDeclined({ attempts }: Pick<StorePorts, 'attempts'>, wanted: Wanted): Promise<void> {
  for (const name of declinedNames(wanted)) {
    if (await attempts.allows(name, 1)) continue;
    throw stepUpDeclined(wanted.login, scopesMissing(wanted.login.scopes, wanted.scopes), 'earlier');
  }
}

function declinedNames({ login: { server, account, scopes: held }, scopes }: Wanted): readonly string[] {
  return scopesMissing(held, scopes).map((scope) => `declined ${server} ${account} ${scope}`);
}

/**
 * What a request does, for counting step-ups by resource and operation (rule 5.6): the HTTP method and the path, and
 * of a JSON-RPC message its method and the tool, prompt or resource, whatever the arguments.
 */
export function operationOf(request: Pick<HttpRequest, 'method' | 'url' | 'body'>): string {
  const http = `${request.method} ${new URL(request.url).pathname}`;
  const { body } = request;
  const message = typeof body === 'string' || body instanceof Uint8Array ? parseObject(body) : undefined;
  const method = message === undefined ? undefined : stringField(message, 'method');
  if (message === undefined || method === undefined) return http;
  const params = asObject(message['params']) ?? {};
  const what = stringField(params, 'name') ?? stringField(params, 'uri') ?? '';
  return `${http} ${method} ${what}`.trim();
}

export interface WantedScope {
  readonly scopes: readonly string[];
  /** What the server says about it; '' where it says nothing. */
  readonly said: string;
}

/**
 * The scopes that a 403 asks for: by its challenge (RFC 6750 section 3.1), else, where there is none, by the `missing_scopes` of its
 * body. Undefined when it is a plain refusal.
 */
export function wantedScope(challenges: readonly string[], body?: Uint8Array): WantedScope | undefined {
  const challenge = bearerChallenge(challenges);
  if (challenge.kind === 'none') {
    const missing = body && parseObject(body)?.['missing_scopes'];
    const isList = Array.isArray(missing) && missing.every((scope) => typeof scope === 'string');
    return isList ? named(missing.join(' '), serverWords({ challenges, body })) : undefined;
  }
  if (challenge.kind !== 'bearer' || challenge.error !== 'insufficient_scope') return undefined;
  return named(challenge.scope, challenge.errorDescription);
}

function named(scope = '', said = ''): WantedScope | undefined {
  const parsed = parseScope(scope);
  return parsed.ok && parsed.scopes.length > 0 ? { scopes: parsed.scopes, said } : undefined;
}

/** How a person is asked for a login. */
export interface Person {
  readonly ask: (
    login: LoginRecord | undefined,
    scopes: readonly string[],
    begin: () => Promise<void>,
  ) => Promise<LoginRecord | undefined>;
  /** After a login that came to nothing none is begun by itself for so long; absent: half a minute. */
  readonly restMs?: number;
  /** How long a request waits; what comes later is used then. Undefined: to the end. */
  readonly waitMs?: number;
}

const usualRestMs = 30_000;

export function personOf(relogin: Relogin | undefined): Person | undefined {
  return relogin && { ask: async (login, scopes, begin) => login && relogin(login, scopes, begin) };
}

export interface BetterLoginOptions {
  /** Whose tokens they are. `server` is held from the start: no token of another one is used, whatever its login is called. */
  readonly meant: LoginMeant;
  /** Undefined: no person can be asked. */
  readonly person: Person | undefined;
  readonly scopeNeeded?: typeof insufficientScope;
  readonly signal: AbortSignal;
}

/** Logins and step-ups that requests wait for, one at a time. */
export class BetterLogin {
  readonly #ports: Pick<StorePorts, 'attempts'> & Pick<CorePorts, 'clock'>;
  readonly #options: BetterLoginOptions;
  readonly #asking = new SingleFlight();
  /** The last login that came to nothing. */
  #inVain: { readonly error: unknown; readonly until: number } | undefined;

  constructor(ports: Pick<StorePorts, 'attempts'> & Pick<CorePorts, 'clock'>, options: BetterLoginOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  /**
   * @param isRefused The server refuses the token of `login`. Where that is the first one of it, the next login would fare no better.
   * @throws `failure`, Failure `token_refused`, or the login's
   */
  async newLogin(login: LoginRecord | undefined, failure: unknown, isRefused: boolean): Promise<LoginRecord> {
    const { clock } = this.#ports;
    const { person } = this.#options;
    if (person === undefined || login?.grant !== undefined) throw failure;
    if (login !== undefined && isRefused && !(await loginBrakes(this.#ports, login).mayRepeat())) {
      throw tokenRefusedByServer(login);
    }
    if (this.#inVain && clock.monotonic() < this.#inVain.until) throw this.#inVain.error;
    const better = await this.#ask(person, async () => {
      try {
        return await person.ask(login, [], async () => undefined);
      } catch (error) {
        this.#inVain = { error, until: clock.monotonic() + (person.restMs ?? usualRestMs) };
        throw error;
      }
    });
    if (better === undefined) throw failure;
    return better;
  }

  /**
   * @throws Failure `scope_refused`, `scope_not_granted` or `too_many_step_ups` when asking again is of no use,
   * `insufficient_scope` when no person may be asked, or the login's
   */
  async stepUp(asked: {
    readonly login: LoginRecord;
    readonly wanted: WantedScope;
    readonly added: readonly string[];
    readonly budget: StepUpBudget;
  }): Promise<LoginRecord> {
    const { login, wanted, added, budget } = asked;
    const { person, scopeNeeded = insufficientScope } = this.#options;
    if (person === undefined) throw scopeNeeded(login, added, wanted.said);
    await budget.check();
    const better = await this.#ask(person, async () => {
      const granted = await person.ask(login, wanted.scopes, () => budget.begin());
      if (granted !== undefined) await budget.granted(granted);
      return granted;
    });
    if (better === undefined) throw scopeNeeded(login, added, wanted.said);
    return better;
  }

  async #ask({ waitMs }: Person, ask: () => Promise<LoginRecord | undefined>): Promise<LoginRecord | undefined> {
    const { meant, signal } = this.#options;
    const asked = this.#asking.run('', ask);
    if (waitMs === undefined) return asked;
    const waiting = new AbortController();
    const tooLong = this.#ports.clock.sleep(waitMs, AbortSignal.any([signal, waiting.signal])).then(() => {
      throw loginUnderWay(meant.server, waitMs / 1000);
    });
    tooLong.catch(() => undefined);
    try {
      return await Promise.race([asked, tooLong]);
    } finally {
      waiting.abort();
    }
  }
}

/** Work that callers share while it is under way; each can stop waiting for it. Work of one name gives one type. */
export class SingleFlight {
  readonly #flights = new Map<string, Promise<unknown>>();

  /** Resolves once what is under way now has ended, however. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#flights.values());
  }

  /** Joins the work of that name, if it is under way. @throws as `run` */
  join<T>(name: string, signal?: AbortSignal): Promise<T> | undefined {
    const flight = this.#flights.get(name) as Promise<T> | undefined;
    return flight === undefined || signal === undefined ? flight : unlessAborted(flight, signal);
  }

  /**
   * Joins the work of that name that is under way, else begins it. It goes on when its callers stop waiting.
   * @throws what the work throws, or the signal's reason
   */
  async run<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let flight = this.#flights.get(name) as Promise<T> | undefined;
    if (flight === undefined) {
      flight = work().finally(() => this.#flights.delete(name));
      flight.catch(() => undefined); // reported to those who wait, if there are any
      this.#flights.set(name, flight);
    }
    return await (signal === undefined ? flight : unlessAborted(flight, signal));
  }
}
