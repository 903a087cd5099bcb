import { argumentRefused } from '../../errors/usage.js';
import type { SecretStore } from '../../ports.js';
import { isStoreChoice, storeChoices } from '../../primitives/store-kind.js';
import type { CommandContext } from '../command.js';

/** The store for a new private key: the option, else the configuration, else the keychain. @throws Failure `usage` */
export async function storeFor(context: CommandContext, option: string | undefined): Promise<SecretStore> {
  if (option !== undefined && !isStoreChoice(option)) {
    throw argumentRefused('--store', `it is none of ${storeChoices}`);
  }
  return context.ports.stores.of(option ?? (await context.configuration()).store ?? 'keychain');
}
