import { isStoreChoice, type StoreKind, whyNoStore } from '../records.js';
import { argumentRefused } from '../usage-failures.js';

/** The store that a person named. @throws Failure `usage` */
export function readStore(given: string, option: string, help: string): StoreKind {
  if (!isStoreChoice(given)) throw argumentRefused(option, whyNoStore(given), help);
  return given;
}
