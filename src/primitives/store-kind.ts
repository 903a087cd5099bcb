import type { StoreKind } from './records.js';

/** The part after the colon ends the name of a program, so that it is no path and no option. */
const helperPattern = /^helper:[a-z0-9][a-z0-9._-]{0,62}$/;

/** Is this the name of a kind of store? */
export function isStoreKind(text: string): text is StoreKind {
  return text === 'keychain' || text === 'file' || text === 'memory' || helperPattern.test(text);
}

/** Is this a store that a person can choose for a login? Memory is none: it ends with the process. */
export function isStoreChoice(text: string): text is StoreKind {
  return isStoreKind(text) && text !== 'memory';
}

/** What can be chosen, for messages. */
export const storeChoices = 'keychain, file or helper:NAME';

/** Why this cannot be chosen, as the end of a sentence. */
export function whyNoStore(text: string): string {
  return text === 'memory'
    ? `a login in memory is lost as soon as its command ends; postern call, request and bridge make one for themselves with --store memory (${storeChoices})`
    : `it is none of ${storeChoices}`;
}
