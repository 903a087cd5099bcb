import type { CommandContext } from '../app/context.js';
import { isStoreChoice, storeChoices } from '../core/records.js';
import { argumentRefused } from '../core/usage-failures.js';
import type { SecretStore } from '../stores/ports.js';

/** The store for a new private key: the option, else the configuration, else the keychain. @throws Failure `usage` */
export async function storeFor(context: CommandContext, option: string | undefined): Promise<SecretStore> {
  if (option !== undefined && !isStoreChoice(option)) {
    throw argumentRefused('--store', `it is none of ${storeChoices}`);
  }
  return context.ports.stores.of(option ?? (await context.configuration()).store ?? 'keychain');
}
