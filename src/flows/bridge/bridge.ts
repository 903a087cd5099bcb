import { Failure } from '../../errors/failure.js';
import { interrupted } from '../../errors/output.js';
import type { HostPipe, Wire } from '../../ports/bridging.js';
import type { Clock, Ports } from '../../ports.js';
import { LineSplitter } from '../../primitives/line-splitter.js';
import { printable } from '../../primitives/printable.js';
import type { SenderPorts } from '../request/authorized-sender.js';
import { Authorization } from './authorization.js';
import type { AuthorizationOptions } from './authorization-options.js';
import { Courier } from './courier.js';
import { HostMessages } from './host-messages.js';
import { Inbound } from './inbound.js';
import { Outbound } from './outbound.js';
import { PendingRequests } from './pending.js';
import { Session } from './session.js';

/** How long answers are waited for once the host has ended its input, and then the end of the session. */
const lastAnswersMs = 1_000;
const goodbyeMs = 500;

export interface BridgeRequest extends AuthorizationOptions {
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
  ports: SenderPorts & Pick<Ports, 'limits'>,
  request: BridgeRequest,
): Promise<void> {
  const { wire, host, server, answerMs, tell, signal } = request;
  const { clock } = ports;
  const largestMessageBytes = (await ports.limits()).messageMiB * 1024 * 1024;
  const authorization = new Authorization(ports, request);
  const ending = new AbortController();
  const ended = AbortSignal.any([signal, ending.signal]);
  const courier = new Courier({ wire, host, clock, authorization, answerMs, largestMessageBytes });
  const session = new Session(server);
  const pending = new PendingRequests();
  const inbound = new Inbound({ server, host, pending, session, tell });
  const outbound = new Outbound({
    ...{ server, clock, courier, session, inbound, pending, tell, authorization },
    signal: ended,
  });
  const messages = new HostMessages({ host, outbound, pending, session, tell, largestMessageBytes });
  void Promise.resolve(authorization.bearer()).catch(() => undefined); // ready for the first request, which fails itself
  await heard(host, new LineSplitter(largestMessageBytes), messages, ended);
  if (!signal.aborted)
    await within(clock, lastAnswersMs, Promise.all([pending.empty(), authorization.settled()]));
  const gone = interrupted();
  courier.end(gone);
  ending.abort(gone);
  await within(clock, goodbyeMs, Promise.all([host.flushed(), goodbye(authorization, session, request)]));
}

/** Waits for the work, and not longer than that. */
async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  await Promise.race([work, clock.sleep(ms, waiting.signal).catch(() => undefined)]);
  waiting.abort();
}

/** Resolves when the host has ended, or the signal is aborted. */
async function heard(
  host: HostPipe,
  lines: LineSplitter,
  messages: HostMessages,
  signal: AbortSignal,
): Promise<void> {
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
async function goodbye(
  authorization: Authorization,
  session: Session,
  request: BridgeRequest,
): Promise<void> {
  if (!session.hasId || !session.isOf(authorization.key)) return;
  const { wire, server } = request;
  try {
    const bearer = await authorization.bearer();
    const own = bearer === undefined ? [] : ([['authorization', bearer.reveal()]] as const);
    const headers = [...session.headers(authorization.key), ...own];
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
