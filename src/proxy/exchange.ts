import { withSecretHeadersFlat } from '../core/text/secret-headers.js';
import type { Origins } from '../http/origins.js';
import { protocolBroken } from '../mcp/failures.js';
import type { Active } from '../relay/active-set.js';
import type { Connection, ResponseHandler } from '../relay/connection.js';
import { headerValues, type ResponseHead } from '../relay/heads.js';
import type { ServerConnection } from '../relay/server-connection.js';
import type { UnderWay } from '../relay/server-request.js';
import type { AuthorizedRequest, ProtectedTarget } from '../tokens/authorizer.js';
import { operationOf } from '../tokens/step-up.js';
import type { Admitted, SessionCookies, Sessions } from './admit.js';
import { type KeptBody, keepBody } from './bodies.js';
import { olderTransport, toolNotLent } from './failures.js';
import { uncoded } from './forwarded-headers.js';
import { LentBody, type LentWatcher } from './lent-request.js';
import { LentResponse } from './lent-response.js';
import { proxyLimits } from './limits.js';
import type { ProxyOptions } from './ports.js';
import { type Refusal, type ResponseOut, refusal, refusalFor, refuse, respondWith } from './refusal.js';
import { OlderStream, responseFor, type SortedResponse, sortedHead } from './response-head.js';
import { Silence } from './silence.js';

/** What all exchanges of a proxy share. */
export interface Surroundings {
  readonly origins: Origins<Connection>;
  readonly sessions: Sessions;
  readonly cookies: SessionCookies;
  readonly options: ProxyOptions;
  readonly signal: AbortSignal;
  /** Bytes of bodies that are kept to be validated, of all exchanges. */
  held: number;
  /** Called once for each exchange, when nothing of it is under way any more. */
  over(exchange: Active): void;
}

export interface ExchangeParts {
  readonly connection: ServerConnection;
  readonly method: string;
  readonly response: ResponseOut;
  readonly admitted: Admitted;
  readonly around: Surroundings;
  /** Names the request where it fails. */
  readonly number: number;
}

/** One request, from its admission to the last byte of its response. */
export class Exchange implements ResponseHandler, LentWatcher, UnderWay, Active, ProtectedTarget {
  activeAt = -1;
  /** Is it a standing event stream? */
  standing = false;
  readonly #parts: ExchangeParts;
  readonly #body: KeptBody;
  readonly #silence = new Silence();
  readonly url: string;
  readonly method: string;
  #authorized: AuthorizedRequest | undefined;
  /** Has a connection broken under it once? */
  #stale = false;
  /** To the server, while the request is under way there. */
  #upstream: Connection | undefined;
  #ended = false;
  /** Of a standing event stream. */
  #events: OlderStream | undefined;
  /** Does the caller leave unread what came for it? */
  #held = false;
  /** For the log, where there is one. */
  readonly #began: number | undefined;
  #status: number | undefined;
  /** Where only some tools are lent. */
  readonly #lent: LentResponse | undefined;
  #holds = 0; // bytes for that
  #refused: string | undefined;

