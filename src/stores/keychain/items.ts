import type { Limits } from '../../core/limits.js';
import type { Clock } from '../../core/ports.js';

/** Single items of a keychain, each at most as long as the platform allows. */
export interface Items {
  get(account: string): Promise<string | undefined>;
  set(account: string, text: string): Promise<void>;
  /** False when there was none. */
  delete(account: string): Promise<boolean>;
}

/** How long the keychain may take, milliseconds, and what it holds. */
export interface KeychainLimits {
  /** For one use of it. */
  readonly operationMs: number;
  /** For a person to unlock it. */
  readonly unlockMs: number;
  /** Before a line says what is waited for. */
  readonly noticeMs: number;
  /** UTF-16 code units that one item of the platform holds. */
  readonly maxItemLength: number;
}

/** The limits for a platform, as `process.platform` names it, and what the person allows. */
export function keychainLimits(
  platform: string,
  { storeSeconds, unlockSeconds }: Pick<Limits, 'storeSeconds' | 'unlockSeconds'>,
): KeychainLimits {
  return {
    operationMs: storeSeconds * 1000,
    unlockMs: unlockSeconds * 1000,
    noticeMs: 1_500,
    // CRED_MAX_CREDENTIAL_BLOB_SIZE is 2,560 bytes, and the package stores UTF-16.
    maxItemLength: platform === 'win32' ? 1_280 : Number.POSITIVE_INFINITY,
  };
}

export interface KeychainOptions {
  /** As `process.platform` names it. */
  readonly platform: string;
  /** The environment of this process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Is there a person who could unlock the keychain now? */
  readonly interactive: boolean;
  /** Takes a line for that person. */
  readonly notify: (line: string) => void;
  readonly limits: KeychainLimits;
}

/** Every item of this program has this service name; with its account it is what finds it. */
export const service = 'postern';

/** The attributes that the package gives to an item of the Secret Service. */
export function attributesOf(account: string): Readonly<Record<string, string>> {
  return { service, username: account };
}
