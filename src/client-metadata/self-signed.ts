import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

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

/** ASN.1 in its distinguished encoding (X.690), as much of it as a certificate takes. */

/** One element: tag, length, content. */
export function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

export function sequence(...content: readonly Uint8Array[]): Buffer {
  return element(0x30, ...content);
}

/** A SET with one member, which needs no sorting. */
export function setOf(member: Uint8Array): Buffer {
  return element(0x31, member);
}

/** A number that is not negative, big endian. */
export function integer(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const shortest = start === -1 ? Buffer.from([0]) : Buffer.from(bytes.subarray(start));
  const isNegative = (shortest[0] ?? 0) >= 0x80;
  return element(0x02, isNegative ? Buffer.concat([Buffer.from([0]), shortest]) : shortest);
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return element(0x03, Buffer.from([unusedBits]), bytes);
}

export function octetString(bytes: Uint8Array): Buffer {
  return element(0x04, bytes);
}

export const yes: Buffer = element(0x01, Buffer.from([0xff]));

/** @param dotted e.g. `2.5.29.17` */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

export function utf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text));
}

/** UTCTime, which certificates use up to the year 2049 (RFC 5280 section 4.1.2.5). @param ms Since 1970 */
export function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]|\.[0-9]+/g, '');
  return element(0x17, Buffer.from(digits.slice(2)));
}

/** A context-specific element that wraps another one. */
export function explicit(number: number, content: Uint8Array): Buffer {
  return element(0xa0 | number, content);
}

/** A context-specific element whose content stands for itself. */
export function implicit(number: number, content: Uint8Array): Buffer {
  return element(0x80 | number, content);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function base128(value: number): number[] {
  const groups = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128))
    groups.unshift(0x80 | (rest % 128));
  return groups;
}
