import type { SecureContext } from 'node:tls';
import type { AddressClass } from '../core/ip-address.js';
import { defaultLimits, type Limits } from '../core/limits.js';
import type { Lane } from '../relay/connection.js';
import type { NamedBy } from './address-failures.js';
import type { ConnectorOptions } from './connector.js';
import { checkAddresses, checkScheme, locate, type Place } from './origin.js';
import { Lanes, type MakeLane, type MostLanes, type PooledLane } from './pool.js';
import type { Environment } from './proxy-settings.js';
import type { Resolve } from './resolve-host.js';
import { certificateFor, loadTrust, type TrustOptions } from './trust.js';
import type { ClientLane } from './undici-connection.js';

export interface DoorOptions extends TrustOptions {
  /** Value of the `user-agent` header. */
  readonly userAgent: string;
  /** Asks the name service: `systemResolver`, or made-up answers in a test. */
  readonly resolve: Resolve;
  /** What the person allows; not given: the usual. */
  readonly limits?: Limits;
}

export interface PlacesOptions<L extends PooledLane> {
  readonly resolve: Resolve;
  readonly env: Environment;
  /** Milliseconds for a look-up. */
  readonly connectMs: number;
  /** How connections are made; asked for when the first is needed. */
  readonly make: () => Promise<MakeLane<L>>;
  /** Connections to one origin. */
  readonly most: MostLanes;
}

/**
 * The places that have open connections, by origin. An origin is looked up and judged when it has no
 * connection; while it has, the same addresses serve, and each request is judged anew against their
 * classes by who named it.
 */
export class Places<L extends PooledLane> implements AsyncDisposable {
  readonly #options: PlacesOptions<L>;
  readonly #open = new Map<string, Lanes<L>>();
  readonly #all = new Set<Lanes<L>>();
  /** Host names that a person named. */
  readonly #persons = new Set<string>();

  constructor(options: PlacesOptions<L>) {
    this.#options = options;
  }

  /**
   * The connections for a URL that who named it may reach.
   * @throws Failure `url_refused`, `address_refused`, `network_failed`, `timed_out`,
   *   `network_setting_unusable`
   */
  async find(url: URL, namedBy: NamedBy, signal: AbortSignal): Promise<Lanes<L>> {
    const place = await this.judge(url, namedBy, signal);
    const open = this.#open.get(url.origin);
    // Another request may meanwhile have opened other addresses, for somebody who may go farther.
    return open?.place === place ? open : this.#openFor(place);
  }

  /** What `find` would give a person for that origin, at once; undefined where it has to be looked up first. */
  open(origin: string): Lanes<L> | undefined {
    this.#open.get(origin)?.prune();
    return this.#open.get(origin);
  }

  /** Where a URL leads, when who named it may reach that; nothing is connected to. @throws as `find` */
  async judge(url: URL, namedBy: NamedBy, signal: AbortSignal): Promise<Place> {
    checkScheme(url, namedBy);
    this.#open.get(url.origin)?.prune();
    const place = this.#open.get(url.origin)?.place ?? (await locate(url, namedBy, this.#options, signal));
    checkAddresses(url, this.#classesFor(place, namedBy), namedBy);
    if (namedBy === 'person') this.#persons.add(place.host);
    return place;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#all].map((lanes) => lanes[Symbol.asyncDispose]()));
  }

  /**
   * A name that leads to near and far addresses is refused to a server, as an attack that is half made. The person's
   * own host may be such a name (its private address beside a global one): it is of the class that is connected to.
   */
  #classesFor({ host, classes, zone }: Place, namedBy: NamedBy): readonly AddressClass[] {
    const isOwn = namedBy !== 'person' && classes.length > 1 && this.#persons.has(host);
    return isOwn && !classes.includes('forbidden') ? [zone] : classes;
  }

  /** Two first requests at once may both have looked up: they share when they found the same. */
  async #openFor(place: Place): Promise<Lanes<L>> {
    const make = await this.#options.make();
    const other = this.#open.get(place.origin);
    if (other !== undefined && sameAddresses(other.place, place)) return other;
    const forget = (some: Lanes<L>): void => {
      if (this.#open.get(place.origin) === some) this.#open.delete(place.origin);
    };
    const lanes = new Lanes(place, make, this.#options.most, {
      opened: (some) => void this.#all.add(some),
      emptied: (empty) => {
        this.#all.delete(empty);
        forget(empty);
      },
      // What is connected stays so: a stream there may be all that kept the old addresses.
      unreachable: forget,
    });
    this.#open.set(place.origin, lanes);
    return lanes;
  }
}

function sameAddresses(one: Place, other: Place): boolean {
  return [...one.addresses].sort().join() === [...other.addresses].sort().join();
}

/** The places of the door, whose connections are undici's. */
export function openClientPlaces(options: DoorOptions, most: MostLanes): Places<ClientLane> {
  return openWith(options, most, async (connector) => {
    const [{ ClientLane }, { loadClient }] = await Promise.all([
      import('./undici-connection.js'),
      import('./undici-connection.js'),
    ]);
    const client = await loadClient();
    return (place, home) => new ClientLane(client, place, connector, home);
  });
}

/** The places of those who pass messages on, many and quickly: their connections are our own. */
export function openLanePlaces(options: DoorOptions, most: MostLanes): Places<Lane> {
  return openWith(options, most, async (connector) => {
    const { Lane } = await import('../relay/connection.js');
    return (place, home) => new Lane(place, connector, home);
  });
}

/** The places of one way out: its authorities are read once, and so is each certificate that it shows. */
function openWith<L extends PooledLane>(
  options: DoorOptions,
  most: MostLanes,
  make: (connector: ConnectorOptions) => Promise<MakeLane<L>>,
): Places<L> {
  const { resolve, env, limits = defaultLimits } = options;
  const connectMs = limits.connectSeconds * 1000;
  const trusts = new Map<string, Promise<SecureContext>>();
  const trust = (origin: string | undefined) => {
    const certificate = certificateFor(options, origin);
    const name = certificate?.certFile ?? '';
    const loaded = trusts.get(name) ?? loadTrust(options, certificate);
    trusts.set(name, loaded);
    return loaded;
  };
  return new Places({ resolve, env, connectMs, most, make: () => make({ connectMs, trust }) });
}
