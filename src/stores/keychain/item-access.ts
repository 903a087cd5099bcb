import type { Failure } from '../../core/failure.js';
import type { Limits } from '../../core/limits.js';
import type { Clock } from '../../core/ports.js';
import { storeFailed, storeLocked, storeTimeout, storeUnavailable, type Unavailable } from '../failures.js';
import { type ItemAnswer, type ItemRequest, performItemRequest } from './keychain-requests.js';
import { type Health, probeSecretService } from './probe.js';

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

export interface KeychainOptions {
  /** As `process.platform` names it. */
  readonly platform: string;
  /** The environment of this process: the package looks at that one, whatever stands here. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Is there a person who could unlock the keychain now? */
  readonly interactive: boolean;
  /** Takes a line for that person. */
  readonly notify: (line: string) => void;
  readonly limits: KeychainLimits;
}

/** Performs requests, each after a look at the keychain, none without a limit. */
export interface ItemAccess {
  perform(request: ItemRequest): Promise<ItemValue>;
  /** Makes sure that the keychain is open, with the person's help if need be. */
  open(): Promise<void>;
}

type ItemValue = string | boolean | null;

/** The package gives up on a call after 2 s of its own: a failure that took so long and left a healthy keychain is
 * one of a machine that has too much to do, and worth another try. */
const slowMs = 1_000;

type Setting = 'here' | 'child' | 'unlock';

/** After one time-out every further request fails at once: what hangs does not hang once for each item. */
export function createItemAccess(options: KeychainOptions): ItemAccess {
  let gaveUp: Failure | undefined;
  const { clock, limits } = options;
  const attempt = async (request: ItemRequest, health: Health | undefined, until: number): Promise<ItemValue> => {
    const setting = settingFor(options, health);
    const since = clock.monotonic();
    const limitMs = setting === 'unlock' ? limits.unlockMs : Math.max(1, until - since);
    const limited = await withLimit(options, request, setting, limitMs);
    if (limited !== 'timeout' && limited.ok) return limited.value;
    const failure =
      limited === 'timeout' ? timeoutOf(options, request, setting) : await explain(options, request, limited);
    const now = clock.monotonic();
    if (failure.code === 'store_failed' && now - since >= slowMs && now < until) {
      return attempt(request, await look(options), until);
    }
    if (limited === 'timeout' || failure.code === 'store_timeout') gaveUp = failure;
    throw failure;
  };
  return {
    perform: async (request) => {
      if (gaveUp !== undefined) throw gaveUp;
      return await attempt(request, await look(options), clock.monotonic() + limits.operationMs);
    },
    open: async () => {
      if (gaveUp !== undefined) throw gaveUp;
      const health = await look(options);
      if (health !== 'healthy' && settingFor(options, health) !== 'here') {
        const until = clock.monotonic() + limits.operationMs;
        await attempt({ operation: 'unlock', account: 'postern-unlock' }, health, until);
      }
    },
  };
}

/** Undefined where there is nothing to look at (macOS, Windows). */
function look({ platform, env, limits }: KeychainOptions): Promise<Health | undefined> {
  return platform === 'darwin' || platform === 'win32'
    ? Promise.resolve(undefined)
    : probeSecretService(env, limits.probeMs);
}

/**
 * Where a request is performed: in this process only where it cannot hang, which are an open Secret Service and
 * Windows. macOS may ask the person whether this program is allowed.
 */
function settingFor(options: KeychainOptions, health: Health | undefined): Setting {
  switch (health) {
    case undefined:
      return options.platform === 'win32' ? 'here' : 'child';
    case 'healthy':
      return 'here';
    case 'locked':
      if (!options.interactive) throw storeLocked(options.platform);
      return 'unlock';
    case 'hung':
    case 'unknown':
      return 'child';
    default:
      throw storeUnavailable(unavailable(options, health));
  }
}

/** A variable that is not set leads nowhere, either, but is none to look at. */
function unavailable({ env }: KeychainOptions, health: Exclude<Unavailable, 'no_bus_named'>): Unavailable {
  return health === 'no_bus' && (env['DBUS_SESSION_BUS_ADDRESS'] ?? '') === '' ? 'no_bus_named' : health;
}

async function withLimit(
  options: KeychainOptions,
  request: ItemRequest,
  setting: Setting,
  limitMs: number,
): Promise<ItemAnswer | 'timeout'> {
  const { clock, limits, env, notify } = options;
  const over = new AbortController();
  const kill = new AbortController();
  const after = (ms: number) =>
    clock.sleep(ms, over.signal).then(
      () => true,
      () => false,
    );
  if (setting === 'unlock') {
    void after(limits.noticeMs).then((waited) => {
      if (waited) notify('The keychain is locked: waiting for its prompt to be answered.');
    });
  }
  const answer =
    setting === 'here'
      ? performItemRequest(request)
      : (await import('./keychain-requests.js')).requestInChild(request, env, kill.signal);
  try {
    return await Promise.race([answer, after(limitMs).then(() => 'timeout' as const)]);
  } finally {
    over.abort();
    kill.abort();
    answer.catch(() => undefined);
  }
}

function timeoutOf(options: KeychainOptions, request: ItemRequest, setting: Setting): Failure {
  return setting === 'unlock'
    ? storeLocked(options.platform, 'unanswered')
    : storeTimeout(options.platform, request.operation, options.limits.operationMs);
}

/** Why a request failed: the package's words do not tell, so the keychain is looked at again. */
async function explain(
  options: KeychainOptions,
  request: ItemRequest,
  answer: Extract<ItemAnswer, { readonly ok: false }>,
): Promise<Failure> {
  const cause = new Error(answer.message);
  if (answer.problem === 'no_package') return storeUnavailable('no_package', cause);
  const health = await look(options);
  switch (health) {
    case 'locked':
      return storeLocked(options.platform, options.interactive ? 'denied' : undefined);
    case 'no_bus':
    case 'foreign_bus':
    case 'no_service':
    case 'no_collection':
      return storeUnavailable(unavailable(options, health), cause);
    case 'hung':
      return storeTimeout(options.platform, request.operation, options.limits.probeMs);
    default:
      return storeFailed(request.operation, cause);
  }
}
