import type { LoginRecord, SharedKind } from '../../core/records.js';
import { asObject, type JsonObject, type JsonValue } from '../../core/text/json.js';
import { isLoginRecord } from '../index/index-schema.js';
import type { AccessItem } from './items.js';

/** What of a record is this machine's alone, or stands in the credential. */
const own: ReadonlySet<string> = new Set([
  ...['store', 'leftIn', 'preferred', 'browser', 'refusedToken', 'requestFingerprint', 'dead', 'gone', 'shared'],
  ...['scopes', 'expiresAt', 'obtainedAt', 'generation'],
]);

/** What other machines are told of a login. */
export function publishedOf(login: LoginRecord): JsonObject {
  const entries = Object.entries(login).filter(([name, value]) => !own.has(name) && value !== undefined);
  return Object.fromEntries(entries as [string, JsonValue][]);
}

/** The record that a machine makes of it; undefined for none: its login was never published, or is no whole one. */
export function recordIn({ record, credential }: AccessItem, store: SharedKind): LoginRecord | undefined {
  if (record === undefined) return undefined;
  const { scopes, expiresAt, obtainedAt, generation, ended } = credential;
  const binding = asObject(credential['binding']) ?? {};
  const dead = ended === true ? { dead: true } : {};
  const made = { ...record, ...binding, scopes, expiresAt, obtainedAt, generation, store, ...dead };
  return isLoginRecord(made) ? made : undefined;
}
