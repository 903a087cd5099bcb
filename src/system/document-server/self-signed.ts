import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  bitString,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  utcTime,
  utf8String,
  yes,
} from './der.js';

/** A certificate and its private key, both PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

const day = 24 * 3600 * 1000;
const ecdsaWithSha256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));

/**
 * A certificate for this machine's own names (`localhost`, 127.0.0.1, ::1), signed by nobody but itself (RFC 5280), with
 * a new P-256 key that exists in this process alone. It is good for two days, for a server, and signs no others: whoever
 * trusts it trusts nothing else by it.
 * @param now Milliseconds since 1970
 */
export function makeSelfSigned(now: number): TlsIdentity {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(setOf(sequence(objectIdentifier('2.5.4.3'), utf8String('postern on this machine'))));
  const toBeSigned = sequence(
    explicit(0, integer(Buffer.from([2]))), // version 3
    integer(randomBytes(16)),
    ecdsaWithSha256,
    name,
    sequence(utcTime(now - day), utcTime(now + 2 * day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions())),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, ecdsaWithSha256, bitString(signature));
  return { cert: pem('CERTIFICATE', certificate), key: keyText(privateKey) };
}

function extensions(): readonly Buffer[] {
  const names = sequence(
    implicit(2, Buffer.from('localhost')),
    implicit(7, Buffer.from([127, 0, 0, 1])),
    implicit(7, Buffer.from([...Array<number>(15).fill(0), 1])),
  );
  const extension = (id: string, isCritical: boolean, value: Buffer) =>
    sequence(objectIdentifier(id), ...(isCritical ? [yes] : []), octetString(value));
  return [
    extension('2.5.29.19', true, sequence()), // no authority
    extension('2.5.29.15', true, bitString(Buffer.from([0x80]), 7)), // digital signatures
    extension('2.5.29.37', false, sequence(objectIdentifier('1.3.6.1.5.5.7.3.1'))), // for a server
    extension('2.5.29.17', false, names),
  ];
}

function keyText(key: KeyObject): string {
  return String(key.export({ type: 'pkcs8', format: 'pem' }));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
