import { ignoreFailure } from '../core/failure.js';
import type { Limits } from '../core/limits.js';
import type { Clock, CorePorts, Relogin } from '../core/ports.js';
import { loginExtensions, newestRevision } from '../core/product.js';
import type { IndexDocument, LoginRecord, ServerEra } from '../core/records.js';
import { ProtocolClient } from '../mcp/client.js';
import type { Meter } from '../mcp/exchange.js';
import { type ServerProgram, StdioClient } from '../mcp/stdio/stdio-client.js';
import { CookieWire } from '../mcp/wire.js';
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
import type { PausedTime } from './elicitation/questions.js';
import { callTooLarge } from './failures.js';
import { HttpWire } from './http-wire.js';
import { authorizerFor } from './transport.js';

/** A server that is a program of this machine: no login, no token. */
export interface LocalServer {
  /** Its command line, as it is shown. */
  readonly server: string;
  readonly program: ServerProgram;
  readonly key?: undefined;
}

export interface ConversationRequest
  extends Omit<ConversationOptions, 'server' | 'connect' | 'era' | 'browser' | 'extensions'> {
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

type CreatePorts = AuthorizerPorts & ConversationPorts & Pick<CorePorts, 'limits'> & Pick<StorePorts, 'index'>;

/** A conversation with the server, not yet opened, over the transport that it has. @throws Failure `configuration_unusable` */
export async function createConversation(ports: CreatePorts, request: ConversationRequest): Promise<Conversation> {
  const { login, relogin, meter, signal, tell, warn, protocol, tokensUntil = signal } = request;
  const { server } = login;
  const limits = await ports.limits();
  const maxMessageBytes = limits.messageMiB * 1024 * 1024;
  if ('program' in login) {
    const { program } = login;
    return new Conversation(ports, {
      ...request,
      server,
      isLocal: true,
      era: protocol === undefined ? unkept('older') : forced(protocol),
      connect: (own) => new StdioClient({ ...own, server, program, meter, maxMessageBytes, tell }),
    });
  }
  const { tokens, authorizer } = authorizerFor(ports, { login, relogin, signal: tokensUntil });
  const wire = new CookieWire(new HttpWire(ports.http), () => tokens.key);
  return new Conversation(ports, {
    ...request,
    server,
    extensions: login.key === undefined ? {} : loginExtensions(login),
    browser: login.key === undefined ? undefined : login.browser,
    era: protocol === undefined ? await keptEra(ports, login) : forced(protocol),
    connect: (own) =>
      new ProtocolClient({
        ...own,
        ...{ server, authorizer, meter, maxMessageBytes, tell, warn },
        clock: ports.clock,
        wire,
        credential: tokens,
        headersMs: limits.answerSeconds * 1000,
      }),
  });
}

/** A program is spoken with as older ones are first; what it turns out to be is forgotten with it. */
function unkept(known: Era): EraMemory {
  return { known, isForced: false, learned: async () => undefined };
}

function forced(protocol: string): EraMemory {
  const known = protocol === newestRevision ? 'newer' : 'older';
  return { known, isForced: true, learned: async () => undefined };
}

/** The part of the index that this file uses. */
interface EraIndex {
  read(): Promise<IndexDocument>;
  update(change: (document: IndexDocument) => IndexDocument): Promise<unknown>;
}

/** After seven days a server is asked anew: it may have got another release. */
const eraLastsMs = 7 * 86_400_000;

/** Verdicts that are kept, of the servers that were asked last. */
const maxEras = 256;

/** The era of a server as the index has it. Where nothing of a login is kept, its server's era is not kept either. */
async function keptEra(
  { index, clock }: { readonly index: EraIndex; readonly clock: Clock },
  { server, key, store }: { readonly server: string; readonly key?: string | undefined; readonly store?: string },
): Promise<EraMemory> {
  const now = clock.now();
  const { eras = [] } = await index.read();
  const isFresh = ({ checkedAt }: ServerEra) => checkedAt <= now && now - checkedAt < eraLastsMs;
  const known = eras.find((one) => one.server === server && isFresh(one))?.era;
  const isKept = key === undefined || (store !== 'memory' && store !== 'environment');
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

/** The time that a person takes to log in does not count. */
export function outsideTheDeadline(relogin: Relogin | undefined, deadline: PausedTime): Relogin | undefined {
  return (
    relogin &&
    (async (login, scopes, begin) => {
      deadline.stop();
      const better = await relogin(login, scopes, begin);
      deadline.restart();
      return better;
    })
  );
}

/** What a line and an event of a stream count beyond their bytes, since reading them costs more. In bytes. */
const costOfLine = 32;

const costOfEvent = 512;

/** What one call reads at most, of all responses. */
export class Allowance implements Meter {
  readonly #server: string;
  readonly #limits: Pick<Limits, 'callMiB'>;
  #left: number;
  #lines = 0;
  #events = 0;

  constructor(server: string, limits: Pick<Limits, 'callMiB'>) {
    this.#server = server;
    this.#limits = limits;
    this.#left = limits.callMiB * 1024 * 1024;
  }

  /** @throws Failure `too_large` */
  bytes(count: number): void {
    this.#left -= count;
    if (this.#left >= 0) return;
    const [lines, events] = [this.#lines, this.#events];
    const counted = lines * costOfLine + events * costOfEvent;
    const isOfPieces = counted * 8 > this.#limits.callMiB * 1024 * 1024;
    const pieces = isOfPieces ? { lines, events, costOfLine, costOfEvent } : undefined;
    throw callTooLarge(this.#server, this.#limits.callMiB, pieces);
  }

  /** @throws Failure `too_large` */
  pieces(lines: number, events: number): void {
    this.#lines += lines;
    this.#events += events;
    this.bytes(lines * costOfLine + events * costOfEvent);
  }
}
