import { lookup } from 'node:dns/promises';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { classifyAddress } from '../../primitives/ip-address.js';
import { gateUrl } from '../../primitives/url-gate.js';
import type { SandboxSettings } from '../options.js';
import type { Documents } from './configuration.js';

/**
 * Fetches client ID metadata documents, and whatever else oidc-provider would fetch for a client: https
 * only, to the very address that was checked, no redirects followed, nothing of ours sent along. Time
 * (2.5 s) and size (5 KiB) are limited by oidc-provider.
 */
export function documentFetcher(settings: SandboxSettings, onFetch: () => void): Documents {
  return {
    allows: (clientId) => {
      const gated = gateUrl(clientId);
      if (!gated.ok || gated.url.protocol !== 'https:' || gated.url.hash !== '') return false;
      if (gated.url.pathname === '/' || gated.url.href !== clientId) return false;
      return settings.documentHosts?.includes(gated.url.host) ?? true;
    },
    fetch: async (url, options) => {
      const target = new URL(url instanceof Request ? url.url : url);
      if (target.protocol !== 'https:') throw new Error('only https is fetched');
      const address = await checkedAddress(target.hostname, settings.allowLoopbackDocuments);
      onFetch();
      return get(target, address, options?.signal ?? AbortSignal.timeout(2500), settings.documentAuthorities);
    },
  };
}

/** Every address of the name must be one that may be reached; the first is taken and connected to. */
async function checkedAddress(hostname: string, allowLoopback: boolean): Promise<string> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const found = isIP(host) === 0 ? await lookup(host, { all: true, verbatim: true }) : [{ address: host }];
  for (const { address } of found) {
    const kind = classifyAddress(address);
    if (kind !== 'public' && !(kind === 'loopback' && allowLoopback)) throw new Error('address refused');
  }
  const [first] = found;
  if (first === undefined) throw new Error('no address');
  return first.address;
}

function get(
  target: URL,
  address: string,
  signal: AbortSignal,
  authorities: string | undefined,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: address,
        port: target.port === '' ? 443 : Number(target.port),
        servername: isIP(target.hostname.replace(/^\[|\]$/g, '')) === 0 ? target.hostname : '',
        path: `${target.pathname}${target.search}`,
        headers: { host: target.host, accept: 'application/json', 'accept-encoding': 'identity' },
        agent: false,
        signal,
        maxHeaderSize: 16_384,
        ...(authorities === undefined ? {} : { ca: [...rootCertificates, authorities] }),
      },
      (answer) => {
        const type = answer.headers['content-type'] ?? '';
        const plain = answer.headers['content-encoding'] === undefined;
        if (
          answer.statusCode !== 200 ||
          !plain ||
          !/^application\/([a-z0-9.-]+\+)?json\s*(;|$)/i.test(type)
        ) {
          answer.destroy();
          reject(new Error('not a JSON document'));
          return;
        }
        const headers = new Headers();
        for (const name of ['content-length', 'cache-control', 'expires'] as const) {
          const value = answer.headers[name];
          if (value !== undefined) headers.set(name, value);
        }
        resolve(new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status: 200, headers }));
      },
    );
    request.once('error', reject);
    request.end();
  });
}
