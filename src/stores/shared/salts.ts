import { hkdfSync, randomBytes } from 'node:crypto';
import { type Stretch, sealText, unsealText } from '../sealed-files/sealed-file.js';

export type Passphrase = 'readers' | 'refreshers';

interface Salt {
  readonly salt: string;
  /** A known text sealed with what the passphrase gives, which tells a wrong one. */
  readonly check: string;
}

/** What all machines have in common that open a namespace by passphrases: nothing secret. */
export interface Salts extends Readonly<Record<Passphrase, Salt>> {
  readonly text: string;
  readonly namespace: string;
}

const form = 'postern-shared 1 passphrase';

const pattern = new RegExp(
  `^${form} ([A-Za-z0-9_-]{43}) ([A-Za-z0-9_-]{47}) ([A-Za-z0-9_-]{43}) ([A-Za-z0-9_-]{47})\\n$`,
);

const knownText = 'postern';

/** Undefined for what are no salts. */
export function parseSalts(text: string, namespace: string): Salts | 'newer' | undefined {
  if (/^postern-shared (?!1 )[1-9][0-9]* /.test(text)) return 'newer';
  const [, salt, check, otherSalt, otherCheck] = pattern.exec(text) ?? [];
  if (salt === undefined || check === undefined || otherSalt === undefined || otherCheck === undefined)
    return undefined;
  return { text, namespace, readers: { salt, check }, refreshers: { salt: otherSalt, check: otherCheck } };
}

/** Fresh salts, for a namespace that is begun, and what the keys are made from. */
export async function newSalts(stretch: Stretch, namespace: string, typed: Readonly<Record<Passphrase, Buffer>>) {
  const [salt, otherSalt] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
  const readers = await materialOf(stretch, typed.readers, namespace, 'readers', salt);
  const refreshers = await materialOf(stretch, typed.refreshers, namespace, 'refreshers', otherSalt);
  const bound = (which: Passphrase) => boundTo(namespace, which, salt, otherSalt);
  const check = sealText(checkKey(readers), bound('readers'), knownText);
  const otherCheck = sealText(checkKey(refreshers), bound('refreshers'), knownText);
  const text = `${form} ${salt} ${check} ${otherSalt} ${otherCheck}\n`;
  const salts: Salts = {
    ...{ text, namespace },
    ...{ readers: { salt, check }, refreshers: { salt: otherSalt, check: otherCheck } },
  };
  return { salts, readers, refreshers };
}

/** What the key of one kind is made from; undefined where this is not its passphrase, or a salt is not the first one. */
export async function materialBy(
  stretch: Stretch,
  salts: Salts,
  which: Passphrase,
  typed: Buffer,
): Promise<Buffer | undefined> {
  const { namespace, readers, refreshers } = salts;
  const material = await materialOf(stretch, typed, namespace, which, salts[which].salt);
  const bound = boundTo(namespace, which, readers.salt, refreshers.salt);
  return unsealText(checkKey(material), bound, salts[which].check) === knownText ? material : undefined;
}

/** The same passphrase gives something else for other machines, and for the other kind. */
function materialOf(
  stretch: Stretch,
  typed: Buffer,
  namespace: string,
  which: Passphrase,
  salt: string,
): Promise<Buffer> {
  const bound = Buffer.from(`${form} ${namespace} ${which} `);
  return stretch(typed, Buffer.concat([bound, Buffer.from(salt, 'base64url')]));
}

function checkKey(material: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', material, '', 'postern shared check 1 passphrase', 32));
}

function boundTo(namespace: string, which: Passphrase, salt: string, otherSalt: string): string {
  return `${form} ${namespace} ${which} ${salt} ${otherSalt}`;
}
