import { holdSession } from '../core/secret.js';
import { protocolBroken } from './failures.js';
import { ParameterHeaders, usableRevision } from './headers/message-headers.js';

/** The host's messages that opened the session, kept to open another one. */
export interface Opening {
  readonly initialize: Uint8Array;
  initialized: Uint8Array | undefined;
}

type Header = readonly [name: string, value: string];

/** Headers of every message. */
export const everyMessage: readonly Header[] = [
  ['content-type', 'application/json'],
  ['accept', 'application/json, text/event-stream'],
];

/** The protocol session (`Mcp-Session-Id`) of the older era, from the response to `initialize` on. */
export class Session {
  readonly #server: string;
  #sessionId: string | undefined;
  #revision: string | undefined;
  /** Grows with each session. */
  number = 0;
  opening: Opening | undefined;
  readonly parameterHeaders = new ParameterHeaders();
  #key: string | undefined;

  constructor(server: string) {
    this.#server = server;
  }

  /** The negotiated revision. */
  get revision(): string | undefined {
    return this.#revision;
  }

  get hasId(): boolean {
    return this.#sessionId !== undefined;
  }

  clear(): void {
    this.#sessionId = undefined;
    this.#revision = undefined;
    this.number += 1;
  }

  /**
   * Takes the identifier that came with the response to `initialize`, for the credential that asked for it.
   * @throws Failure `protocol_broken`
   */
  takeId(value: string | undefined, key: string | undefined): void {
    if (!usableSessionId(value)) throw protocolBroken(this.#server, 'its session identifier has forbidden characters');
    if (value !== undefined) holdSession(value);
    this.#sessionId = value;
    this.#key = key;
  }

  /** Takes the revision that the response to `initialize` names. @throws Failure `protocol_broken` */
  takeRevision(revision: string | undefined): void {
    if (!usableRevision(revision)) {
      throw protocolBroken(this.#server, 'its answer to initialize names no protocol version');
    }
    this.#revision = revision;
  }

  /** Whether it was opened with that credential: another one may not use it. */
  isOf(key: string | undefined): boolean {
    return this.#key === key;
  }

  /** The headers of each request of this session, with that credential. */
  headers(key: string | undefined): readonly Header[] {
    return [
      ...(this.#sessionId === undefined || !this.isOf(key) ? [] : ([['mcp-session-id', this.#sessionId]] as const)),
      ...(this.#revision === undefined ? [] : ([['mcp-protocol-version', this.#revision]] as const)),
    ];
  }
}

/** A session identifier is visible ASCII, at most 1,024 characters. */
function usableSessionId(value: string | undefined): boolean {
  return value === undefined || (/^[\x21-\x7e]+$/.test(value) && value.length <= 1024);
}
