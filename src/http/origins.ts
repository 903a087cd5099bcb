import { defaultLimits, type Limits } from '../core/limits.js';
import type { ConnectorOptions } from './connector.js';
import type { NamedBy } from './failures.js';
import { checkAddresses, checkScheme, locate, type Origin, type Resolve } from './origin.js';
import {
  type BorrowedFor,
  ConnectionPool,
  type MakeConnection,
  type PooledConnection,
  type PoolLimits,
} from './pool.js';
import { type TrustOptions, trustBy } from './trust.js';

export interface HttpOptions extends TrustOptions {
  /** Value of the `user-agent` header. */
  readonly userAgent: string;
  /** Asks the name service; the system does, unless a test makes up addresses. */
  readonly resolve?: Resolve | undefined;
  /** What the person allows; not given: the usual. */
  readonly limits?: Limits;
}

/** How connections are made; asked when the first is needed. */
type LoadEngine<C extends PooledConnection> = (connector: ConnectorOptions) => Promise<MakeConnection<C>>;

/**
 * The origins that have open connections. An origin is looked up and checked when it has no connection; while it has,
 * the same addresses serve, and each request is checked anew against their classes by its source.
 */
export class Origins<C extends PooledConnection> implements AsyncDisposable {
  readonly #options: HttpOptions;
  readonly #limits: PoolLimits;
  readonly #connector: ConnectorOptions;
  readonly #load: LoadEngine<C>;
  /** The latest pool of each origin. Connections of an earlier one stay: a stream there may be all that kept it. */
  readonly #pools = new Map<string, ConnectionPool<C>>();
  readonly #connected = new Set<ConnectionPool<C>>();
  /** Host names that a person named. */
  readonly #persons = new Set<string>();

  /** @param load Which engine speaks HTTP over the connections */
  constructor(options: HttpOptions, limits: PoolLimits, load: LoadEngine<C>) {
    this.#options = options;
    this.#limits = limits;
    this.#connector = { connectMs: (options.limits ?? defaultLimits).connectSeconds * 1000, trust: trustBy(options) };
    this.#load = load;
  }

  /**
   * The connections for a URL, where its source (`namedBy`) may reach it.
   * @throws Failure `url_refused`, `address_refused`, `network_failed`, `timed_out`,
   *   `network_setting_unusable`
   */
  async find(url: URL, namedBy: NamedBy, signal: AbortSignal): Promise<ConnectionPool<C>> {
    const origin = await this.check(url, namedBy, signal);
    const open = this.open(url.origin);
    // Another request may meanwhile have opened other addresses, for a source that may reach more.
    return open?.origin === origin ? open : this.#openFor(origin);
  }

  /** What `find` would give a person for that origin, at once; undefined where it has to be looked up first. */
  open(origin: string): ConnectionPool<C> | undefined {
    const pool = this.#pools.get(origin);
    pool?.prune();
    return pool?.isStale === false ? pool : undefined;
  }

  /**
   * Lends a connection for a URL that a person named: at once where one is free, else when it is there.
   * @param use False: it is not wanted any more @throws as `find`, the signal's reason
   */
  lend(
    { url, origin }: { readonly url: URL; readonly origin: string },
    kind: BorrowedFor,
    signal: AbortSignal,
    use: (connection: C) => boolean,
    fresh = false,
  ): Promise<void> | undefined {
    const open = this.open(origin);
    const free = open?.borrowNow(kind, fresh);
    if (open !== undefined && free !== undefined) {
      if (!use(free)) open.release(free);
      return undefined;
    }
    const wait = async (): Promise<void> => {
      const pool = await this.find(url, 'person', signal);
      const connection = await pool.borrow(kind, signal, fresh);
      if (!use(connection)) pool.release(connection);
    };
    return wait();
  }

  /** Where a URL leads, if its source may reach that; connects to nothing. @throws as `find` */
  async check(url: URL, namedBy: NamedBy, signal: AbortSignal): Promise<Origin> {
    checkScheme(url, namedBy);
    const { connectMs } = this.#connector;
    const origin =
      this.open(url.origin)?.origin ?? (await locate(url, namedBy, { ...this.#options, connectMs }, signal));
    checkAddresses(url, this.#classesFor(origin, namedBy), namedBy);
    if (namedBy === 'person') this.#persons.add(origin.host);
    return origin;
  }

  /** Did a person name the host of this URL? */
  isPersons({ host, hostname }: URL): boolean {
    return this.#persons.has(hostname) || this.#persons.has(host);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#connected].map((pool) => pool[Symbol.asyncDispose]()));
  }

  /**
   * A name that leads to near and far addresses is refused to a server, as an attack that is half made. The person's
   * own host may be such a name (its private address and a global one): it is of the class that is connected to.
   */
  #classesFor({ host, classes, zone }: Origin, namedBy: NamedBy): Origin['classes'] {
    const isOwn = namedBy !== 'person' && classes.length > 1 && this.#persons.has(host);
    return isOwn && !classes.includes('forbidden') ? [zone] : classes;
  }

  /** Two first requests at once may both have looked up: they share when they found the same. */
  async #openFor(origin: Origin): Promise<ConnectionPool<C>> {
    const make = await this.#load(this.#connector);
    const other = this.open(origin.url);
    if (other !== undefined && sameAddresses(other.origin, origin)) return other;
    const pool = new ConnectionPool(origin, make, this.#limits, this.#connected);
    this.#pools.set(origin.url, pool);
    return pool;
  }
}

function sameAddresses(one: Origin, other: Origin): boolean {
  return [...one.addresses].sort().join() === [...other.addresses].sort().join();
}
