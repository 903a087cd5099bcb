import type { LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { classifyAddress } from '../../../core/ip-address.js';
import { collectBytes } from '../../../core/text/bytes.js';
import { contextThatTrusts } from '../../../core/trusted-authorities.js';

/** Bytes of a document (client ID metadata document draft, section 6.6), and of its header block. */
const largestDocument = 5 * 1024;

const largestHead = 16_384;

/** What was served: bytes, and header values by lower-case name. */
export interface ServedDocument {
  readonly bytes: Uint8Array;
  readonly headers: NodeJS.Dict<string[]>;
}

/**
 * One GET with nothing of ours in it, to the addresses that were checked, and nowhere else: no redirect, no
 * other status than 200, no other type than JSON, no encoding, nothing longer than 5 KiB, verified TLS.
 *
 * @throws Error for whatever else comes, and when `signal` ends it
 */
export async function getDocument(
  target: URL,
  addresses: readonly LookupAddress[],
  ca: string | undefined,
  signal: AbortSignal,
): Promise<ServedDocument> {
  const response = await ask(target, addresses, ca, signal);
  try {
    const headers = response.headersDistinct;
    if (response.statusCode !== 200 || headers['content-encoding'] !== undefined || !isJson(headers)) {
      throw new Error('not a JSON document');
    }
    if (Number(response.headers['content-length'] ?? 0) > largestDocument) throw tooLarge();
    // A body that is shorter than announced ends in an error, too.
    return { bytes: await collectBytes(response, largestDocument, tooLarge), headers };
  } finally {
    response.destroy();
  }
}

function ask(
  target: URL,
  addresses: readonly LookupAddress[],
  ca: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const host = target.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host,
        port: portOf(target),
        lookup: responding(addresses),
        servername: isIP(host) === 0 ? host : '',
        path: `${target.pathname}${target.search}`,
        headers: { host: target.host, accept: 'application/json', 'accept-encoding': 'identity' },
        agent: false,
        signal,
        maxHeaderSize: largestHead,
        rejectUnauthorized: true,
        ...(ca === undefined ? {} : { secureContext: contextThatTrusts([ca]) }),
      },
      resolve,
    );
    request.on('error', reject);
    request.end();
  });
}

/** A resolver that knows one answer. Node does not ask it for a host that is an address already. */
function responding(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, done) => {
    const [first] = addresses;
    if (all === true) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family);
  };
}

/** One media type, `application/json` or of its kind, with any parameters. */
function isJson(headers: NodeJS.Dict<string[]>): boolean {
  const [type = '', ...more] = headers['content-type'] ?? [];
  return more.length === 0 && /^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;|$)/i.test(type);
}

function tooLarge(): Error {
  return new Error('too large');
}

/** Every address of a name, as the system's resolver gives them. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/**
 * The addresses that a document may be fetched from. One that may not be reached spoils them all: a name that
 * is public and private at once is a trick. Whoever connects uses these and asks no resolver again, so that
 * the answer cannot change in between (DNS rebinding).
 *
 * @param allow `host:port` of places that may be on loopback and private addresses, too
 * @throws Error when there is none
 */
export async function reachableAddresses(
  target: URL,
  allow: readonly string[],
  resolve: Resolve,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  const found = family === 0 ? await orAborted(resolve(host), signal) : [{ address: host, family }];
  const isOpen = allow.includes(`${target.hostname}:${portOf(target)}`);
  for (const { address } of found) {
    const kind = classifyAddress(address);
    if (kind === 'forbidden' || (kind !== 'public' && !isOpen)) throw new Error('address refused');
  }
  if (found.length === 0) throw new Error('no address');
  return found;
}

export function portOf(target: URL): number {
  return target.port === '' ? 443 : Number(target.port);
}

/** A resolver cannot be interrupted, but nobody has to wait for it. */
function orAborted<T>(task: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error('given up'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    task.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
