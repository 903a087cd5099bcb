import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { statSync, unlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Failure, isFailure } from '../../core/failure.js';
import type { LoginRecord } from '../../core/records.js';
import { asObject, type JsonObject, parseObject } from '../../core/text/json.js';
import type { ToolRules } from '../../mcp/lending/tool-policy.js';
import { readIfThere } from '../../stores/state/private-file.js';
import { replacePrivateFile } from '../../stores/state/safe-file.js';
import type { LocalKeys } from '../ports.js';

/** A program that may use the service: its key is kept nowhere but with it. */
export interface HostKey {
  readonly name: string;
  /** SHA-256 of the key, in hex. */
  readonly digest: string;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
}

/** What the service is told on its start; as the options of the same names. */
export interface ServiceOptions extends ToolRules {
  readonly timeout: number;
  readonly silence: number | null;
  readonly grace: number;
}

export type ManagerKind = 'systemd' | 'launchd' | 'task' | 'none';

/** A proxy that was installed for one login. It holds no key of a host. */
export interface ServiceRecord {
  readonly version: 1;
  /** Letters, digits and `-`: it names units and files. */
  readonly id: string;
  readonly server: string;
  readonly account: string;
  /** The path segment in its address, which stays when the login is renamed. */
  readonly mount: string;
  readonly port: number;
  readonly manager: ManagerKind;
  /** Absolute paths of what was written for the service manager. */
  readonly files: readonly string[];
  readonly hosts: readonly HostKey[];
  /** With it the service proves that it is the one; base64url. */
  readonly proof: string;
  readonly options: ServiceOptions;
}

const maxBytes = 256 * 1024;

const idPattern = /^[a-z0-9](?:[a-z0-9-]{0,39}[a-z0-9])?$/;

/** The folder of the records, in the state folder. */
export const servicesFolder = (stateFolder: string): string => join(stateFolder, 'services');

export const recordPath = (folder: string, id: string): string => join(folder, `${id}.json`);

/** An id for the service of a login: readable, and another one for each server and account. */
export function serviceId({ server, account }: Pick<LoginRecord, 'server' | 'account'>, mount: string): string {
  const hash = createHash('sha256').update(`${server}\n${account}`).digest('hex').slice(0, 8);
  const plain = mount
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 30)
    .replace(/-+$/, '');
  return plain === '' ? hash : `${plain}-${hash}`;
}

/** The record of that id; undefined where there is none that this release can use. @throws Failure `state_unsafe` */
export function readService(folder: string, id: string): ServiceRecord | undefined {
  if (!idPattern.test(id)) return undefined;
  const file = readIfThere(recordPath(folder, id), maxBytes);
  const record = file && parseObject(new TextDecoder().decode(file.bytes));
  return record !== undefined && isRecord(record, id) ? (record as unknown as ServiceRecord) : undefined;
}

/** Every service, by id. @param passOver Called for a record that may not be read. @throws Failure `state_unsafe` without it */
export async function allServices(
  folder: string,
  passOver?: (failure: Failure) => void,
): Promise<readonly ServiceRecord[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .sort()
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      try {
        return readService(folder, basename(name, '.json')) ?? [];
      } catch (error) {
        if (!isFailure(error) || passOver === undefined) throw error;
        passOver(error);
        return [];
      }
    });
}

/** The caller has the lock of all services. @throws Failure `state_unsafe`, `state_unwritable` */
export async function keepService(folder: string, record: ServiceRecord): Promise<void> {
  await replacePrivateFile(recordPath(folder, record.id), `${JSON.stringify(record)}\n`);
}

/** From now on no key of it is one. */
export function forgetService(folder: string, id: string): void {
  try {
    unlinkSync(recordPath(folder, id));
  } catch {
    // it is gone already
  }
}

function isRecord(record: JsonObject, id: string): boolean {
  const { version, server, account, mount, port, manager, files, hosts, proof } = record;
  const isText = [server, account, mount, manager, proof].every((one) => typeof one === 'string');
  const areHosts = Array.isArray(hosts) && hosts.every((host) => typeof asObject(host)?.['digest'] === 'string');
  const isPort = typeof port === 'number' && Array.isArray(files) && asObject(record['options']) !== undefined;
  return version === 1 && record['id'] === id && isText && areHosts && isPort;
}

/** A key of a host, as it is kept. */
export const digestOf = (key: string): string => createHash('sha256').update(key, 'latin1').digest('hex');

/** A key has so many characters. */
const keyLength = 43;

/**
 * The keys of a service as its record has them now: one that is withdrawn is refused at once. A record that is gone, or
 * cannot be read, has no keys.
 */
export function hostKeys(folder: string, id: string): LocalKeys {
  const path = recordPath(folder, id);
  let stamp: string | undefined;
  let known: ReadonlySet<string> = new Set();
  const refresh = () => {
    const now = stampOf(path);
    if (now !== stamp) {
      stamp = now;
      known = digestsIn(folder, id);
    }
    return known;
  };
  return {
    version: refresh,
    find: (offered) => {
      if (offered.length !== keyLength) return undefined;
      const digest = digestOf(offered);
      return refresh().has(digest) ? digest : undefined;
    },
    has: (key) => refresh().has(key),
  };
}

function digestsIn(folder: string, id: string): ReadonlySet<string> {
  try {
    const { hosts = [] } = readService(folder, id) ?? {};
    return new Set(hosts.map(({ digest }) => digest));
  } catch {
    return new Set();
  }
}

/** Another text for another file, as a record is replaced and never written into. */
function stampOf(path: string): string {
  try {
    const { ino, ctimeNs, size } = statSync(path, { bigint: true });
    return `${ino} ${ctimeNs} ${size}`;
  } catch {
    return '';
  }
}

export const newProof = (): string => randomBytes(32).toString('base64url');

/** What a service says to who asks whether it is the one at that port: it tells nothing to who does not know the record. */
export function proofOf({ proof, port }: Pick<ServiceRecord, 'proof' | 'port'>, nonce: string): string {
  return createHmac('sha256', Buffer.from(proof, 'base64url')).update(`${port} ${nonce}`).digest('base64url');
}

export function isProof(record: Pick<ServiceRecord, 'proof' | 'port'>, nonce: string, said: string): boolean {
  const [expected, given] = [proofOf(record, nonce), said].map((text) => Buffer.from(text, 'latin1'));
  return expected !== undefined && given?.length === expected.length && timingSafeEqual(expected, given);
}
