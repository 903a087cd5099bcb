import type { Secret } from '../secret.js';

/** A proxy that is installed as a service for one login (`postern proxy --install`). */
export interface ProxyService {
  readonly id: string;
  readonly server: string;
  readonly account: string;
  readonly port: number;
  /** The path segment behind the key. */
  readonly mount: string;
  /** The programs that have a key. */
  readonly hosts: readonly string[];
}

/** A key beside the one that a host may have: both hold until it is settled which one is to hold from then on. */
export interface KeyRotation {
  /** With the key in it. */
  readonly address: Secret;
  settle(which: 'new' | 'old'): Promise<void>;
}

/** What is wrong with a service, as `doctor` names it, and what was seen. */
export interface CheckedService {
  readonly finding: 'service-not-installed' | 'service-not-running' | 'service-port-taken' | undefined;
  readonly seen: string;
  readonly remedy?: string;
}

/** Proxies that are installed; `app` joins it to `proxy/`. */
export interface ProxyServices {
  /** @throws Failure `state_unsafe` */
  all(): Promise<readonly ProxyService[]>;
  /** @throws Failure `service_unknown`, of the state folder */
  rotateKey(id: string, host: string): Promise<KeyRotation>;
  /** Nothing where it has none. @throws Failure of the state folder */
  withdraw(id: string, host: string): Promise<void>;
  /** Whose key an address holds; undefined where it is none of a service, or the key does not hold any more. */
  hostOf(address: string): Promise<{ readonly service: string; readonly host: string } | undefined>;
  /** Is it the service itself that answers at its port? A key goes to nobody else. @throws Failure of the state folder */
  isListening(id: string): Promise<boolean>;
  /** Looks at each: is it installed, does it listen. @throws Failure of the state folder */
  check(): Promise<readonly CheckedService[]>;
}

/** The entries that `setup` has written with the address of a service; `app` joins it to `setup/`. */
export interface HostEntries {
  /** For which hosts, and in which files. */
  of(service: string): Promise<readonly { readonly host: string; readonly file: string; readonly undo: string }[]>;
  /** Puts another address into the entries for a host. Returns their files. @throws Failure of the entry, of its file */
  rewrite(service: string, host: string, address: Secret): Promise<readonly string[]>;
}
