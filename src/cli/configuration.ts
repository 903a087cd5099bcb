import { configurationUnusable } from '../errors/usage.js';
import { closest } from '../primitives/closest.js';
import { asObject, type JsonObject, type JsonValue, parseJson } from '../primitives/json.js';
import { quoted } from '../primitives/printable.js';
import type { StoreKind } from '../primitives/records.js';
import { isStoreChoice, storeChoices } from '../primitives/store-kind.js';
import { gateUrl } from '../primitives/url-gate.js';

/** A client that was registered by hand at one authorization server; its secret is never here. */
export interface ConfiguredClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri?: string;
}

/** What the configuration file says, with the environment laid over it. */
export interface Configuration {
  /** Address of our client ID metadata document. */
  readonly clientMetadataUrl?: string;
  readonly clients: readonly ConfiguredClient[];
  /** For the wait in the browser. */
  readonly timeoutSeconds?: number;
  /** PEM file with authorities to trust beside those that Node trusts. */
  readonly caFile?: string;
  /** Of the callback listener. */
  readonly redirectPort?: number;
  /** Where the secrets of new logins are to be. */
  readonly store?: StoreKind;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Setting = number | string;
type Read = (value: JsonValue | undefined, where: string) => Setting;

/** One setting: its key in the file, its variable, and what may stand there. */
const settings: readonly {
  readonly key: keyof Configuration;
  readonly variable: string;
  readonly read: Read;
}[] = [
  { key: 'clientMetadataUrl', variable: 'POSTERN_CLIENT_METADATA_URL', read: readUrl },
  { key: 'timeoutSeconds', variable: 'POSTERN_TIMEOUT', read: readWithin(10, 3600) },
  { key: 'caFile', variable: 'POSTERN_CA_FILE', read: readPath },
  { key: 'redirectPort', variable: 'POSTERN_REDIRECT_PORT', read: readWithin(1024, 65_535) },
  { key: 'store', variable: 'POSTERN_STORE', read: readStore },
];

/**
 * Reads the configuration: a JSON object in the file, over it the environment; an empty variable counts as unset.
 * Nothing in it is expanded, and a key that is not known is refused.
 * @param file Undefined where there is none.
 * @throws Failure `configuration_unusable`
 */
export function readConfiguration(
  file: { readonly path: string; readonly bytes: Uint8Array } | undefined,
  env: Environment,
): Configuration {
  const fromFile = file === undefined ? {} : objectIn(file);
  const values: Partial<Record<keyof Configuration, Setting>> = {};
  for (const { key, variable, read } of settings) {
    const text = env[variable];
    if (fromFile[key] !== undefined && file !== undefined) {
      values[key] = read(fromFile[key], `${key} in ${file.path}`);
    }
    if (text !== undefined && text !== '') {
      values[key] = read(text, variable);
    }
  }
  return {
    ...(values as Omit<Configuration, 'clients'>),
    clients: clientsIn(fromFile['clients'], file?.path ?? ''),
  };
}

function objectIn(file: { readonly path: string; readonly bytes: Uint8Array }): JsonObject {
  const parsed = parseJson(file.bytes, { maxDepth: 8, maxKeys: 1000 });
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  if (object === undefined) {
    const why = parsed.ok
      ? 'it holds no object'
      : `it is not the JSON expected (${parsed.problem.replaceAll('_', ' ')})`;
    throw configurationUnusable(file.path, why);
  }
  refuseUnknown(object, [...settings.map(({ key }) => key), 'clients'], file.path);
  return object;
}

function refuseUnknown(object: JsonObject, known: readonly string[], where: string): void {
  for (const key of Object.keys(object)) {
    if (!known.includes(key)) {
      const meant = closest(key, known);
      const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`;
      throw configurationUnusable(where, `the key ${quoted(key, 80)} is not known (${hint})`);
    }
  }
}

function clientsIn(value: JsonValue | undefined, path: string): readonly ConfiguredClient[] {
  if (value === undefined) {
    return [];
  }
  if (!Array.isArray(value)) {
    throw configurationUnusable(`clients in ${path}`, 'it is no list');
  }
  return value.map((entry, index) => {
    const where = `clients[${index}] in ${path}`;
    const object = asObject(entry);
    if (object === undefined) {
      throw configurationUnusable(where, 'it is no object');
    }
    refuseUnknown(object, ['issuer', 'clientId', 'redirectUri'], where);
    const { issuer, clientId, redirectUri } = object;
    if (typeof clientId !== 'string' || clientId === '') {
      throw configurationUnusable(where, 'clientId is no text');
    }
    return {
      issuer: readUrl(issuer, `issuer of ${where}`),
      clientId,
      ...(redirectUri === undefined ? {} : { redirectUri: readUrl(redirectUri, `redirectUri of ${where}`) }),
    };
  });
}

function readUrl(value: JsonValue | undefined, where: string): string {
  const gated = typeof value === 'string' ? gateUrl(value) : undefined;
  if (typeof value !== 'string' || gated === undefined) {
    throw configurationUnusable(where, 'it is no text');
  }
  if (!gated.ok) {
    throw configurationUnusable(where, gated.problem);
  }
  return value;
}

/** Absolute, so that it means the same in every working folder. */
function readPath(value: JsonValue | undefined, where: string): string {
  if (typeof value !== 'string' || !/^(?:\/|[A-Za-z]:[\\/])[^\0]*$/.test(value)) {
    throw configurationUnusable(where, 'it is not an absolute path');
  }
  return value;
}

function readStore(value: JsonValue | undefined, where: string): StoreKind {
  if (typeof value !== 'string' || !isStoreChoice(value)) {
    throw configurationUnusable(where, `it is no store (${storeChoices})`);
  }
  return value;
}

function readWithin(min: number, max: number): (value: JsonValue | undefined, where: string) => number {
  return (value, where) => {
    const number = typeof value === 'string' && /^[0-9]{1,9}$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isInteger(number) || number < min || number > max) {
      throw configurationUnusable(where, `it is not a whole number from ${min} to ${max}`);
    }
    return number;
  };
}
