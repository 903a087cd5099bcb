import { hkdfSync, randomBytes, scrypt } from 'node:crypto';
import type { KeyWay } from '../../errors/file-store.js';
import { seal, unseal } from './sealing.js';

/** What all sealed files of a folder have in common: nothing secret. */
export interface StoreHead {
  readonly way: KeyWay;
  readonly salt: Buffer;
  /** A known text sealed with the key, so that a wrong key is told from a damaged file. */
  readonly check: string;
}

export type HeadText =
  | { readonly ok: true; readonly head: StoreHead }
  | { readonly ok: false; readonly problem: 'newer' | 'damaged' };

const pattern = /^postern-store 1 (key-file|passphrase) ([A-Za-z0-9_-]{43}) ([A-Za-z0-9_-]+)\n$/;
const known = 'postern';
/** RFC 7914; OWASP's parameters for interactive use: 128 MiB, about 0.3 s. */
const scryptCost = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };

export function parseHead(text: string): HeadText {
  const [, way, salt, check] = pattern.exec(text) ?? [];
  if ((way === 'key-file' || way === 'passphrase') && salt !== undefined && check !== undefined) {
    return { ok: true, head: { way, salt: Buffer.from(salt, 'base64url'), check } };
  }
  return {
    ok: false,
    problem:
      /^postern-store [1-9][0-9]* /.test(text) && !/^postern-store 1 /.test(text) ? 'newer' : 'damaged',
  };
}

export function headText({ way, salt, check }: StoreHead): string {
  return `postern-store 1 ${way} ${salt.toString('base64url')} ${check}\n`;
}

/** A head with a fresh salt, for files that are to be sealed from now on. */
export async function newHead(way: KeyWay, material: Buffer): Promise<StoreHead> {
  const salt = randomBytes(32);
  const key = await deriveKey(way, material, salt);
  return { way, salt, check: seal(key, checkName(way), known) };
}

/** The key that opens this head's files; undefined when it is made from something else. */
export async function keyOf({ way, salt, check }: StoreHead, material: Buffer): Promise<Buffer | undefined> {
  const key = await deriveKey(way, material, salt);
  return unseal(key, checkName(way), check) === known ? key : undefined;
}

function checkName(way: KeyWay): string {
  return `postern-store 1 ${way}`;
}

/** HKDF (RFC 5869) for the bytes of a key file, scrypt for what a person can remember. */
function deriveKey(way: KeyWay, material: Buffer, salt: Buffer): Promise<Buffer> {
  if (way === 'key-file') {
    return Promise.resolve(Buffer.from(hkdfSync('sha256', material, salt, 'postern sealed files 1', 32)));
  }
  return new Promise((resolve, reject) => {
    scrypt(material, salt, 32, scryptCost, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}
