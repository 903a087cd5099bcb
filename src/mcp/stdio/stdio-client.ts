import { Failure } from '../../core/failure.js';
import type { MessageClient } from '../client.js';
import type { Meter, Outcome } from '../exchange.js';
import { protocolBroken, serverEnded } from '../failures.js';
import { Inbound, type MessageHost } from '../inbound.js';
import { endless, type Pending, type PendingRequests } from '../pending.js';
import type { MessageShape } from '../scan-message.js';
import { Session } from '../session.js';
import type { StreamEnd } from '../streams.js';
import { LineSplitter, type SplitLine } from './line-splitter.js';

/** Takes what a program writes. */
export interface ProgramTaker {
  /** @param chunk Of its stdout. Its memory is the taker's. */
  data(chunk: Uint8Array): void;
  /** It has ended. @param how Such as `exit code 1`. */
  ended(how: string): void;
}

/** A program that was started as a server. Disposing of it closes its stdin, and ends it where that does not. */
export interface ServerProgram extends AsyncDisposable {
  /** Tells what comes, from now on. */
  listen(taker: ProgramTaker): void;
  /** Resolves once the system has taken it, or the program has ended. */
  write(bytes: Uint8Array): Promise<void>;
  pause(): void;
  resume(): void;
}

interface StdioOptions {
  /** What it is called in failures. */
  readonly server: string;
  readonly program: ServerProgram;
  readonly host: MessageHost;
  readonly pending: PendingRequests;
  readonly meter: Meter | undefined;
  /** Most bytes of one message. */
  readonly maxMessageBytes: number;
  /** A line for whoever reads the log. */
  readonly tell: (line: string) => void;
}

/** Speaks the protocol with a program: each message is a line of its stdin or stdout (stdio transport). */
export class StdioClient implements MessageClient {
  readonly #options: StdioOptions;
  readonly #inbound: Inbound;
  readonly #lines: LineSplitter;
  readonly #over: Promise<StreamEnd>;
  #close: (end: StreamEnd) => void = () => undefined;
  #ended: unknown;
  #isOver = false;
  /** Lines that are no messages. */
  #odd = 0;

  constructor(options: StdioOptions) {
    this.#options = options;
    const { server, host, pending, tell, program, maxMessageBytes } = options;
    this.#inbound = new Inbound({ server, host, pending, session: new Session(server), tell });
    this.#lines = new LineSplitter(maxMessageBytes);
    this.#over = new Promise((resolve) => {
      this.#close = resolve;
    });
    program.listen({
      data: (chunk) => this.#data(chunk),
      ended: (how) => {
        this.#take(this.#lines.finish());
        this.#end(serverEnded(server, how));
      },
    });
  }

  get listening(): Promise<void> {
    return Promise.resolve();
  }

  get over(): Promise<StreamEnd> {
    return this.#over;
  }

  async request(text: Uint8Array, message: MessageShape, pending: Pending): Promise<Outcome | undefined> {
    pending.exchange = endless;
    await this.tell(text, message);
    await Promise.race([pending.settled, this.#over]);
    if (!this.#options.pending.has(pending) || pending.isCancelled) return undefined;
    throw this.#ended;
  }

  async tell(text: Uint8Array, _message: MessageShape): Promise<undefined> {
    if (this.#isOver) throw this.#ended;
    await this.#options.program.write(Buffer.concat([text, lineFeed]));
  }

  end(reason: Failure): void {
    this.#end(reason);
  }

  async endSession(): Promise<void> {
    // Such a session ends with the program.
  }

  #end(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ended = reason;
    this.#close({ wasOpen: true, error: reason });
  }

  #data(chunk: Uint8Array): void {
    if (this.#isOver) return;
    const { meter, host, program } = this.#options;
    try {
      meter?.bytes(chunk.byteLength);
      const lines = this.#lines.push(chunk);
      meter?.pieces(lines.length, lines.length);
      this.#take(lines);
    } catch (error) {
      this.#end(error);
      return;
    }
    if (!host.isFull) return;
    program.pause();
    host.whenDrained(() => program.resume());
  }

  /** @throws Failure `protocol_broken` for a line that is too long; whatever the host throws */
  #take(lines: readonly SplitLine[]): void {
    const { server, maxMessageBytes, tell } = this.#options;
    for (const line of lines) {
      if (line === 'too_long') {
        throw protocolBroken(server, `a message is larger than ${maxMessageBytes / 1024 / 1024} MiB`);
      }
      try {
        this.#inbound.take(line);
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'protocol_broken') throw error;
        // Some print a greeting there. Who waits for a response will learn that none came.
        this.#odd += 1;
        if (Number.isInteger(Math.log10(this.#odd)))
          tell('The server wrote a line that is no message; it was left out.');
      }
    }
  }
}

const lineFeed = new Uint8Array([0x0a]);
