export type ImportedKey =
  | { readonly ok: true; readonly key: CryptoKey }
  /** `why` ends the sentence "the key cannot be used: "; nothing of the key is in it. */
  | { readonly ok: false; readonly why: string };

const smallestRsaBits = 2048;

/**
 * A private key for `private_key_jwt` from its PEM text: PKCS #8 (RFC 5958), not encrypted, of the kind that ES256
 * (P-256) or RS256 (RSA, 2048 bits or more) signs with. Total: what is no such key is told, never thrown.
 */
export async function importPrivateKey(pem: string): Promise<ImportedKey> {
  const blocks = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\s]*)-----END \1-----/g)];
  const block = blocks.find(([, label]) => label === 'PRIVATE KEY');
  if (block === undefined) {
    return { ok: false, why: whyNot(blocks.map(([, label]) => label ?? '')) };
  }
  const bytes = decodeBase64(block[2] ?? '');
  if (bytes === undefined) {
    return { ok: false, why: 'its base64 is broken' };
  }
  const { subtle } = globalThis.crypto;
  for (const algorithm of [
    { name: 'ECDSA', namedCurve: 'P-256' },
    { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  ]) {
    try {
      const key = await subtle.importKey('pkcs8', bytes, algorithm, false, ['sign']);
      return judgeSize(key);
    } catch {
      // Of another kind, or broken: the next kind, or the answer below.
    }
  }
  return { ok: false, why: 'it is neither an EC key on P-256 (ES256) nor an RSA key (RS256)' };
}

function judgeSize(key: CryptoKey): ImportedKey {
  const bits = 'modulusLength' in key.algorithm ? Number(key.algorithm.modulusLength) : undefined;
  return bits !== undefined && bits < smallestRsaBits
    ? { ok: false, why: `it is an RSA key of ${bits} bits, and at least ${smallestRsaBits} are needed` }
    : { ok: true, key };
}

function whyNot(labels: readonly string[]): string {
  if (labels.includes('ENCRYPTED PRIVATE KEY')) {
    return 'it is encrypted (decrypt it with: openssl pkcs8 -in FILE)';
  }
  return labels.some((label) => label.endsWith('PRIVATE KEY'))
    ? 'it is not in PKCS #8 form (turn it into that with: openssl pkcs8 -topk8 -nocrypt -in FILE)'
    : 'there is no private key in PEM form in it (-----BEGIN PRIVATE KEY-----)';
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replace(/\s+/g, '')), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
