import type { SecureContext } from 'node:tls';
import { defaultLimits } from '../../primitives/limits.js';
import type { DoorOptions } from './door.js';
import type { MostLanes } from './lanes.js';
import { Places } from './places.js';
import { certificateFor, loadTrust } from './trust.js';

/** The places of one way out: its authorities are read once, and so is each certificate that it shows. */
export function openPlaces(options: DoorOptions, most: MostLanes): Places {
  const { resolve, env, limits = defaultLimits } = options;
  const trusts = new Map<string, Promise<SecureContext>>();
  const trust = (origin: string | undefined) => {
    const certificate = certificateFor(options, origin);
    const name = certificate?.certFile ?? '';
    const loaded = trusts.get(name) ?? loadTrust(options, certificate);
    trusts.set(name, loaded);
    return loaded;
  };
  return new Places({ resolve, env, connectMs: limits.connectSeconds * 1000, trust, most });
}
