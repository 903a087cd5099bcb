import {
  type ChosenRedirectUri,
  isUsualRedirectUri,
  readRedirectUri,
  redirectUriText,
} from '../core/configuration/redirect-uri.js';
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
  const isManual = ({ way }: RegistrationRecord) => way === 'preregistered' || way === 'ask';
  return kept.find((one) => isManual(one) && (clientId === undefined || one.clientId === clientId));
}

/** What a person chose for logins at an issuer, the latest. What another program has changed it to is validated anew. */
export function chosenRedirectUri(
  { redirectUris = [] }: Pick<IndexDocument, 'redirectUris'>,
  issuer: string,
): ChosenRedirectUri | undefined {
  const kept = redirectUris.find((one) => one.issuer === issuer);
  const read = kept && readRedirectUri(kept.redirectUri);
  return read?.ok ? read.value : undefined;
}

/** So many choices are kept: those of issuers that were not chosen for the longest time are forgotten. */
const maxChoices = 200;

/** Keeps what a person chose for an issuer; the usual redirect URI is no choice. @throws Failure of the index */
export async function keepChosenRedirectUri(
  ports: Pick<StorePorts, 'index'>,
  issuer: string,
  chosen: ChosenRedirectUri,
): Promise<void> {
  const own = isUsualRedirectUri(chosen) ? [] : [{ issuer, redirectUri: redirectUriText(chosen) }];
  await ports.index.update((document) => {
    const others = (document.redirectUris ?? []).filter((one) => one.issuer !== issuer);
    return { ...document, redirectUris: [...others, ...own].slice(-maxChoices) };
  });
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
  const { issuer, clientId, way } = registration;
  const item = { key: await registrationKey(issuer, clientId), store: ports.store.kind };
  if (secret !== undefined) {
    await ports.index.update((document) => withItemToCome(document, item));
    await ports.store.write(item.key, encodeClientSecret({ issuer, clientId, secret }));
  }
  const hasSecret = secret !== undefined;
  const record: RegistrationRecord = { ...rest, ...(hasSecret ? item : { key: item.key }), hasSecret };
  const goes = (old: RegistrationRecord, { logins }: IndexDocument): boolean => {
    const others = logins.filter(({ server, account }) => server !== made?.server || account !== made.account);
    const isAlike = old.issuer === issuer && old.way === way;
    return old.key === item.key || (isAlike && !(old.way === 'dynamic' && isUsed(old, others)));
  };
  await replaceRegistrations(ports, goes, record);
}

/** Whose registration: of this client, at this issuer. */
type Registered = Pick<RegistrationRecord, 'issuer' | 'clientId'>;

const isSame = (one: Registered, other: Registered) => one.issuer === other.issuer && one.clientId === other.clientId;

/** Forgets a registration and its secret. @throws Failure of the index */
export function forgetRegistration(ports: Pick<StorePorts, 'stores' | 'index'>, target: Registered): Promise<void> {
  return replaceRegistrations(ports, (old) => isSame(old, target));
}

/** Forgets every registration that no login is left of, and every secret of one. Returns how many. @throws Failure of the index */
export async function forgetEveryRegistration(ports: Pick<StorePorts, 'stores' | 'index'>): Promise<number> {
  const { registrations, logins } = await ports.index.read();
  await replaceRegistrations(ports, (one, document) => !isUsed(one, document.logins));
  return registrations.filter((registration) => !isUsed(registration, logins)).length;
}

function isUsed(registration: Registered, logins: readonly LoginRecord[]): boolean {
  return logins.some((login) => isSame(login, registration));
}

/**
 * Takes records away, and puts one in their place. Their secrets are noted as without a record in the same step, and
 * removed after it; what a store that has stopped working does not give up stays noted.
 */
async function replaceRegistrations(
  ports: Pick<StorePorts, 'stores' | 'index'>,
  goes: (old: RegistrationRecord, document: IndexDocument) => boolean,
  record?: RegistrationRecord,
): Promise<void> {
  const written = record?.hasSecret ? itemsOf(record) : [];
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
function encodeClientSecret({ issuer, clientId, secret }: Registered & { readonly secret: Secret }): Secret {
  return new Secret(JSON.stringify({ version: 1, issuer, clientId, clientSecret: secret.reveal() }));
}

/** The secret of this issuer's client, or undefined when the item is not that. */
function decodeClientSecret(text: Secret, expected: Registered): Secret | undefined {
  const { version, issuer, clientId, clientSecret } = parseObject(text.reveal()) ?? {};
  const isBound = version === 1 && issuer === expected.issuer && clientId === expected.clientId;
  return isBound && typeof clientSecret === 'string' ? new Secret(clientSecret) : undefined;
}