  constructor(parts: ExchangeParts) {
    const { connection, admitted } = parts;
    const { policy } = admitted.mounted.mount;
    this.#lent = policy && new LentResponse(parts.response, policy, `r${parts.number}`, (bytes) => this.hold(bytes));
    this.#parts = this.#lent === undefined ? parts : { ...parts, response: this.#lent };
    this.#began = parts.around.options.log && performance.now();
    this.method = parts.method;
    this.url = admitted.mounted.origin + admitted.target;
    const { framing } = admitted;
    const isValidated = policy !== undefined && framing.kind !== 'none';
    this.#body = isValidated ? new LentBody(policy, admitted, parts.around, this) : keepBody(framing, this);
    if (framing.kind !== 'none') connection.readBody(framing, this.#body);
  }

  /** To be called once; a body that is awaited whole begins it when it is there. */
  begin(): void {
    if (!this.#body.waiting) this.ready();
  }

  /** Ends the exchange where one side is silent for too long. @param now as `performance.now()` */
  sweep(now: number): void {
    const { admitted, around } = this.#parts;
    const { host } = admitted.mounted.url;
    const overdue = this.#silence.overdue(now, host, around.options.limits, this.#body.waiting);
    if (overdue?.kind === 'server') this.#fail(overdue.failure);
    else if (overdue?.kind === 'caller_stalled') this.refuse(refusal('body_stalled', true));
    else if (overdue !== undefined) this.cut();
  }

  /** Ends it in the middle. */
  cut(): void {
    this.#parts.connection.socket.destroy();
    this.gone();
  }

  gone(): void {
    this.#upstream?.cut(this);
    this.#finish();
  }

  broken(): void {
    this.refuse(refusal('bad_request', true));
  }

  head(received: ResponseHead): void {
    const head = sortedHead(received);
    const { authorizer } = this.#parts.admitted.mounted.mount;
    const retried = this.#authorized && authorizer.retry(this.#authorized, head);
    if (retried === undefined || received.status < 300) {
      retried?.catch(() => undefined); // what is written down of a success is not waited for
      this.#passOn(head);
      return;
    }
    this.#upstream?.abandon(this);
    this.#sendWith(retried);
  }

  operation(): string {
    const { whole } = this.#body;
    return operationOf({ method: this.method, url: this.url, ...(whole === undefined ? {} : { body: whole }) });
  }

  repeatable(): boolean {
    return this.#body.replayable;
  }

  data(chunk: Uint8Array): boolean {
    this.#silence.moved();
    if (this.#events?.namesEndpoint(chunk)) {
      this.#fail(olderTransport(this.#parts.admitted.mounted.mount.server));
      return true;
    }
    const goOn = this.#parts.response.data(chunk);
    if (this.#lent?.isBroken) {
      this.refuse(this.#lent.refusal);
      return true;
    }
    if (!goOn) {
      this.#held = true;
      this.#silence.turnOf('caller reads');
    }
    return goOn;
  }

  end(): void {
    this.#parts.response.end();
    this.#finish();
  }

  failed(error: unknown, unanswered: boolean): void {
    const { method, admitted } = this.#parts;
    // Once more, where the request changes nothing (RFC 9110 section 9.2.2).
    const mayRepeat = unanswered && !this.#stale && admitted.framing.kind === 'none' && /^(?:GET|HEAD)$/.test(method);
    this.#stale = true;
    const { authorizer } = admitted.mounted.mount;
    if (mayRepeat && this.#authorized !== undefined) this.#send(authorizer.repeat(this.#authorized));
    else this.#fail(error);
  }

  progress(): void {
    this.#silence.moved();
  }

  goOn(): void {
    this.#parts.connection.goOn();
  }

  drained(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#silence.turnOf('server sends');
    this.#upstream?.resume(this);
  }

  passed(lists: ReadonlySet<string>): void {
    if (this.#lent !== undefined) this.#lent.lists = lists;
  }

  respond(response: Uint8Array, tools: readonly string[]): void {
    if (this.#ended) return;
    const { around, admitted, response: out, number } = this.#parts;
    around.options.failed(admitted.mounted.mount.name, toolNotLent(tools), `r${number}`);
    this.#status = 200;
    this.#refused = 'tool_not_lent';
    respondWith(out, response, admitted.head.close);
    this.#finish();
  }

  hold(bytes: number): boolean {
    const { around } = this.#parts;
    if (this.#ended || around.held + bytes > (around.options.limits.heldBodies ?? proxyLimits.heldBodies)) return false;
    around.held += bytes;
    this.#holds += bytes;
    return true;
  }

  ready(): void {
    const authorized = this.#parts.admitted.mounted.mount.authorizer.authorize(this);
    if (authorized instanceof Promise) this.#sendWith(authorized);
    else this.#send(authorized);
  }

  #sendWith(authorized: Promise<AuthorizedRequest | undefined>): void {
    this.#silence.turnOf('token');
    authorized.then(
      (ready) => ready && this.#send(ready),
      (error: unknown) => this.#fail(error),
    );
  }

  #send(authorized: AuthorizedRequest): void {
    if (this.#ended) return;
    this.#authorized = authorized;
    this.#silence.turnOf('server responds');
    const { around, admitted } = this.#parts;
    around.origins
      .lend(admitted.mounted, 'stream', around.signal, (connection) => this.#dispatch(connection, authorized))
      ?.catch((error: unknown) => this.#fail(error));
  }

  /** False: the caller has gone. */
  #dispatch(connection: Connection, { own }: AuthorizedRequest): boolean {
    if (this.#ended) return false;
    const { method, admitted, around } = this.#parts;
    const forward = this.#lent === undefined ? admitted.head.forward : uncoded(admitted.head.forward);
    const headers = withSecretHeadersFlat(around.cookies.addTo(forward, admitted), own); // own ones replace the caller's
    this.#upstream = connection;
    connection.send({ target: admitted.target, method, headers, body: this.#body.open() }, this);
    return true;
  }

  #passOn(head: SortedResponse): void {
    const { method, response, admitted, around } = this.#parts;
    const out = responseFor(head, admitted);
    if (out instanceof Error) {
      this.#fail(out);
      return;
    }
    around.cookies.take(head, admitted);
    if (head.sessions.length > 0) around.sessions.learn(head.sessions, admitted.mounted.mount.name);
    // It never ends by itself, and its reader knows how to come back.
    this.standing = method === 'GET' && head.isEventStream;
    if (this.standing && head.isCoded) {
      this.#fail(protocolBroken(admitted.mounted.mount.server, 'it compresses an event stream unasked'));
      return;
    }
    if (this.standing) this.#events = new OlderStream();
    this.#silence.turnOf('server sends');
    this.#status = out.status;
    response.head(out, admitted.head.close);
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    const { around, admitted, number } = this.#parts;
    around.options.failed(admitted.mounted.mount.name, error, `r${number}`);
    this.refuse(refusalFor(error));
  }

  refuse(why: Refusal): void {
    if (this.#ended) return;
    const { connection, admitted, response, number } = this.#parts;
    this.#upstream?.cut(this);
    this.#status ??= why.status;
    this.#refused = why.code;
    const close = why.close === true || admitted.head.close || !connection.complete;
    refuse(response, { ...why, close }, `r${number}`);
    this.#finish();
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    const { method, admitted, around } = this.#parts;
    around.held -= this.#holds;
    around.over(this);
    if (this.#began === undefined) return;
    const ms = performance.now() - this.#began;
    const { mounted, target, head } = admitted;
    const own = mounted.url.pathname.replace(/\/$/, '');
    const [path = ''] = target.split('?', 1);
    const rest = path.startsWith(own) ? path.slice(own.length) : path;
    const [program] = headerValues(head.forward, 'user-agent');
    const shown = `/${mounted.mount.name}${rest}${path === target ? '' : '?…'}`;
    around.options.log?.({ method, path: shown, status: this.#status, ms, program, refused: this.#refused });
  }
}
