import { type ValidatedDocument, validateDocument } from '../../../src/oauth/client-metadata/document.js';
import { writeDocument } from '../../../src/oauth/client-metadata/write-document.js';

/** An address at a top-level domain that does not exist. */
export const address = 'https://me.postern/app/client.json';

export const ecKey = { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: 'one', x: 'eA', y: 'eQ' };

type Members = Readonly<Record<string, unknown>>;

/** The document of this program for `address`, with some members changed; undefined takes one out. */
export function changed(members: Members): string {
  const text = writeDocument({ url: address, name: 'postern', contact: undefined, keys: [] });
  return JSON.stringify({ ...JSON.parse(text), ...members });
}

export function judged(text: string, url: string | undefined = address): ValidatedDocument {
  return validateDocument(new TextEncoder().encode(text), url);
}

/** The findings as `failure code` and `warning code`. */
export function codesOf({ findings }: Pick<ValidatedDocument, 'findings'>): readonly string[] {
  return findings.map(({ verdict, code }) => `${verdict} ${code}`);
}
