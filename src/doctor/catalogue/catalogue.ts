import { authorizationServerFindings } from './authorization-server.js';
import { machineFindings } from './machine.js';
import { networkFindings } from './network.js';
import { serverFindings } from './server.js';

/** Everything that can be found, by its id. */
export const catalogue = {
  ...networkFindings,
  ...serverFindings,
  ...authorizationServerFindings,
  ...machineFindings,
} as const;

export type FindingId = keyof typeof catalogue;

/** Is it the id of a finding? */
export function isFindingId(text: string): text is FindingId {
  return Object.hasOwn(catalogue, text);
}
