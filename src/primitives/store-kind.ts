import type { StoreKind } from './records.js';

/** Is this the name of a kind of store? */
export function isStoreKind(text: string): text is StoreKind {
  return text === 'keychain' || text === 'file' || text === 'memory';
}

/** Is this a store that a person can choose for a login? Memory is none: it ends with the process. */
export function isStoreChoice(text: string): text is StoreKind {
  return isStoreKind(text) && text !== 'memory';
}

/** What can be chosen, for messages. */
export const storeChoices = 'keychain or file';
