import { Failure } from '../core/failure.js';
import { interrupted } from '../core/output-failures.js';
import type { Clock, CorePorts } from '../core/ports.js';
import { printable } from '../core/text/printable.js';
import { Authorizer } from '../tokens/authorizer.js';
import type { AuthorizerPorts, TokenInUse } from '../tokens/token-in-use.js';
import { type BridgeTokenOptions, bridgeTokens } from './authorization.js';
import { HostMessages } from './host-messages.js';
import type { HostPipe } from './host-pipe.js';
import { Inbound } from './inbound.js';
import { LineSplitter } from './line-splitter.js';
import { Outbound } from './outbound.js';
import { PendingRequests } from './pending.js';
import { Session } from './session.js';
import { Transport } from './transport.js';
import type { Wire } from './wire.js';

/** How long answers are waited for once the host has ended its input, and then the end of the session. */
const lastAnswersMs = 1_000;

const goodbyeMs = 500;

/** Where a bridge leads to, and whose token goes there. */
export type BridgeStart = Pick<BridgeTokenOptions, 'wanted' | 'server' | 'login' | 'ask'>;

export interface BridgeRequest extends Pick<BridgeTokenOptions, 'waitMs' | 'signal'> {
  /** Asked at the start, and as long as it fails for each request, which fails with it. @throws Failure */
  readonly find: () => Promise<BridgeStart>;
  readonly wire: Wire;
  readonly host: HostPipe;
  /** How long a server may take for the head of an answer, in milliseconds. */
  readonly answerMs: number;
  /** A line for whoever reads the host's log. */
  readonly tell: (line: string) => void;
}

/**
 * Passes messages between a host that speaks line by line and a server that speaks Streamable HTTP, as the bytes that
 * they are. Ends when the host does, or with the signal.
 */
export async function bridge(
  ports: AuthorizerPorts & Pick<CorePorts, 'limits'>,
  request: BridgeRequest,
): Promise<void> {
  const { host, tell, signal } = request;
  const { clock } = ports;
  const largestMessageBytes = (await ports.limits()).messageMiB * 1024 * 1024;
  const ending = new AbortController();
  const ended = AbortSignal.any([signal, ending.signal]);
  const pending = new PendingRequests();
  const way = new WayToServer(async () => {
    const start = await request.find();
    return open(ports, { ...request, ...start, largestMessageBytes }, pending, ended);
  });
  await way.ready().catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    tell(`${error.message} ${error.remedy}`); // hosts show it to nobody: each request says it again
  });
  const messages = new HostMessages({
    host,
    outbound: way.opened?.outbound ?? way,
    pending,
    session: way,
    tell,
    largestMessageBytes,
  });
  await heard(host, new LineSplitter(largestMessageBytes), messages, ended);
  const { opened } = way;
  if (!signal.aborted) await within(clock, lastAnswersMs, Promise.all([pending.empty(), opened?.tokens.settled()]));
  const gone = interrupted();
  opened?.transport.end(gone);
  ending.abort(gone);
  const last = opened === undefined ? undefined : goodbye(opened, request);
  await within(clock, goodbyeMs, Promise.all([host.flushed(), last]));
}

/** The parts that lead to one server. */
interface Opened {
  readonly server: string;
  readonly authorizer: Authorizer;
  readonly tokens: TokenInUse;
  readonly transport: Transport;
  readonly session: Session;
  readonly outbound: Outbound;
}

function open(
  ports: AuthorizerPorts,
  request: BridgeRequest & BridgeStart & { readonly largestMessageBytes: number },
  pending: PendingRequests,
  signal: AbortSignal,
): Opened {
  const { wire, host, server, answerMs, tell, largestMessageBytes } = request;
  const { clock } = ports;
  const tokens = bridgeTokens(ports, request);
  const authorizer = new Authorizer(tokens);
  const transport = new Transport({ wire, host, authorizer, answerMs, largestMessageBytes });
  const session = new Session(server);
  const inbound = new Inbound({ server, host, pending, session, tell });
  const parts = { server, clock, transport, session, inbound, pending, tell, tokens, signal };
  void Promise.resolve(tokens.current({ url: server })).catch(() => undefined); // ready for the first request, which fails itself
  return { server, authorizer, tokens, transport, session, outbound: new Outbound(parts) };
}

/** The way to a server that is perhaps not known yet: each message that wants it looks for it again. */
class WayToServer {
  readonly #find: () => Promise<Opened>;
  #finding: Promise<Opened> | undefined;
  opened: Opened | undefined;

  constructor(find: () => Promise<Opened>) {
    this.#find = find;
  }

  get revision(): string | undefined {
    return this.opened?.session.revision;
  }

  /** @throws Failure of `BridgeRequest.find` */
  async ready(): Promise<Opened> {
    this.#finding ??= this.#find().finally(() => {
      this.#finding = undefined;
    });
    this.opened ??= await this.#finding;
    return this.opened;
  }

  async request(...of: Parameters<Outbound['request']>): Promise<void> {
    const { outbound } = this.opened ?? (await this.ready());
    return outbound.request(...of);
  }

  async tell(...of: Parameters<Outbound['tell']>): Promise<void> {
    const { outbound } = this.opened ?? (await this.ready());
    return outbound.tell(...of);
  }
}

/** Waits for the work, and not longer than that. */
async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  await Promise.race([work, clock.sleep(ms, waiting.signal).catch(() => undefined)]);
  waiting.abort();
}

/** Resolves when the host has ended, or the signal is aborted. */
async function heard(host: HostPipe, lines: LineSplitter, messages: HostMessages, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
    host.listen({
      data: (chunk) => {
        for (const line of lines.push(chunk)) messages.take(line);
      },
      end: () => {
        for (const line of lines.finish()) messages.take(line);
        resolve();
      },
    });
  });
}

/** Ends the session at the server, which may not allow it (405): best effort. */
async function goodbye(opened: Opened, request: BridgeRequest): Promise<void> {
  const { server, session, tokens } = opened;
  if (!session.hasId || !session.isOf(tokens.key)) return;
  const { wire } = request;
  try {
    const target = { url: server, operation: () => 'DELETE', repeatable: () => false };
    const { token } = await opened.authorizer.authorize(target);
    const own = token === undefined ? [] : ([['authorization', token.bearer.reveal()]] as const);
    const headers = [...session.headers(tokens.key), ...own];
    await new Promise<void>((resolve) => {
      wire.send(
        { method: 'DELETE', url: server, headers, body: undefined, lasting: false, headersMs: goodbyeMs },
        { head: () => resolve(), data: () => undefined, end: () => resolve(), failed: () => resolve() },
      );
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    request.tell(printable(error.message));
  }
}
