/** A limit in time or size that a person can set: `key` in the configuration ends with its unit. */
export interface LimitSetting {
  readonly key: string;
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
  /** What it holds for; ends the sentence "the limit …". */
  readonly describe: string;
}

export const limitSettings = [
  {
    key: 'connectSeconds',
    fallback: 5,
    min: 1,
    max: 60,
    describe: 'for looking up a name, and for opening a connection',
  },
  {
    key: 'metadataSeconds',
    fallback: 10,
    min: 1,
    max: 120,
    describe: 'for the first request to a server, and for each metadata document',
  },
  { key: 'metadataKiB', fallback: 256, min: 16, max: 4096, describe: 'for the size of each of these' },
  { key: 'discoverySeconds', fallback: 30, min: 1, max: 600, describe: 'for all of these together' },
  {
    key: 'tokenSeconds',
    fallback: 15,
    min: 1,
    max: 120,
    describe: 'for each answer of a token, device or registration endpoint',
  },
  { key: 'tokenKiB', fallback: 64, min: 4, max: 1024, describe: 'for the size of each of these' },
  { key: 'revocationSeconds', fallback: 5, min: 1, max: 60, describe: 'for the revocation at a logout' },
  {
    key: 'answerSeconds',
    fallback: 60,
    min: 1,
    max: 3600,
    describe: 'until the answer to a call or request begins',
  },
  { key: 'messageMiB', fallback: 32, min: 1, max: 1024, describe: 'for the size of one protocol message' },
  {
    key: 'callMiB',
    fallback: 128,
    min: 1,
    max: 16_384,
    describe: 'for the size of all that one call reads; each event counts 512 bytes more, each line of a stream 32',
  },
  {
    key: 'callPages',
    fallback: 100,
    min: 1,
    max: 10_000,
    describe: 'for the pages of a list that one call reads',
  },
  {
    key: 'storeSeconds',
    fallback: 5,
    min: 1,
    max: 60,
    describe: 'for one use of the keychain or of a credential helper',
  },
  { key: 'unlockSeconds', fallback: 120, min: 5, max: 600, describe: 'for a person to unlock the keychain' },
] as const satisfies readonly LimitSetting[];

export type LimitKey = (typeof limitSettings)[number]['key'];

/** What each limit is set to, in the unit that its name ends with. */
export type Limits = Readonly<Record<LimitKey, number>>;

/** The limits where nobody has set any. */
export const defaultLimits = Object.fromEntries(limitSettings.map(({ key, fallback }) => [key, fallback])) as Limits;
