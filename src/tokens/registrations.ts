import { Failure } from '../core/failure.js';
import type { LoginMeant } from '../core/login-command.js';
import type { IndexDocument, LoginRecord, RegistrationRecord, StoredItem } from '../core/records.js';
import { Secret } from '../core/secret.js';
import { parseObject } from '../core/text/json.js';
import { registrationKey } from '../stores/credential-item.js';
import { isRecorded, itemsOf, withItemToCome, withOrphans, withoutOrphans } from '../stores/orphans.js';
import type { StorePorts } from '../stores/ports.js';

/** The registrations kept for an issuer, the newest first. Never used at another issuer. */
export async function registrationsFor(
  ports: Pick<StorePorts, 'index'>,
  issuer: string,
): Promise<readonly RegistrationRecord[]> {
  const { registrations } = await ports.index.read();
  return registrations.filter((registration) => registration.issuer === issuer).toReversed();
}

/** A registration made by a person and kept: the newest, or the newest of that client identifier. */
export function manualRegistration(
  kept: readonly RegistrationRecord[],
  clientId: string | undefined,
): RegistrationRecord | undefined {
  return kept.find(
    ({ way, clientId: id }) =>
      (way === 'preregistered' || way === 'ask') && (clientId === undefined || id === clientId),
  );
}

/** The document that a login names itself by: the configured one, else the one that it was made with before. */
export function documentOf(configured: string | undefined, held: LoginRecord | undefined): string | undefined {
  return configured ?? (held?.registration === 'metadata' ? held.clientId : undefined);
}

/** The secret of a kept registration. `none`: it has none; `lost`: it is gone, or its store, another one, does not give it. */
export type KeptSecret =
  | { readonly kind: 'secret'; readonly secret: Secret }
  | { readonly kind: 'none' }
  | { readonly kind: 'lost'; readonly why: Failure | undefined };

/**
 * The secret of a kept registration. Where it is in another store than the one that this login is for, and that one has
 * stopped working, the person is not kept from the one that works.
 * @throws Failure of the store that the login is for
 */
export async function storedSecret(
  ports: Pick<StorePorts, 'store' | 'stores'>,
  registration: RegistrationRecord,
): Promise<KeptSecret> {
  if (!registration.hasSecret) return { kind: 'none' };
  try {
    const item = await ports.store.read(registration.key);
    const secret = item && decodeClientSecret(item, registration);
    return secret === undefined ? { kind: 'lost', why: undefined } : { kind: 'secret', secret };
  } catch (error) {
    const elsewhere = ports.stores.of(registration.store ?? 'keychain').kind !== ports.store.kind;
    if (!(error instanceof Failure) || !elsewhere) throw error;
    return { kind: 'lost', why: error };
  }
}

/**
 * Keeps a registration: its secret in the store first, then the record, replacing the issuer's older one of that way;
 * one that was registered by itself stays as long as a login uses it, other than the one that is being made.
 */
export async function keepRegistration(
  ports: Pick<StorePorts, 'store' | 'stores' | 'index'>,
  registration: Omit<RegistrationRecord, 'key' | 'hasSecret'> & { readonly secret: Secret | undefined },
  made?: LoginMeant,
): Promise<void> {
  const { secret, ...rest } = registration;
  const key = await registrationKey(registration.issuer, registration.clientId);
  const place = { key, store: ports.store.kind };
  if (secret !== undefined) {
    const { issuer, clientId } = registration;
    await ports.index.update((document) => withItemToCome(document, place));
    await ports.store.write(key, encodeClientSecret({ issuer, clientId, secret }));
  }
  const where = secret === undefined ? {} : { store: ports.store.kind };
  const record: RegistrationRecord = { ...rest, key, hasSecret: secret !== undefined, ...where };
  const goes = (old: RegistrationRecord, { logins }: IndexDocument): boolean => {
    const isMade = (login: LoginRecord) => login.server === made?.server && login.account === made?.account;
    const isAlike = old.issuer === record.issuer && old.way === record.way;
    const others = logins.filter((login) => !isMade(login));
    return old.key === key || (isAlike && !(old.way === 'dynamic' && isUsed(old, others)));
  };
  await replaceRegistrations(ports, goes, secret === undefined ? [] : [place], record);
}

