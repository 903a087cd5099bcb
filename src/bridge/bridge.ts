import type { CommandExit } from '../core/command.js';
import { exitCode, Failure } from '../core/failure.js';
import { interrupted } from '../core/failures.js';
import type { CorePorts, LoginInBackground } from '../core/ports.js';
import { loginExtensions } from '../core/product.js';
import type { LoginRecord } from '../core/records.js';
import { attaches } from '../core/resource.js';
import { printable } from '../core/text/printable.js';
import { aborted, within } from '../core/time.js';
import { ProtocolClient } from '../mcp/client.js';
import type { ToolPolicy } from '../mcp/lending/tool-policy.js';
import { PendingRequests } from '../mcp/pending.js';
import { LineSplitter } from '../mcp/stdio/line-splitter.js';
import type { Wire } from '../mcp/wire.js';
import { Authorizer } from '../tokens/authorizer.js';
import { pickLogin, sameLogin, type WantedLogin } from '../tokens/find-login.js';
import { type AuthorizerPorts, TokenInUse } from '../tokens/token-in-use.js';
import { bridgeScopeNeeded, unansweredAtEnd } from './failures.js';
import { type Destination, HostMessages } from './host-messages.js';
import type { HostPipe } from './host-pipe.js';
import { LentTools } from './lent-tools.js';
import { ServerMessages } from './server-messages.js';
import { TwoEras } from './translation/two-eras.js';

/** How long responses are waited for after the host's input has ended. */
const lastResponsesMs = 120_000;

/** Then what a refresh brings, and the end of the session. */
const settleMs = 1_000;
const goodbyeMs = 500;

/** Where a bridge leads to, and whose token goes there. */
type BridgeStart = Pick<BridgeTokenOptions, 'wanted' | 'server' | 'login' | 'ask'>;

interface BridgeRequest extends Pick<BridgeTokenOptions, 'waitMs' | 'signal'> {
  /** Asked at the start, and as long as it fails for each request, which fails with it. @throws Failure */
  readonly find: () => Promise<BridgeStart>;
  readonly wire: Wire;
  readonly host: HostPipe;
  /** How long a server may take for the head of a response, in milliseconds. */
  readonly responseMs: number;
  readonly tell: (line: string) => void;
  /** Which tools are lent; undefined: all. */
  readonly policy: ToolPolicy | undefined;
}

/**
 * Passes messages between a host that speaks line by line and a server that speaks Streamable HTTP, byte for byte.
 * Ends with the host, or with the signal: 0, unless a request was cut.
 */
export async function bridge(
  ports: AuthorizerPorts & Pick<CorePorts, 'limits'>,
  request: BridgeRequest,
): Promise<CommandExit> {
  const { host, tell, signal } = request;
  const { clock } = ports;
  const maxMessageBytes = (await ports.limits()).messageMiB * 1024 * 1024;
  const ending = new AbortController();
  const ended = AbortSignal.any([signal, ending.signal]);
  const pending = new PendingRequests();
  const { policy } = request;
  const lent = policy && new LentTools(policy, pending, clock);
  const way = wayTo(async () => {
    const start = await request.find();
    return open(ports, { ...request, ...start, maxMessageBytes, lent }, pending, ended);
  });
  const messages = new HostMessages({ host, way, pending, tell, lent, maxMessageBytes });
  await messages.begin();
  await heard(host, new LineSplitter(maxMessageBytes), messages, ended);
  const { opened } = way;
  opened?.client.inputEnded();
  const over = aborted(AbortSignal.any([signal, host.gone]));
  await within(clock, lastResponsesMs, Promise.race([over, pending.empty()]));
  if (!signal.aborted) await within(clock, settleMs, Promise.all([messages.sent, opened?.tokens.settled()]));
  const isCut = pending.awaited && !signal.aborted;
  const gone = isCut && opened ? unansweredAtEnd(opened.server, lastResponsesMs) : interrupted();
  opened?.client.end(gone);
  ending.abort(gone);
  const last = opened?.client.endSession(goodbyeMs).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    tell(printable(error.message));
  });
  await within(clock, goodbyeMs, Promise.all([host.flushed(), last]));
  return isCut ? exitCode.callFailed : 0;
}

