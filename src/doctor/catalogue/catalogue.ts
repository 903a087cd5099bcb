import { authorizationServerFindings } from './authorization-server.js';
import { boundTokenFindings } from './bound-tokens.js';
import { clientFindings } from './client.js';
import { companyFindings } from './company.js';
import { loginFindings } from './login.js';
import { machineFindings } from './machine.js';
import { networkFindings } from './network.js';
import { serverFindings } from './server.js';
import { tokenFindings } from './token.js';

/** Everything that can be found, by its id. */
export const catalogue = {
  ...networkFindings,
  ...serverFindings,
  ...authorizationServerFindings,
  ...clientFindings,
  ...loginFindings,
  ...tokenFindings,
  ...boundTokenFindings,
  ...companyFindings,
  ...machineFindings,
} as const;

export type FindingId = keyof typeof catalogue;

/** Is it the id of a finding? */
export function isFindingId(text: string): text is FindingId {
  return Object.hasOwn(catalogue, text);
}
