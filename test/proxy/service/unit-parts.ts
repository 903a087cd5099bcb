import type { ServiceMachine } from '../../../src/proxy/service/ports.js';
import type { UnitParts } from '../../../src/proxy/service/units/units.js';
import { aRecord } from './record-folder.js';

/** What units are made of, on a machine that a test describes. */
export function partsFor(machine: Partial<ServiceMachine>): UnitParts {
  const start = { node: '/usr/bin/node', script: '/opt/postern/bin/postern.js', lasts: 'upgrades' } as const;
  const usual = { platform: 'linux', homedir: '/home/me', env: {}, stateFolder: '/home/me/s', start, variables: {} };
  return { machine: { ...usual, ...machine }, record: aRecord, mark: 'Written by postern for x.', uid: 501 };
}
