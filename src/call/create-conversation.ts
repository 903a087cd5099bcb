import { ignoreFailure } from '../core/failure.js';
import type { Limits } from '../core/limits.js';
import type { CorePorts, Relogin } from '../core/ports.js';
import { loginExtensions, newestRevision } from '../core/product.js';
import type { IndexDocument, LoginRecord, ServerEra } from '../core/records.js';
import { ProtocolClient } from '../mcp/client.js';
import type { Meter } from '../mcp/exchange.js';
import type { ServerSession } from '../mcp/server-session.js';
import { type ServerProgram, StdioClient } from '../mcp/stdio/stdio-client.js';
import type { Wire } from '../mcp/wire.js';
import type { StorePorts } from '../stores/ports.js';
import type { OpenServer } from '../tokens/find-login.js';
import type { AuthorizerPorts } from '../tokens/token-in-use.js';
import {
  Conversation,
  type ConversationOptions,
  type ConversationPorts,
  type Era,
  type EraMemory,
} from './conversation.js';
import { callTooLarge } from './failures.js';
import { authorizerFor } from './transport.js';

/** A server that is a program of this machine: no login, no token. */
export interface LocalServer {
  /** Its command line, as it is shown. */
  readonly server: string;
  readonly program: ServerProgram;
  readonly key?: undefined;
}

export interface ConversationRequest
  extends Omit<ConversationOptions, 'server' | 'connect' | 'era' | 'browser' | 'extensions' | 'wire'> {
  /** The revision that a person wants spoken; undefined: what the server speaks. */
  readonly protocol?: string | undefined;
  /** The login to call with, or a server without one: then no token is sent. */
  readonly login: LoginRecord | OpenServer | LocalServer;
  readonly relogin: Relogin | undefined;
  /** Counts what is received; undefined where that has no end. */
  readonly meter: Meter | undefined;
  /** Ends what gets tokens, where that outlives the conversation: a refresh whose response nobody takes costs the login. */
  readonly tokensUntil?: AbortSignal;
  /** A line for the person, about the connection. */
  readonly tell: (line: string) => void;
  /** One on what was left out of the server's words; absent: `tell` takes it. */
  readonly warn?: (line: string) => void;
}

/** The way to a server, for one conversation. */
export interface WirePorts {
  readonly openWire: () => Promise<Wire & AsyncDisposable>;
}

export type CreatePorts = AuthorizerPorts &
  ConversationPorts &
  WirePorts &
  Pick<CorePorts, 'limits'> &
  Pick<StorePorts, 'index'>;

/** A conversation with the server, not yet opened, over the transport that it has. @throws Failure `configuration_unusable` */
export async function createConversation(ports: CreatePorts, request: ConversationRequest): Promise<Conversation> {
  const { login, meter, signal, tell, warn, protocol, tokensUntil = signal } = request;
  const { server } = login;
  const limits = await ports.limits();
  const maxMessageBytes = limits.messageMiB * 1024 * 1024;
  const forced = protocol && (protocol === newestRevision ? 'newer' : 'older');
  if ('program' in login) {
    const { program } = login;
    return new Conversation(ports, {
      ...request,
      server,
      isLocal: true,
      era: { ...unkept, known: forced || 'older', isForced: Boolean(forced) }, // what a program turns out to be is forgotten with it
      connect: (own) => new StdioClient({ ...own, server, program, meter, maxMessageBytes, tell }),
    });
  }
  const relogin = outsideTheDeadline(request);
  const { tokens, authorizer } = authorizerFor(ports, { login, relogin, signal: tokensUntil });
  const era: EraMemory = forced ? { ...unkept, known: forced, isForced: true } : await keptEra(ports, login);
  const wire = await ports.openWire();
  return new Conversation(ports, {
    ...request,
    ...{ server, era, wire },
    extensions: login.key === undefined ? {} : loginExtensions(login),
    browser: login.key === undefined ? undefined : login.browser,
    connect: (own) =>
      new ProtocolClient({
        ...own,
        ...{ server, authorizer, wire, meter, maxMessageBytes, tell, warn },
        isBrief: true,
        clock: ports.clock,
        credential: tokens,
        headersMs: limits.answerSeconds * 1000,
      }),
  });
}