/** Notes whether to doubt that the authorization server still knows a registration. @throws Failure of the index */
export async function doubtRegistration(
  ports: Pick<StorePorts, 'index'>,
  { issuer, clientId }: { readonly issuer: string; readonly clientId: string },
  doubted: boolean,
): Promise<void> {
  const isIt = (one: RegistrationRecord) => one.issuer === issuer && one.clientId === clientId;
  await ports.index.update((document) => ({
    ...document,
    registrations: document.registrations.map((one) => (isIt(one) ? { ...one, doubted } : one)),
  }));
}

/** Forgets a registration and its secret. @throws Failure of the index */
export async function forgetRegistration(
  ports: Pick<StorePorts, 'stores' | 'index'>,
  target: { readonly issuer: string; readonly clientId: string },
): Promise<void> {
  const same = (old: RegistrationRecord) => old.issuer === target.issuer && old.clientId === target.clientId;
  await replaceRegistrations(ports, same, [], undefined);
}

/** Forgets every registration that no login is left of, and every secret of one. Returns how many. @throws Failure of the index */
export async function forgetEveryRegistration(ports: Pick<StorePorts, 'stores' | 'index'>): Promise<number> {
  const { registrations, logins } = await ports.index.read();
  await replaceRegistrations(ports, (one, document) => !isUsed(one, document.logins), [], undefined);
  return registrations.filter((registration) => !isUsed(registration, logins)).length;
}

function isUsed({ issuer, clientId }: RegistrationRecord, logins: readonly LoginRecord[]): boolean {
  return logins.some((login) => login.issuer === issuer && login.clientId === clientId);
}

/**
 * Takes records away, and puts one in their place. Their secrets are noted as without a record in the same step, and
 * removed after it; what a store that has stopped working does not give up stays noted.
 * @param written Items that the new record tells of.
 */
async function replaceRegistrations(
  ports: Pick<StorePorts, 'stores' | 'index'>,
  goes: (old: RegistrationRecord, document: IndexDocument) => boolean,
  written: readonly StoredItem[],
  record: RegistrationRecord | undefined,
): Promise<void> {
  let items: readonly StoredItem[] = [];
  await ports.index.update((document) => {
    const kept = document.registrations.filter((old) => !goes(old, document));
    const registrations = record === undefined ? kept : [...kept, record];
    const after = withoutOrphans({ ...document, registrations }, written);
    items = document.registrations
      .filter((old) => goes(old, document) && old.hasSecret)
      .flatMap(itemsOf)
      .filter(({ key, store }) => !isRecorded(after, { key, store: ports.stores.of(store).kind }));
    return withOrphans(after, items);
  });
  for (const item of items) {
    try {
      await ports.stores.of(item.store).remove(item.key);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      continue; // `status` tells of it, and tries again
    }
    await ports.index.update((document) => withoutOrphans(document, [item]));
  }
}

/** The stored form of one client secret; it repeats whose it is, so that a swapped item is noticed. */
export function encodeClientSecret(item: {
  readonly issuer: string;
  readonly clientId: string;
  readonly secret: Secret;
}): Secret {
  const { issuer, clientId } = item;
  return new Secret(JSON.stringify({ version: 1, issuer, clientId, clientSecret: item.secret.reveal() }));
}

/** The secret of this issuer's client, or undefined when the item is not that. */
export function decodeClientSecret(
  text: Secret,
  expected: { readonly issuer: string; readonly clientId: string },
): Secret | undefined {
  const item = parseObject(text.reveal());
  const secret = item?.['clientSecret'];
  const bound = item?.['issuer'] === expected.issuer && item['clientId'] === expected.clientId;
  return bound && item['version'] === 1 && typeof secret === 'string' ? new Secret(secret) : undefined;
}
