import { isAbsolute, resolve } from 'node:path';
import type { ClientAuthMethod, ProviderReference, Zone } from '../core/records.js';
import { asObject, type JsonValue } from '../core/text/json.js';
import { isAuthMethod, isText, maybe, oneOf, wrongMember } from './checks.js';

/** What a server's login keeps of the company's provider that vouches for it: never an ID token. */
export interface KeptProvider {
  readonly issuer: string;
  /** Of the client there. */
  readonly clientId: string;
  /** Whom it vouches for: nobody else's login takes this one's place unnoticed. */
  readonly subject?: string;
  /** Where the ID token comes from elsewhere, and where it is exchanged; absent: by the login at the provider. */
  readonly file?: TokenFile;
}

export interface TokenFile {
  readonly path: string;
  readonly tokenEndpoint: string;
  readonly authMethod: ClientAuthMethod;
  readonly zone: Zone;
}

/** What the key of a provider's login has for a resource: no server can be called so. */
export const providerResource = 'urn:postern:provider';

/** A relative path is one of the working folder now: a later run has another one. */
export function tokenFilePath(path: string): string {
  return resolve(path);
}

/** Is it what a stored item may hold? */
export function isKeptProvider(value: JsonValue | undefined): boolean {
  const checks = { issuer: isText, clientId: isText, subject: maybe(isText), file: maybe(isTokenFile) };
  return value !== undefined && wrongMember(asObject(value), checks) === undefined;
}

function isTokenFile(value: JsonValue | undefined): boolean {
  const checks = {
    path: (path: JsonValue | undefined) => typeof path === 'string' && isAbsolute(path),
    tokenEndpoint: isText,
    authMethod: isAuthMethod,
    zone: oneOf('public', 'private', 'loopback'),
  };
  return value !== undefined && wrongMember(asObject(value), checks) === undefined;
}

/** What the index tells of it. */
export function recordOfProvider({ issuer, clientId, file }: KeptProvider): ProviderReference {
  return { issuer, clientId, ...(file === undefined ? {} : { tokenFile: file.path }) };
}
