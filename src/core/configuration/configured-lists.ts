import { configurationUnusable } from '../failures.js';
import { closest } from '../text/closest.js';
import { asObject, type JsonObject, type JsonValue } from '../text/json.js';
import { quoted } from '../text/printable.js';
import { readRedirectUri, redirectUriText } from './redirect-uri.js';
import { readPath, readUrl } from './settings.js';

/** A client registered by hand at one authorization server; its secret is never here. */
export interface ConfiguredClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri?: string;
}

/** A client certificate and the origins to send it to. */
export interface ConfiguredCertificate {
  /** As `URL.origin` spells them. */
  readonly origins: readonly string[];
  readonly certFile: string;
  readonly keyFile: string;
}

/** @throws Failure `configuration_unusable`, with the likely key */
export function refuseUnknown(object: JsonObject, known: readonly string[], where: string): void {
  for (const key of Object.keys(object)) {
    if (!known.includes(key)) {
      const meant = closest(key, known);
      const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`;
      throw configurationUnusable(where, `the key ${quoted(key, 80)} is not known (${hint})`);
    }
  }
}

/** @throws Failure `configuration_unusable` */
export function clientsIn(value: JsonValue | undefined, path: string): readonly ConfiguredClient[] {
  return entriesOf(value, ['clients', 'issuer', 'clientId', 'redirectUri'], path).map(([object, where]) => {
    const { issuer, clientId, redirectUri } = object;
    if (typeof clientId !== 'string' || clientId === '') throw configurationUnusable(where, 'clientId is no text');
    return {
      issuer: readUrl(issuer, `issuer of ${where}`),
      clientId,
      ...(redirectUri === undefined ? {} : { redirectUri: readRedirect(redirectUri, `redirectUri of ${where}`) }),
    };
  });
}

function readRedirect(value: JsonValue, where: string): string {
  const read = readRedirectUri(typeof value === 'string' ? value : '');
  if (!read.ok) throw configurationUnusable(where, read.problem);
  return redirectUriText(read.value);
}

/** One certificate per origin. @throws Failure `configuration_unusable` */
export function certificatesIn(value: JsonValue | undefined, path: string): readonly ConfiguredCertificate[] {
  const taken = new Set<string>();
  return entriesOf(value, ['clientCertificates', 'origins', 'certFile', 'keyFile'], path).map(([object, where]) => {
    const { origins, certFile, keyFile } = object;
    if (!Array.isArray(origins) || origins.length === 0) {
      throw configurationUnusable(where, 'origins is no list of addresses, such as ["https://example.com"]');
    }
    return {
      origins: origins.map((origin) => originOf(origin, `origins of ${where}`, taken)),
      certFile: readPath(certFile, `certFile of ${where}`),
      keyFile: readPath(keyFile, `keyFile of ${where}`),
    };
  });
}

function originOf(value: JsonValue, where: string, taken: Set<string>): string {
  const url = new URL(readUrl(value, where));
  if (url.protocol !== 'https:' || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw configurationUnusable(where, 'a certificate is for https addresses without a path');
  }
  if (taken.has(url.origin)) throw configurationUnusable(where, `${quoted(url.origin, 200)} has a certificate already`);
  taken.add(url.origin);
  return url.origin;
}

/** The objects of a list, each with its location in words; unknown members are refused. */
function entriesOf(
  value: JsonValue = [],
  [key, ...known]: readonly [string, ...string[]],
  path: string,
): readonly (readonly [JsonObject, string])[] {
  if (!Array.isArray(value)) throw configurationUnusable(`${key} in ${path}`, 'it is no list');
  return value.map((entry, index) => {
    const where = `${key}[${index}] in ${path}`;
    const object = asObject(entry);
    if (object === undefined) throw configurationUnusable(where, 'it is no object');
    refuseUnknown(object, known, where);
    return [object, where] as const;
  });
}
