import type { SecureContext } from 'node:tls';
import type { NamedBy } from '../../errors/url.js';
import { checkAddresses, checkScheme } from './address-rule.js';
import { Lanes, type MostLanes } from './lanes.js';
import { loadClient } from './load-client.js';
import { locate } from './place.js';
import type { Environment } from './proxy-settings.js';
import type { Resolve } from './resolve-host.js';

export interface PlacesOptions {
  readonly resolve: Resolve;
  readonly env: Environment;
  /** Milliseconds for a look-up, and for opening a connection. */
  readonly connectMs: number;
  /** The TLS context for one origin; undefined: for a proxy. */
  readonly trust: (origin: string | undefined) => Promise<SecureContext>;
  /** Connections to one origin. */
  readonly most: MostLanes;
}

/**
 * The places that have open connections, by origin. An origin is looked up and judged when it has no
 * connection; while it has, the same addresses serve, and each request is judged anew against their
 * classes by who named it.
 */
export class Places implements AsyncDisposable {
  readonly #options: PlacesOptions;
  readonly #open = new Map<string, Lanes>();
  readonly #all = new Set<Lanes>();

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /**
   * The connections for a URL that who named it may reach.
   * @throws Failure `url_refused`, `address_refused`, `network_failed`, `timed_out`,
   *   `network_setting_unusable`
   */
  async find(url: URL, namedBy: NamedBy, signal: AbortSignal): Promise<Lanes> {
    const place = await this.judge(url, namedBy, signal);
    return this.#open.get(url.origin) ?? this.#openFor(place);
  }

  /** What `find` would give a person for that origin, at once; undefined where it has to be looked up first. */
  open(origin: string): Lanes | undefined {
    this.#open.get(origin)?.prune();
    return this.#open.get(origin);
  }

  /** Where a URL leads, when who named it may reach that; nothing is connected to. @throws as `find` */
  async judge(url: URL, namedBy: NamedBy, signal: AbortSignal): Promise<Lanes['place']> {
    checkScheme(url, namedBy);
    this.#open.get(url.origin)?.prune();
    const place = this.#open.get(url.origin)?.place ?? (await locate(url, namedBy, this.#options, signal));
    checkAddresses(url, place.classes, namedBy);
    return place;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#all].map((lanes) => lanes[Symbol.asyncDispose]()));
  }

  /** Two first requests at once may both have looked up: they share when they found the same. */
  async #openFor(place: Lanes['place']): Promise<Lanes> {
    const client = await loadClient();
    const other = this.#open.get(place.origin);
    if (other !== undefined && sameAddresses(other.place, place)) return other;
    const lanes = new Lanes(
      place,
      { client, trust: this.#options.trust, connectMs: this.#options.connectMs, most: this.#options.most },
      {
        opened: (some) => void this.#all.add(some),
        emptied: (empty) => {
          this.#all.delete(empty);
          if (this.#open.get(place.origin) === empty) this.#open.delete(place.origin);
        },
      },
    );
    this.#open.set(place.origin, lanes);
    return lanes;
  }
}

function sameAddresses(one: Lanes['place'], other: Lanes['place']): boolean {
  return [...one.addresses].sort().join() === [...other.addresses].sort().join();
}
