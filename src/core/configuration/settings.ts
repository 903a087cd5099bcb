import { argumentRefused, configurationUnusable } from '../failures.js';
import { type LimitSetting, limitSettings } from '../limits.js';
import { isStoreChoice, type StoreKind, storeChoices, whyNoStore } from '../records.js';
import type { JsonValue } from '../text/json.js';
import { gateUrl } from '../url.js';

export type SettingValue = number | string | boolean;

/** A setting: its key in the file, the variable and option that override it, and its values. */
export interface Setting {
  readonly key: string;
  readonly variable: string;
  /** The option with its command, if there is one. */
  readonly option?: string;
  /** The default, in words. */
  readonly fallback: string;
  /** The accepted values, in words. */
  readonly takes: string;
  readonly describe: string;
  /** @param where For the failure's message. @throws Failure `configuration_unusable` */
  readonly read: (value: JsonValue | undefined, where: string) => SettingValue;
}

const own: readonly Setting[] = [
  {
    key: 'store',
    variable: 'POSTERN_STORE',
    option: 'login --store',
    fallback: 'where the last login’s are, else keychain',
    takes: storeChoices,
    describe: 'where the secrets of new logins are kept',
    read: readStore,
  },
  {
    key: 'storeReadOnly',
    variable: 'POSTERN_STORE_READ_ONLY',
    fallback: 'false',
    takes: 'true or false',
    describe: 'only read a shared store: get tokens from it, refresh none',
    read: readFlag,
  },
  {
    key: 'timeoutSeconds',
    variable: 'POSTERN_TIMEOUT',
    option: 'login --timeout',
    fallback: '900 at a terminal, else 300',
    takes: '10 to 3600',
    describe: 'how long a login or step-up waits for the user',
    read: readWithin(10, 3600),
  },
  {
    key: 'redirectPort',
    variable: 'POSTERN_REDIRECT_PORT',
    option: 'login --redirect-port',
    fallback: 'any free one',
    takes: '1024 to 65535',
    describe: 'port of the callback listener, where no redirect address with a port was chosen',
    read: readWithin(1024, 65_535),
  },
  {
    key: 'clientMetadataUrl',
    variable: 'POSTERN_CLIENT_METADATA_URL',
    option: 'login --client-metadata-url',
    fallback: 'none',
    takes: 'a URL',
    describe: 'address of our client ID metadata document',
    read: readUrl,
  },
  {
    key: 'caFile',
    variable: 'POSTERN_CA_FILE',
    fallback: 'none',
    takes: 'an absolute path',
    describe: 'PEM file of authorities to trust, beside those that Node.js trusts',
    read: readPath,
  },
];

/** All settings except `clients` and `clientCertificates`, which only the file can hold. */
export const settings: readonly Setting[] = [...own, ...limitSettings.map(settingOfLimit)];

function settingOfLimit({ key, fallback, min, max, describe }: LimitSetting): Setting {
  return {
    key,
    variable: `POSTERN_${key.replace(/(?=[A-Z][a-z])/g, '_').toUpperCase()}`,
    fallback: String(fallback),
    takes: `${min} to ${max}`,
    describe: `limit ${describe}`,
    read: readWithin(min, max),
  };
}

export function readUrl(value: JsonValue | undefined, where: string): string {
  const gated = typeof value === 'string' ? gateUrl(value) : undefined;
  if (typeof value !== 'string' || gated === undefined) throw configurationUnusable(where, 'it is no text');
  if (!gated.ok) throw configurationUnusable(where, gated.problem);
  return value;
}

/** Absolute, so that it means the same in every folder. */
export function readPath(value: JsonValue | undefined, where: string): string {
  if (typeof value !== 'string' || !/^(?:\/|[A-Za-z]:[\\/])[^\0]*$/.test(value)) {
    throw configurationUnusable(where, 'it is not an absolute path');
  }
  return value;
}

function readStore(value: JsonValue | undefined, where: string): string {
  if (typeof value !== 'string' || !isStoreChoice(value)) {
    throw configurationUnusable(where, whyNoStore(typeof value === 'string' ? value : ''));
  }
  return value;
}

/** The store of an option. @throws Failure `usage` */
export function readStoreOption(given: string, option: string, help: string): StoreKind {
  if (!isStoreChoice(given)) throw argumentRefused(option, whyNoStore(given), help);
  return given;
}

function readFlag(value: JsonValue | undefined, where: string): boolean {
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  throw configurationUnusable(where, 'it is neither true nor false');
}

function readWithin(min: number, max: number): Setting['read'] {
  return (value, where) => {
    const number = typeof value === 'string' && /^[0-9]{1,9}$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isInteger(number) || number < min || number > max) {
      throw configurationUnusable(where, `it is not a whole number from ${min} to ${max}`);
    }
    return number;
  };
}
