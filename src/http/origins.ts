import type { SecureContext } from 'node:tls';
import type { AddressClass } from '../core/ip-address.js';
import { defaultLimits, type Limits } from '../core/limits.js';
import type { NamedBy } from './address-failures.js';
import type { ConnectorOptions } from './connector.js';
import { checkAddresses, checkScheme, locate, type Origin } from './origin.js';
import {
  type BorrowedFor,
  ConnectionPool,
  type MakeConnection,
  type PooledConnection,
  type PoolLimits,
} from './pool.js';
import type { Resolve } from './resolve-host.js';
import { certificateFor, loadTrust, type TrustOptions } from './trust.js';
import type { ClientConnection } from './undici-connection.js';

export interface HttpOptions extends TrustOptions {
  /** Value of the `user-agent` header. */
  readonly userAgent: string;
  /** Asks the name service: `systemResolver`, or made-up answers in a test. */
  readonly resolve: Resolve;
  /** What the person allows; not given: the usual. */
  readonly limits?: Limits;
}

/** How connections are made; asked when the first is needed. */
type LoadEngine<C extends PooledConnection> = (connector: ConnectorOptions) => Promise<MakeConnection<C>>;

/**
 * The origins that have open connections. An origin is looked up and checked when it has no connection; while it has,
 * the same addresses serve, and each request is checked anew against their classes by who named it.
 */
export class Origins<C extends PooledConnection> implements AsyncDisposable {
  readonly #options: HttpOptions;
  readonly #limits: PoolLimits;
  readonly #connector: ConnectorOptions;
  readonly #load: LoadEngine<C>;
  readonly #open = new Map<string, ConnectionPool<C>>();
  readonly #all = new Set<ConnectionPool<C>>();
  /** Host names that a person named. */
  readonly #persons = new Set<string>();

  /** @param load Which engine speaks HTTP over the connections */
  constructor(options: HttpOptions, limits: PoolLimits, load: LoadEngine<C>) {
    this.#options = options;
    this.#limits = limits;
    this.#connector = {
      connectMs: (options.limits ?? defaultLimits).connectSeconds * 1000,
      trust: trustOnce(options),
    };
    this.#load = load;
  }

  /**
   * The connections for a URL that who named it may reach.
   * @throws Failure `url_refused`, `address_refused`, `network_failed`, `timed_out`,
   *   `network_setting_unusable`
   */
  async find(url: URL, namedBy: NamedBy, signal: AbortSignal): Promise<ConnectionPool<C>> {
    const origin = await this.check(url, namedBy, signal);
    const open = this.#open.get(url.origin);
    // Another request may meanwhile have opened other addresses, for somebody who may go farther.
    return open?.origin === origin ? open : this.#openFor(origin);
  }

  /** What `find` would give a person for that origin, at once; undefined where it has to be looked up first. */
  open(origin: string): ConnectionPool<C> | undefined {
    this.#open.get(origin)?.prune();
    return this.#open.get(origin);
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
  ): Promise<void> | undefined {
    const open = this.open(origin);
    const free = open?.borrowNow(kind);
    if (open !== undefined && free !== undefined) {
      if (!use(free)) open.release(free);
      return undefined;
    }
    const wait = async (): Promise<void> => {
      const pool = await this.find(url, 'person', signal);
      const connection = await pool.borrow(kind, signal);
      if (!use(connection)) pool.release(connection);
    };
    return wait();
  }

  /** Where a URL leads, when who named it may reach that; nothing is connected to. @throws as `find` */
  async check(url: URL, namedBy: NamedBy, signal: AbortSignal): Promise<Origin> {
    checkScheme(url, namedBy);
    const { resolve, env } = this.#options;
    const { connectMs } = this.#connector;
    const origin = this.open(url.origin)?.origin ?? (await locate(url, namedBy, { resolve, env, connectMs }, signal));
    checkAddresses(url, this.#classesFor(origin, namedBy), namedBy);
    if (namedBy === 'person') this.#persons.add(origin.host);
    return origin;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#all].map((pool) => pool[Symbol.asyncDispose]()));
  }

  /**
   * A name that leads to near and far addresses is refused to a server, as an attack that is half made. The person's
   * own host may be such a name (its private address beside a global one): it is of the class that is connected to.
   */
  #classesFor({ host, classes, zone }: Origin, namedBy: NamedBy): readonly AddressClass[] {
    const isOwn = namedBy !== 'person' && classes.length > 1 && this.#persons.has(host);
    return isOwn && !classes.includes('forbidden') ? [zone] : classes;
  }

  /** Two first requests at once may both have looked up: they share when they found the same. */
  async #openFor(origin: Origin): Promise<ConnectionPool<C>> {
    const make = await this.#load(this.#connector);
    const other = this.#open.get(origin.url);
    if (other !== undefined && sameAddresses(other.origin, origin)) return other;
    const forget = (some: ConnectionPool<C>): void => {
      if (this.#open.get(origin.url) === some) this.#open.delete(origin.url);
    };
    const pool = new ConnectionPool(origin, make, this.#limits, {
      opened: (some) => void this.#all.add(some),
      emptied: (empty) => {
        this.#all.delete(empty);
        forget(empty);
      },
      // What is connected stays so: a stream there may be all that kept the old addresses.
      unreachable: forget,
    });
    this.#open.set(origin.url, pool);
    return pool;
  }
}

function sameAddresses(one: Origin, other: Origin): boolean {
  return [...one.addresses].sort().join() === [...other.addresses].sort().join();
}

/** Origins whose connections are undici's: those of the client. */
export function openClientOrigins(options: HttpOptions, limits: PoolLimits): Origins<ClientConnection> {
  return new Origins(options, limits, async (connector) => {
    const { ClientConnection, loadClient } = await import('./undici-connection.js');
    const client = await loadClient();
    return (origin, owner) => new ClientConnection(client, origin, connector, owner);
  });
}

/** Authorities are read once, and so is each certificate that is shown. */
function trustOnce(options: HttpOptions): ConnectorOptions['trust'] {
  const trusts = new Map<string, Promise<SecureContext>>();
  return (origin) => {
    const certificate = certificateFor(options, origin);
    const name = certificate?.certFile ?? '';
    const loaded = trusts.get(name) ?? loadTrust(options, certificate);
    trusts.set(name, loaded);
    return loaded;
  };
}
