import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A certificate and its private key, both PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

const day = 24 * 3600 * 1000;

/** ASN.1 in its distinguished encoding (X.690), as much of it as this certificate takes: a tag, a length, the content. */
const element =
  (tag: number) =>
  (...content: readonly Uint8Array[]): Buffer => {
    const body = Buffer.concat(content);
    const size = body.length;
    const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
    return Buffer.concat([Buffer.from([tag, ...length]), body]);
  };

const [sequence, setOf, octetString] = [element(0x30), element(0x31), element(0x04)];

const id = (hex: string): Buffer => element(0x06)(Buffer.from(hex, 'hex'));

const bitString = (bytes: Uint8Array, unusedBits = 0): Buffer => element(0x03)(Buffer.from([unusedBits]), bytes);

/** UTCTime, which certificates use up to the year 2049 (RFC 5280 section 4.1.2.5). */
const utcTime = (ms: number): Buffer =>
  element(0x17)(
    Buffer.from(
      new Date(ms)
        .toISOString()
        .replaceAll(/[-:T]|\.[0-9]+/g, '')
        .slice(2),
    ),
  );

const ecdsaWithSha256 = sequence(id('2a8648ce3d040302'));

/**
 * A certificate for this machine's own names (`localhost`, 127.0.0.1, ::1), signed by nobody but itself (RFC 5280), with
 * a new P-256 key that exists in this process alone. It is good for two days, for a server, and signs no others: whoever
 * trusts it trusts nothing else by it.
 * @param now Milliseconds since 1970
 */
export function makeSelfSigned(now: number): TlsIdentity {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const commonName = sequence(id('550403'), element(0x0c)(Buffer.from('postern on this machine')));
  const name = sequence(setOf(commonName));
  const version3 = element(0xa0)(element(0x02)(Buffer.from([2])));
  // A positive number in its shortest form.
  const serial = element(0x02)(Buffer.from([0x40]), randomBytes(15));
  const toBeSigned = sequence(
    version3,
    serial,
    ecdsaWithSha256,
    name,
    sequence(utcTime(now - day), utcTime(now + 2 * day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3)(sequence(...extensions())),
  );
  const certificate = sequence(toBeSigned, ecdsaWithSha256, bitString(sign('sha256', toBeSigned, privateKey)));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

function extensions(): readonly Buffer[] {
  const [dnsName, ipAddress] = [element(0x82), element(0x87)];
  const names = sequence(
    dnsName(Buffer.from('localhost')),
    ipAddress(Buffer.from([127, 0, 0, 1])),
    ipAddress(Buffer.from([...Array<number>(15).fill(0), 1])),
  );
  const critical = element(0x01)(Buffer.from([0xff]));
  return [
    sequence(id('551d13'), critical, octetString(sequence())), // no authority
    sequence(id('551d0f'), critical, octetString(bitString(Buffer.from([0x80]), 7))), // digital signatures
    sequence(id('551d25'), octetString(sequence(id('2b06010505070301')))), // for a server
    sequence(id('551d11'), octetString(names)),
  ];
}
