import { ClosedEnd } from '../http/body.js';
import { type ConnectorOptions, connectTo } from '../http/connector.js';
import { headerRefused, requestInterrupted, tooLarge } from '../http/failures.js';
import { brokenConnection, isBrokenOff, networkFailed } from '../http/network-failures.js';
import type { Origin } from '../http/origin.js';
import { type HttpOptions, Origins } from '../http/origins.js';
import type { PoolLimits } from '../http/pool.js';
import type { Connection, Trouble, Upstream } from '../relay/connection.js';

/** Origins whose connections the relay's engine speaks over, under the rules of the HTTP client. */
export function openRelayOrigins(options: HttpOptions, limits: PoolLimits): Origins<Connection> {
  return new Origins(options, limits, async (connector) => {
    const { Connection } = await import('../relay/connection.js');
    return (origin, owner) => new Connection(upstreamOf(origin, connector), owner);
  });
}

function upstreamOf(origin: Origin, connector: ConnectorOptions): Upstream {
  const { secure } = origin;
  return {
    authority: new URL(origin.url).host,
    proveEnd: (status, contentType) => (secure ? new ClosedEnd(status, contentType) : undefined),
    connect: (signal) => connectTo(origin, connector, signal),
    failure: (trouble) => failureOf(trouble, origin),
    broken: (error) => brokenConnection(error, origin),
    isBrokenOff,
  };
}

function failureOf(trouble: Trouble, { host, port }: Origin): Error {
  if (trouble === 'interrupted') return requestInterrupted(host);
  if (trouble === 'head_too_large') return tooLarge(host, 'more than 16 KiB of headers');
  if (trouble === 'length_mismatch') return headerRefused('content-length', 'it is not the length of the body');
  return networkFailed({ host, port, code: trouble });
}
