import type { SecureContext } from 'node:tls';
import { defaultLimits } from '../../primitives/limits.js';
import type { ClientLane } from './client-lane.js';
import type { ConnectorOptions } from './connector.js';
import type { DoorOptions } from './door.js';
import type { Lane } from './lane.js';
import type { MakeLane, MostLanes } from './lanes.js';
import { Places } from './places.js';
import type { PooledLane } from './pooled-lane.js';
import { certificateFor, loadTrust } from './trust.js';

/** The places of the door, whose connections are undici's. */
export function openClientPlaces(options: DoorOptions, most: MostLanes): Places<ClientLane> {
  return openWith(options, most, async (connector) => {
    const [{ ClientLane }, { loadClient }] = await Promise.all([
      import('./client-lane.js'),
      import('./load-client.js'),
    ]);
    const client = await loadClient();
    return (place, home) => new ClientLane(client, place, connector, home);
  });
}

/** The places of those who pass messages on, many and quickly: their connections are our own. */
export function openLanePlaces(options: DoorOptions, most: MostLanes): Places<Lane> {
  return openWith(options, most, async (connector) => {
    const { Lane } = await import('./lane.js');
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
