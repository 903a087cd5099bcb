import type { Failure } from '../../core/failure.js';
import type { Limits } from '../../core/limits.js';
import type { Clock } from '../../core/ports.js';
import { within } from '../../core/time.js';
import {
  itemLocked,
  type KeychainName,
  storeFailed,
  storeLocked,
  storeTimeout,
  storeUnavailable,
  type Unavailable,
  waitingNotice,
} from './failures.js';
import type { Items } from './item-parts.js';
import {
  type ItemRequest,
  type ItemResponse,
  macosTrouble,
  performItemRequest,
  requestInChild,
} from './keychain-requests.js';
import { type Probe, probeSecretService } from './probe.js';
import { readSecret, replaceSecret } from './read-item.js';
import { asksNoMore } from './service-name.js';
import { SessionBus } from './session-bus.js';

/** How long the keychain may take, milliseconds, and what it holds. */
export interface KeychainLimits {
  /** For the look at the Secret Service before each use. */
  readonly probeMs: number;
  /** For reading or writing one item. */
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
    probeMs: storeSeconds * 200, // a fifth: 1 s where nothing else is set
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
  /** The environment of this process, which the package reads. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Is there a person who could unlock the keychain now? */
  readonly interactive: boolean;
  /** Takes a line for that person. */
  readonly notify: (line: string) => void;
  readonly limits: KeychainLimits;
}

/** The package gives up on a call after 2 s. A failure that took this long, of a healthy keychain, is worth another try. */
const slowMs = 1_000;

/** How long a Secret Service that has ended may take to be there again, and between two looks. */
const backMs = 2_000;
const pauseMs = 100;
const unended = new AbortController().signal;

/** What a look at the keychain showed. On macOS and Windows there is nothing to look at. */
type Seen = Probe | { readonly health: undefined; readonly service: KeychainName };

/** Where a request is performed: in this process, in a child, or in a child while a person unlocks the keychain. */
type Setting = 'here' | 'child' | 'unlock';

/**
 * Performs requests, each after a probe of the keychain and with a time limit. After one time-out every further request
 * fails at once: a keychain that hangs does not hang once for each item.
 */
export class ItemAccess implements Items {
  readonly #options: KeychainOptions;
  readonly #bus: SessionBus;
  #gaveUp: Failure | undefined;

  constructor(options: KeychainOptions) {
    this.#options = options;
    this.#bus = new SessionBus(options.env);
  }

  async get(account: string): Promise<string | undefined> {
    const text = await this.#perform({ operation: 'read', account });
    return typeof text === 'string' ? text : undefined;
  }

  async set(account: string, text: string): Promise<void> {
    await this.#perform({ operation: 'write', account, text });
  }

