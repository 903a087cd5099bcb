import type { Pending } from './pending.js';
import type { MessageShape } from './scan-message.js';

/** A JSON text of the server, as the host has read it. */
export interface Incoming {
  readonly text: Uint8Array;
  /** Several in a batch. */
  readonly messages: readonly Pick<MessageShape, 'kind' | 'id'>[];
}

/** Takes the server's messages: a program behind stdin and stdout, or a command in this process. */
export interface MessageHost {
  /**
   * Undefined for what is no message.
   * @param asked The request that this responds to: an error without an id is its response.
   * @throws Failure `protocol_broken`
   */
  read(text: Uint8Array, asked: Pending | undefined): Incoming | undefined;
  /** Takes what `read` has returned, if it is for the host. Never blocks: look at `isFull`. */
  write(incoming: Incoming): void;
  /** The revision in a response to `initialize`. */
  revisionIn(incoming: Incoming): string | undefined;
  /** Whether texts are used after `write`. If not, their memory is reused. */
  readonly keepsTexts: boolean;
  readonly isFull: boolean;
  /** Calls once, when it is no longer full. */
  whenDrained(then: () => void): void;
}
