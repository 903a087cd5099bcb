import { configurationUnusable } from '../failures.js';
import { defaultLimits, type Limits } from '../limits.js';
import type { StoreKind } from '../records.js';
import { asObject, type JsonObject, jsonTrouble, parseJson } from '../text/json.js';
import {
  type ConfiguredCertificate,
  type ConfiguredClient,
  certificatesIn,
  clientsIn,
  refuseUnknown,
} from './configured-lists.js';
import { type SettingValue, settings } from './settings.js';

/** The configuration: the file, overridden by the environment. */
export interface Configuration {
  /** Address of our client ID metadata document. */
  readonly clientMetadataUrl?: string;
  readonly clients: readonly ConfiguredClient[];
  readonly clientCertificates: readonly ConfiguredCertificate[];
  /** For the wait in the browser. */
  readonly timeoutSeconds?: number;
  /** PEM file of CAs to trust in addition to Node's. */
  readonly caFile?: string;
  /** Of the callback listener. */
  readonly redirectPort?: number;
  /** Where to keep the secrets of new logins. */
  readonly store?: StoreKind;
  /** This machine reads tokens from a shared store and never refreshes them. */
  readonly storeReadOnly?: boolean;
  readonly limits: Limits;
}

/** A setting's value and its source. */
export interface SetValue {
  readonly value: SettingValue;
  readonly by: 'file' | 'environment';
}

export type ConfigurationFile = { readonly path: string; readonly bytes: Uint8Array } | undefined;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration: a JSON object in the file, overridden by the environment; an empty variable counts as unset.
 * Nothing is expanded; unknown keys are refused.
 * @param file Undefined if there is none.
 * @throws Failure `configuration_unusable`
 */
export function readConfiguration(file: ConfigurationFile, env: Environment): Configuration {
  const { clients, clientCertificates } = objectIn(file);
  const entries = [...setValues(file, env)].map(([key, { value }]) => [key, value] as const);
  const limits = entries.filter(([key]) => key in defaultLimits);
  const others = entries.filter(([key]) => !(key in defaultLimits));
  return {
    ...(Object.fromEntries(others) as Partial<Configuration>),
    clients: clientsIn(clients, file?.path ?? ''),
    clientCertificates: certificatesIn(clientCertificates, file?.path ?? ''),
    limits: { ...defaultLimits, ...Object.fromEntries(limits) },
  };
}

/**
 * All settings that are set, by key; the environment wins.
 * @throws Failure `configuration_unusable`
 */
export function setValues(file: ConfigurationFile, env: Environment): ReadonlyMap<string, SetValue> {
  const fromFile = objectIn(file);
  const values = new Map<string, SetValue>();
  for (const { key, variable, read } of settings) {
    const text = env[variable];
    if (fromFile[key] !== undefined) {
      values.set(key, { value: read(fromFile[key], `${key} in ${file?.path}`), by: 'file' });
    }
    if (text !== undefined && text !== '') values.set(key, { value: read(text, variable), by: 'environment' });
  }
  return values;
}

function objectIn(file: ConfigurationFile): JsonObject {
  if (file === undefined) return {};
  const parsed = parseJson(file.bytes, { maxDepth: 8, maxKeys: 1000 });
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  if (object === undefined) {
    const why = parsed.ok ? 'it holds no object' : jsonTrouble(parsed.problem, 'it');
    throw configurationUnusable(file.path, why);
  }
  refuseUnknown(object, [...settings.map(({ key }) => key), 'clients', 'clientCertificates'], file.path);
  return object;
}

/** Other programs' variables that change whom we connect to and trust, in words. Never a password. */
export function environmentLines(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const value = (name: string) => env[name.toLowerCase()] ?? env[name] ?? '';
  const proxy = value('HTTPS_PROXY');
  const noProxy = value('NO_PROXY');
  const authorities = env['NODE_EXTRA_CA_CERTS'] ?? '';
  return [
    ...(proxy === '' ? [] : [`https requests go through ${withoutCredentials(proxy)} (HTTPS_PROXY)`]),
    ...(proxy === '' || noProxy === '' ? [] : [`except requests to ${noProxy} (NO_PROXY)`]),
    ...(authorities === '' ? [] : [`also trusting the CAs in ${authorities} (NODE_EXTRA_CA_CERTS)`]),
  ];
}

function withoutCredentials(proxy: string): string {
  return proxy.replace(/^([a-z]+:\/\/)?.*@/i, (_, scheme: string | undefined) => `${scheme ?? ''}***@`);
}
