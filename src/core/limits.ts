/** Key, default, minimum, maximum, and what it limits, as the end of "the limit …". */
const table = [
  ['connectSeconds', 5, 1, 60, 'for looking up a name, and for opening a connection'],
  ['metadataSeconds', 10, 1, 120, 'for the first request to a server, and for each metadata document'],
  ['metadataKiB', 256, 16, 4096, 'for the size of each of these'],
  ['discoverySeconds', 30, 1, 600, 'for all of these together'],
  ['tokenSeconds', 15, 1, 120, 'for each answer of a token, device or registration endpoint'],
  ['tokenKiB', 64, 4, 1024, 'for the size of each of these'],
  ['revocationSeconds', 5, 1, 60, 'for the revocation at a logout'],
  ['answerSeconds', 60, 1, 3600, 'until the answer to a call or request begins'],
  ['messageMiB', 32, 1, 1024, 'for the size of one protocol message'],
  [
    'callMiB',
    128,
    1,
    16_384,
    'for the size of all that one call reads; each event counts 512 bytes more, each line of a stream 32',
  ],
  ['callPages', 100, 1, 10_000, 'for the pages of a list that one call reads'],
  ['storeSeconds', 5, 1, 60, 'for one use of the keychain or of a credential helper'],
  ['leaseSeconds', 15, 2, 120, 'for a machine of a fleet to send a refresh, once it has its turn'],
  ['unlockSeconds', 120, 5, 600, 'for unlocking the keychain'],
] as const;

export type LimitKey = (typeof table)[number][0];

/** A configurable limit of time or size; `key` ends with its unit. */
export interface LimitSetting {
  readonly key: LimitKey;
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
  /** Completes "the limit …". */
  readonly describe: string;
}

export const limitSettings: readonly LimitSetting[] = table.map(([key, fallback, min, max, describe]) => ({
  key,
  fallback,
  min,
  max,
  describe,
}));

/** The value of each limit, in the unit that its name ends with. */
export type Limits = Readonly<Record<LimitKey, number>>;

/** The defaults. */
export const defaultLimits = Object.fromEntries(limitSettings.map(({ key, fallback }) => [key, fallback])) as Limits;