/** The time that a person takes to log in does not count. */
function outsideTheDeadline({ relogin, deadline }: ConversationRequest): Relogin | undefined {
  return (
    relogin &&
    (async (...given) => {
      deadline?.stop();
      try {
        return await relogin(...given);
      } finally {
        deadline?.restart();
      }
    })
  );
}

/**
 * Opens a session with the server of a login, for `ask`, and ends it. Nobody is asked for anything, and no browser is
 * opened: a token is refreshed, and that is all.
 * @param ask Called once the session is open.
 * @throws Failure `login_needed`, `login_expired`, `token_refused`, `http_failed`, … and what `ask` throws
 */
export async function askServer<Result>(
  ports: CreatePorts,
  { login, signal }: { readonly login: LoginRecord; readonly signal: AbortSignal },
  ask: (session: ServerSession) => Promise<Result>,
): Promise<Result> {
  const meter = new Allowance(login.server, await ports.limits());
  const nothing = () => undefined;
  const quiet = { relogin: undefined, policy: 'decline', notify: nothing, tell: nothing } as const;
  await using conversation = await createConversation(ports, { login, signal, meter, ...quiet });
  await conversation.describe(); // where its era is kept, opening alone asks nothing
  return await ask(conversation);
}

const unkept = { learned: async () => undefined };

/** After seven days a server is asked again: it may have got another release. */
const eraLastsMs = 7 * 86_400_000;

/** Verdicts that are kept, of the servers that were asked last. */
const maxEras = 256;

/** The era of a server as the index has it. Where nothing of a login is kept, its server's era is not kept either. */
async function keptEra({ index, clock }: CreatePorts, login: LoginRecord | OpenServer): Promise<EraMemory> {
  const { server } = login;
  const now = clock.now();
  const { eras = [] } = await index.read();
  const isFresh = ({ checkedAt }: ServerEra) => checkedAt <= now && now - checkedAt < eraLastsMs;
  const known = eras.find((one) => one.server === server && isFresh(one))?.era;
  const isKept = login.key === undefined || (login.store !== 'memory' && login.store !== 'environment');
  const learned = async (era: Era) => {
    if (!isKept || era === known) return;
    const keep = (document: IndexDocument) => {
      const others = (document.eras ?? []).filter((one) => one.server !== server && isFresh(one));
      return { ...document, eras: [...others.slice(1 - maxEras), { server, era, checkedAt: now }] };
    };
    await index.update(keep).catch(ignoreFailure); // it only saves a request
  };
  return { known, isForced: false, learned };
}

/** The program of a local server, to be disposed of; undefined for any other. */
export function programOf(server: LoginRecord | OpenServer | LocalServer | undefined): ServerProgram | undefined {
  return server !== undefined && 'program' in server ? server.program : undefined;
}

/** What a line and an event of a stream count beyond their bytes, since reading them costs more. In bytes. */
const costOf = { line: 32, event: 512 } as const;

/** What one call reads at most, of all responses. */
export class Allowance implements Meter {
  readonly #server: string;
  readonly #mebibytes: number;
  #left: number;
  #ofPieces = 0;

  constructor(server: string, { callMiB }: Pick<Limits, 'callMiB'>) {
    this.#server = server;
    this.#mebibytes = callMiB;
    this.#left = callMiB * 1024 * 1024;
  }

  /** @throws Failure `too_large` */
  bytes(count: number): void {
    this.#left -= count;
    if (this.#left < 0)
      throw callTooLarge(this.#server, this.#mebibytes, this.#ofPieces * 8 > this.#mebibytes * 1024 * 1024);
  }

  /** @throws Failure `too_large` */
  pieces(lines: number, events: number): void {
    const cost = lines * costOf.line + events * costOf.event;
    this.#ofPieces += cost;
    this.bytes(cost);
  }
}
