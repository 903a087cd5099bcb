import { type Failure, isFailure } from '../core/failure.js';
import { defaultLimits } from '../core/limits.js';
import { gateUrl } from '../core/url.js';
import { connectTo } from '../http/connector.js';
import { urlRefused } from '../http/failures.js';
import { checkAddresses, checkScheme, locate } from '../http/origin.js';
import type { HttpOptions } from '../http/origins.js';
import { trustBy } from '../http/trust.js';

/** One address of a host, connected to by itself. */
export interface ExaminedAddress {
  readonly address: string;
  /** Why no connection could be opened. */
  readonly failure?: Failure;
  /** Until when its certificate is valid, in milliseconds since 1970; undefined without TLS. */
  readonly certificateUntil?: number;
}

/** What a socket has that speaks TLS. */
interface Secure {
  getPeerCertificate(): { readonly valid_to: string };
}

/** Connects to each address of a URL's host, and sends nothing there. @throws Failure as the HTTP client's `check` */
export type ExamineAddresses = (url: string, signal: AbortSignal) => Promise<readonly ExaminedAddress[]>;

/**
 * Opens a connection to each address by itself, under the rules of the HTTP client, and closes it. Through a proxy none: it
 * looks the name up.
 */
export function addressExaminer(options: HttpOptions): ExamineAddresses {
  const connectMs = (options.limits ?? defaultLimits).connectSeconds * 1000;
  const connector = { connectMs, trust: trustBy(options) };
  return async (raw, signal) => {
    const gated = gateUrl(raw);
    if (!gated.ok) throw urlRefused(raw, gated.problem, 'person');
    checkScheme(gated.url, 'person');
    const origin = await locate(gated.url, 'person', { ...options, connectMs }, signal);
    checkAddresses(gated.url, origin.classes, 'person');
    if (origin.proxy !== undefined) return [];
    const one = async (address: string): Promise<ExaminedAddress> => {
      try {
        const socket = await connectTo({ ...origin, addresses: [address] }, connector, signal);
        const { valid_to: until } = (socket as Partial<Secure>).getPeerCertificate?.() ?? {};
        socket.destroy();
        return { address, ...(until !== undefined && { certificateUntil: Date.parse(until) }) };
      } catch (failure) {
        if (!isFailure(failure) || signal.aborted) throw failure;
        return { address, failure };
      }
    };
    return await Promise.all(origin.addresses.map(one));
  };
}
