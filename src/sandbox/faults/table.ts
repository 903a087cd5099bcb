import type { Answer } from '../wire/answer.js';

/** The request that a fault may spoil. */
export interface Exchange {
  readonly at: 'server' | 'authorization';
  readonly method: string;
  /** Below the issuer's path for the authorization server. */
  readonly path: string;
  readonly params: readonly (readonly [name: string, value: string])[];
}

/** One rule broken on demand. */
export interface Fault {
  readonly name: string;
  /** Rows of the attack catalogue that it plays. */
  readonly rows: readonly number[];
  /** What is done wrong, in a few words. */
  readonly what: string;
  readonly instead?: (exchange: Exchange) => Answer | undefined;
  readonly rewrite?: (exchange: Exchange, answer: Answer) => Answer;
}

export function faults(): readonly Fault[] {
  return [];
}
