import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { classifyAddress, parseAddress } from '../../core/ip-address.js';
import type { Secret } from '../../core/secret.js';

/** Who can read a link of ours: everybody on this machine in the opener's arguments, the person alone at the terminal. */
export type LinkOrigin = 'opener' | 'terminal';

export interface RequestToOpen {
  readonly state: Secret;
  readonly url: string;
  /** Works once (a request that was pushed): whoever comes again needs another. */
  readonly once: boolean;
}

/** A browser that was sent on by a link. Each has authorization requests of its own, and so their states. */
export interface Taker {
  readonly origin: LinkOrigin;
  readonly browser: string;
  /** The request that it was sent to; none while it has to have another one. */
  request?: Promise<RequestToOpen> | undefined;
  /** Where the button of its page leads, where a page of ours asks first. */
  button?: { readonly path: string; readonly isHere: (path: string) => boolean };
}

interface Link {
  readonly isHere: (path: string) => boolean;
  readonly origin: LinkOrigin;
  readonly takers: Map<string, Taker>;
}

/**
 * Our one-time links to the authorization requests, one for each origin, and who took them. Other users of
 * this machine can read the opener's arguments, and with them its link: they could log in there as themselves before
 * the person's browser comes. So the opener's link is for one browser: a cookie tells its reload from somebody else. The
 * link in the terminal is the person's alone, and may be opened in as many browsers as they like.
 */
export class Links {
  readonly #links: Link[] = [];
  readonly #browsers = new Set<string>();
  /** Has the opener's link been taken by two browsers, or by another user? */
  doubtful = false;
  /** Ports have no cookies of their own: logins at the same time would take each other's. */
  readonly #cookie: string;

  constructor(port: number) {
    this.#cookie = `postern-${port}`;
  }

  add(origin: LinkOrigin): string {
    const path = `/go/${newNonce()}`;
    this.#links.push({ isHere: equalityTo(path), origin, takers: new Map() });
    return path;
  }

  /** The browser, which gets this taker's cookie; or another one has used the link. Undefined: there is no such link. */
  take(request: IncomingMessage): Taker | 'used' | undefined {
    const link = this.#links.find(({ isHere }) => isHere(request.url ?? ''));
    if (link === undefined) return undefined;
    const own = this.browserOf(request);
    const browser = own !== undefined && this.knows(own) ? own : newNonce();
    if (link.origin === 'opener') {
      if (isOfOtherUser(request.socket)) this.doubtful = true;
      if (link.takers.size > 0 && !link.takers.has(browser)) {
        this.doubtful = true;
        return 'used';
      }
    }
    this.#browsers.add(browser);
    const taker = link.takers.get(browser) ?? { origin: link.origin, browser };
    link.takers.set(browser, taker);
    return taker;
  }

  takerAt(path: string): Taker | undefined {
    const takers = this.#links.flatMap((link) => [...link.takers.values()]);
    return takers.find(({ button }) => button?.isHere(path) === true);
  }

  browserOf({ headers }: IncomingMessage): string | undefined {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
    return pairs.find(([name]) => name === this.#cookie)?.[1];
  }

  cookieOf({ browser }: Taker): string {
    return `${this.#cookie}=${browser}; HttpOnly; SameSite=Lax; Path=/; Max-Age=3600`;
  }

  knows(browser: string): boolean {
    return this.#browsers.has(browser);
  }
}

/** Authorization requests of one login: whoever opens a link again and again makes the server no more work. */
const maxRequests = 64;

/** A request that was made, for the browser that took a link, or for the terminal, which shows its address. */
export interface MadeRequest {
  readonly isItsState: (state: string) => boolean;
  readonly taker: Taker | undefined;
}

/**
 * The authorization requests of one login, each with its own state: a response tells by its state which browser it
 * belongs to. They are made when somebody comes for them, since one that was pushed runs out and works once.
 */
export class Requests {
  readonly #newRequest: () => Promise<RequestToOpen>;
  readonly #made: MadeRequest[] = [];
  readonly #terminal: Pick<Taker, 'request'> = {};
  #begun = 0;

  constructor(newRequest: () => Promise<RequestToOpen>) {
    this.#newRequest = newRequest;
  }

  /** The address for this browser, or for the terminal: the same again at a reload, unless that works once. */
  async addressFor(taker: Taker | undefined): Promise<string> {
    const visitor = taker ?? this.#terminal;
    visitor.request ??= this.#make(taker);
    try {
      const made = await visitor.request;
      if (made.once) visitor.request = undefined;
      return made.url;
    } catch (error) {
      visitor.request = undefined;
      throw error;
    }
  }

  find(state: string): MadeRequest | undefined {
    return this.#made.find(({ isItsState }) => isItsState(state));
  }

  async #make(taker: Taker | undefined): Promise<RequestToOpen> {
    if (this.#begun >= maxRequests) throw new Error('this login has made too many authorization requests');
    this.#begun += 1;
    const made = await this.#newRequest();
    if (!/^https?:\/\/[\x21-\x7e]+$/.test(made.url))
      throw new Error('an authorization request is an http or https URL');
    this.#made.push({ isItsState: equalityTo(made.state.reveal()), taker });
    return made;
  }
}

export function newNonce(): string {
  return randomBytes(32).toString('base64url');
}

/** A check for one expected text that takes the same time whatever is offered, and does not keep the text. */
export function equalityTo(expected: string): (offered: string) => boolean {
  const digestOf = (text: string) => createHash('sha256').update(text).digest();
  const digest = digestOf(expected);
  return (offered) => timingSafeEqual(digest, digestOf(offered));
}

/**
 * True unless the system says that this loopback connection was opened by the user that we run as, or by root, as whom
 * relays run (WSL, containers) and who needs no trick. Only Linux tells; elsewhere false. So is what comes to a container from
 * outside, or to WSL from Windows: its other end is in no table here.
 */
export function isOfOtherUser({ remoteAddress = '', remotePort, localAddress = '', localPort }: Socket): boolean {
  const own = process.geteuid?.();
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter((path) => existsSync(path));
  if (own === undefined || tables.length === 0 || classifyAddress(remoteAddress) !== 'loopback') return false;
  const [remote, local] = [tableForm(remoteAddress, remotePort), tableForm(localAddress, localPort)];
  // A table is made while it is read, and may miss a line once.
  for (const table of [...tables, ...tables]) {
    const lines = readFileSync(table, 'latin1').split('\n');
    for (const line of lines.filter((one) => one.includes(remote))) {
      const [, from = '', to = '', , , , , user = ''] = line.trim().split(/\s+/);
      const isIt = from.replace(mapped, '') === remote && to.replace(mapped, '') === local;
      if (isIt) return ![own, 0].includes(Number(user));
    }
  }
  return !/microsoft/i.test(readFileSync('/proc/sys/kernel/osrelease', 'latin1'));
}

/** How an IPv4 address begins among IPv6 ones. */
const mapped = /^0{16}FFFF0000(?=[0-9A-F]{8}:)/;

/** An address and port as the table has them: in words of four bytes, the last byte of each first. */
function tableForm(address: string, port = 0): string {
  const bytes = Buffer.from(parseAddress(address) ?? []);
  const text = `${bytes.swap32().toString('hex')}:${port.toString(16).padStart(4, '0')}`;
  return text.toUpperCase().replace(mapped, '');
}
