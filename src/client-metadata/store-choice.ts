import { isStoreChoice, storeChoices } from '../core/records.js';
import { argumentRefused } from '../core/usage-failures.js';
import type { SecretStore } from '../stores/ports.js';
import type { ClientMetadataWorld } from './ports.js';

/** The store for a new private key: the option, else the configuration, else the keychain. @throws Failure `usage` */
export async function storeFor(world: ClientMetadataWorld, option: string | undefined): Promise<SecretStore> {
  if (option !== undefined && !isStoreChoice(option)) throw argumentRefused('--store', `it is none of ${storeChoices}`);
  return world.stores.of(option ?? (await world.configuration()).store ?? 'keychain');
}
