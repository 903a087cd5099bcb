import type { Limits } from '../../primitives/limits.js';

/** How long the keychain may take, milliseconds, and what it holds. */
export interface KeychainLimits {
  /** For the look at the Secret Service before each use. */
  readonly probeMs: number;
  /** For reading or writing one item. */
  readonly operationMs: number;
  /** For a person to unlock it. */
  readonly unlockMs: number;
  /** Before the person is told what is waited for. */
  readonly noticeMs: number;
  /** Most UTF-16 code units that one item of the platform holds. */
  readonly maxItemLength: number;
  /** Most bytes of UTF-8 in one value. */
  readonly maxValueBytes: number;
}

/** The limits for a platform, as `process.platform` names it, and what the person allows. */
export function keychainLimits(
  platform: string,
  { storeSeconds, unlockSeconds }: Pick<Limits, 'storeSeconds' | 'unlockSeconds'>,
): KeychainLimits {
  return {
    probeMs: storeSeconds * 200, // a fifth: 1 s where nothing else is set
    operationMs: storeSeconds * 1000,
    unlockMs: unlockSeconds * 1000,
    noticeMs: 1_500,
    // CRED_MAX_CREDENTIAL_BLOB_SIZE is 2,560 bytes, and the package stores UTF-16.
    maxItemLength: platform === 'win32' ? 1_280 : Number.POSITIVE_INFINITY,
    maxValueBytes: 65_536,
  };
}
