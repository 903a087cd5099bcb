import type { Server } from 'node:net';
import type { Failure } from '../core/failure.js';
import type { SharedEngine } from './engine/redis.js';

/** A login that is kept fresh, as far as it is known here. */
export interface KeptLogin {
  /** Of its record. */
  readonly key: string;
  /** For people and metrics: its name, else its server without query. No two logins have the same. */
  readonly label: string;
  /** Milliseconds since 1970; null: it never ends, or nobody knows. */
  readonly expiresAt: number | null;
  readonly obtainedAt: number;
  /** `ended`: only a person can log in again. `unrefreshable`: it is used to its end. */
  readonly state: 'kept' | 'ended' | 'unrefreshable';
}

/** The token that a login has now: another machine may have refreshed it. */
export type TokenLife = Pick<KeptLogin, 'expiresAt' | 'obtainedAt'>;

/** The logins that a keeper looks after. Nothing here asks a person. */
export interface FleetLogins {
  /** @throws Failure of the store */
  list(signal: AbortSignal): Promise<readonly KeptLogin[]>;
  /** Refreshes it where it lives no longer than `minLifeMs`. @throws Failure as `validToken` */
  refresh(login: KeptLogin, minLifeMs: number, signal: AbortSignal): Promise<TokenLife>;
}

/** Being the one of several keepers that works. */
export interface Leadership {
  /** By the clock of this process: true only while nobody else can be. */
  isHeld(): boolean;
  /** Aborted when it is lost. */
  readonly lost: AbortSignal;
  /** Lets another keeper begin at once. Never throws a failure. */
  release(): Promise<void>;
}

/** Waits until this keeper is the one that works. @throws the signal's reason */
export type Lead = (signal: AbortSignal) => Promise<Leadership>;

/** What a keeper tells as it happens. Nothing of it is a secret. */
export type KeeperEvent =
  | { readonly event: 'started'; readonly metrics: string | null; readonly store: string | null }
  | { readonly event: 'leading' }
  | { readonly event: 'standing_by'; readonly leader: string }
  | { readonly event: 'stepped_down' }
  | { readonly event: 'refreshed'; readonly login: string; readonly expiresAt: number | null }
  | {
      readonly event: 'refresh_failed';
      readonly login: string;
      readonly failure: Failure;
      /** Null: only a user can fix it, and it is not tried again before. */
      readonly retryInMs: number | null;
    }
  | { readonly event: 'store_failed'; readonly failure: Failure; readonly retryInMs: number }
  | { readonly event: 'store_back' }
  | { readonly event: 'clock_set_back'; readonly byMs: number }
  | { readonly event: 'ended' };

export type TellEvent = (event: KeeperEvent) => void;

/** Binds a server to 127.0.0.1, or to a socket that is its owner's alone. */
export type ListenLocally = (
  server: Server,
  where: { readonly port: number } | { readonly socket: string },
) => Promise<{ readonly origin: string; readonly authorities: ReadonlySet<string> }>;

export interface FleetPorts {
  /** The engine of a shared store, by its address (`redis:…`). The caller closes it. @throws Failure as `openEngine` of `engine/redis.ts` */
  readonly openEngine: (address: string) => Promise<SharedEngine>;
}