  async delete(account: string): Promise<boolean> {
    return (await this.#perform({ operation: 'remove', account })) === true;
  }

  /** Unlocks the keychain, with the person's help, if it is locked. */
  async open(): Promise<void> {
    if (this.#gaveUp !== undefined) throw this.#gaveUp;
    const seen = await this.#look();
    if (seen.health === 'healthy' || this.#settingFor(seen) === 'here') return;
    await this.#attempt({ operation: 'unlock', account: 'postern-unlock' }, seen, this.#deadline());
  }

  async #perform(request: ItemRequest): Promise<string | boolean | null> {
    if (this.#gaveUp !== undefined) throw this.#gaveUp;
    const deadline = this.#deadline();
    return await this.#attempt(request, await this.#look(request.account), deadline);
  }

  #deadline(): number {
    return this.#options.clock.monotonic() + this.#options.limits.operationMs;
  }

  async #attempt(request: ItemRequest, seen: Seen, deadline: number): Promise<string | boolean | null> {
    const { clock, limits } = this.#options;
    const setting = this.#settingFor(seen);
    const since = clock.monotonic();
    const here = setting === 'here' ? await this.#overBus(request, Math.max(1, deadline - since)) : undefined;
    const leftMs = setting === 'unlock' ? limits.unlockMs : deadline - clock.monotonic();
    const response = here ?? (leftMs <= 0 ? 'timeout' : await this.#within(leftMs, request, setting, seen));
    if (response !== 'timeout' && response.ok) return response.value;
    const failure = await this.#explain(request, setting, response, seen);
    const wasSlow = failure.code === 'store_failed' && clock.monotonic() - since >= slowMs;
    const isWorthAnother = wasSlow || (isGone(response, failure, seen) && (await this.#isBack(deadline)));
    if (isWorthAnother && clock.monotonic() < deadline) {
      return this.#attempt(request, await this.#look(request.account), deadline);
    }
    if (response === 'timeout' || failure.code === 'store_timeout') this.#gaveUp = failure;
    throw failure;
  }

  /** A Secret Service that has ended by itself: does the desktop, or the bus, start it anew? */
  async #isBack(deadline: number): Promise<boolean> {
    const { clock } = this.#options;
    const until = Math.min(deadline, clock.monotonic() + backMs);
    while (clock.monotonic() < until) {
      await clock.sleep(pauseMs, unended);
      const { health } = await this.#look();
      if (health !== 'no_service') return true;
    }
    return false;
  }

  async #look(account?: string): Promise<Seen> {
    const { platform, limits } = this.#options;
    if (platform === 'darwin' || platform === 'win32') return { health: undefined, service: platform };
    return await probeSecretService(this.#bus, limits.probeMs, account);
  }

  /**
   * In this process only where a request cannot hang: an unlocked Secret Service that then asks no more, and Windows.
   * macOS and KeePassXC may prompt at any request, and what others do is not known.
   */
  #settingFor({ health, service }: Seen): Setting {
    const { interactive } = this.#options;
    switch (health) {
      case undefined:
        return service === 'win32' ? 'here' : 'child';
      case 'healthy':
        if (service === 'keepassxc' && interactive) return 'unlock';
        return asksNoMore.has(service) ? 'here' : 'child';
      case 'locked':
        if (!interactive) throw storeLocked(service);
        return 'unlock';
      case 'item_locked':
        if (!interactive) throw itemLocked(service);
        return 'unlock';
      case 'hung':
      case 'unknown':
      case 'opens_when_asked':
        return 'child';
      default:
        throw storeUnavailable(this.#unavailable(health), service);
    }
  }

  /** Says whether the variable is wrong, or not set. */
  #unavailable(health: Exclude<Unavailable, 'no_bus_named'>): Unavailable {
    const isNamed = (this.#options.env['DBUS_SESSION_BUS_ADDRESS'] ?? '') !== '';
    return health === 'no_bus' && !isNamed ? 'no_bus_named' : health;
  }

  async #within(
    limitMs: number,
    request: ItemRequest,
    setting: Setting,
    { health, service }: Seen,
  ): Promise<ItemResponse | 'timeout'> {
    const { clock, limits, env, notify } = this.#options;
    const over = new AbortController();
    if (setting === 'unlock') {
      const notice = waitingNotice(service, health === 'locked');
      clock.sleep(limits.noticeMs, over.signal).then(
        () => notify(notice),
        () => undefined,
      );
    }
    const response = setting === 'here' ? performItemRequest(request) : requestInChild(request, env, over.signal);
    try {
      return (await within(clock, limitMs, response)) ?? 'timeout';
    } finally {
      over.abort();
    }
  }

  /**
   * By our own connection where an item on a bus is read, or gets another text: what the package asks first may end
   * gnome-keyring, and costs a tenth of a refresh. The package makes items, and removes them. Undefined: it was not done
   * here.
   * @param limitMs For a write; a read has its own.
   */
  async #overBus({ operation, account, text }: ItemRequest, limitMs: number): Promise<ItemResponse | undefined> {
    if (this.#options.platform === 'win32') return undefined;
    if (operation === 'read') {
      const read = await readSecret(this.#bus, account);
      if (read.ok) return { ok: true, value: read.value };
    }
    const isWritten = text !== undefined && (await replaceSecret(this.#bus, { key: account, text, ms: limitMs }));
    return isWritten ? { ok: true, value: true } : undefined;
  }

  /** Why a request failed. The package's messages do not say, so the keychain is probed again. */
  async #explain(request: ItemRequest, setting: Setting, response: 'timeout' | Failed, before: Seen): Promise<Failure> {
    const { interactive, limits } = this.#options;
    if (response === 'timeout') {
      if (setting !== 'unlock') return storeTimeout(before.service, request.operation, limits.operationMs);
      return before.health === 'locked' ? storeLocked(before.service, 'unanswered') : itemLocked(before.service);
    }
    const cause = new Error(response.message);
    if (response.problem === 'no_package') return storeUnavailable('no_package', before.service, cause);
    const { health, service } = await this.#look(request.account);
    if (health === 'no_service') return storeUnavailable('ended', before.service, cause);
    const trouble = service === 'darwin' ? macosTrouble(response.message) : undefined;
    if (trouble === 'no_collection') return storeUnavailable(trouble, service, cause);
    if (trouble !== undefined) return storeLocked(service, trouble === 'denied' ? trouble : undefined);
    switch (health) {
      case 'locked':
        return storeLocked(service, interactive ? 'denied' : undefined);
      case 'item_locked':
        return itemLocked(service);
      case 'hung':
        return storeTimeout(service, request.operation, limits.probeMs);
      case undefined:
      case 'healthy':
      case 'opens_when_asked':
      case 'unknown':
        return storeFailed(request.operation, cause);
      default:
        return storeUnavailable(this.#unavailable(health), service, cause);
    }
  }
}

type Failed = Extract<ItemResponse, { readonly ok: false }>;

/** Has a Secret Service that was there ended since? */
function isGone(response: Failed | 'timeout', { code }: Failure, { health }: Seen): boolean {
  return (
    health !== undefined && code === 'store_unavailable' && response !== 'timeout' && response.problem === 'failed'
  );
}