interface Opened extends Destination {
  readonly tokens: TokenInUse;
  readonly client: TwoEras;
}

async function open(
  ports: AuthorizerPorts,
  request: BridgeRequest & BridgeStart & { readonly maxMessageBytes: number; readonly lent: LentTools | undefined },
  pending: PendingRequests,
  signal: AbortSignal,
): Promise<Opened> {
  const { host: pipe, server, login, wire, responseMs, tell, maxMessageBytes, lent } = request;
  const { clock } = ports;
  const tokens = bridgeTokens(ports, request);
  const authorizer = new Authorizer(tokens);
  const client: TwoEras = new TwoEras({
    ...{ server, clock, pipe, pending, tell, signal },
    extensions: login === undefined ? {} : loginExtensions(login),
    messages: new ServerMessages({ server, pipe, pending, lent, revision: () => client.revision }),
    connect: (host, own, listens) =>
      new ProtocolClient({
        ...{ server, wire, host, pending: own, tell, signal, maxMessageBytes, clock, authorizer, listens },
        credential: tokens,
        meter: undefined,
        headersMs: responseMs,
      }),
  });
  void Promise.resolve(tokens.current({ url: server })).catch(() => undefined); // ready for the first request, which fails itself
  return { server, tokens, client };
}

/** The way to a server that may not be known yet: `ready` looks for it again. */
function wayTo(find: () => Promise<Opened>): { opened: Opened | undefined; ready(): Promise<Opened> } {
  let finding: Promise<Opened> | undefined;
  const way = {
    opened: undefined as Opened | undefined,
    ready: async () => {
      finding ??= find().finally(() => {
        finding = undefined;
      });
      way.opened ??= await finding;
      return way.opened;
    },
  };
  return way;
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

/** How long no login is begun after one that failed, in milliseconds. */
const restMs = 600_000;

interface BridgeTokenOptions {
  readonly wanted: WantedLogin;
  /** Canonical, and fixed from the start: no login of another server is used, whatever its name. */
  readonly server: string;
  readonly login: LoginRecord | undefined;
  /** Undefined: nobody may be asked. */
  readonly ask: LoginInBackground | undefined;
  /** How long a request waits for a person. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** The tokens of a bridge, which sends none as long as there is no login. */
export function bridgeTokens(ports: AuthorizerPorts, options: BridgeTokenOptions): TokenInUse {
  const { wanted, server, login, ask, waitMs, signal } = options;
  return new TokenInUse(ports, {
    meant: { server, account: wanted.account },
    login,
    mayGoWithout: true,
    person: ask && { ask, waitMs, restMs },
    scopeNeeded: bridgeScopeNeeded,
    find: (held) => candidates(ports, options, held),
    signal,
  });
}

/**
 * The login in use, as it is now; then the one that was named, if it is for the server that this bridge began with; where
 * the name is gone or another server's now, the login of that server and account.
 */
async function candidates(
  ports: AuthorizerPorts,
  { wanted, server, login }: BridgeTokenOptions,
  held: LoginRecord | undefined,
): Promise<readonly LoginRecord[]> {
  const { logins } = await ports.index.read();
  const own = logins.filter((one) => attaches(one.server, server));
  // A pin means the server and account of the start.
  const named = wanted.pin === undefined ? pickLogin(own, wanted) : undefined;
  const picked =
    named === undefined || named.kind === 'none'
      ? pickLogin(own, { server, account: login?.account ?? wanted.account })
      : named;
  const now = held && sameLogin(logins, held);
  const other = picked.kind === 'one' && picked.login.key !== now?.key ? picked.login : undefined;
  return [now, other].filter((one) => one !== undefined);
}
