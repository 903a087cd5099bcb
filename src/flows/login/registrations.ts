import type { Ports } from '../../ports.js';
import type { RegistrationRecord } from '../../primitives/records.js';
import type { Secret } from '../../primitives/secret.js';
import { decodeClientSecret, encodeClientSecret } from '../../protocol/client-secret-item.js';
import { registrationKey } from '../../protocol/credential-item.js';

/** The registrations kept for an issuer, the newest first. Never used at another issuer. */
export async function registrationsFor(
  ports: Pick<Ports, 'index'>,
  issuer: string,
): Promise<readonly RegistrationRecord[]> {
  const { registrations } = await ports.index.read();
  return registrations.filter((registration) => registration.issuer === issuer).toReversed();
}

/** The secret of a kept registration; undefined when it has none, or when it is gone. */
export async function storedSecret(
  ports: Pick<Ports, 'store'>,
  registration: RegistrationRecord,
): Promise<Secret | undefined> {
  if (!registration.hasSecret) {
    return undefined;
  }
  const item = await ports.store.read(registration.key);
  return item === undefined ? undefined : decodeClientSecret(item, registration);
}

/** Keeps a registration: its secret in the store first, then the record, replacing the issuer's older one of that way. */
export async function keepRegistration(
  ports: Pick<Ports, 'store' | 'stores' | 'index'>,
  registration: Omit<RegistrationRecord, 'key' | 'hasSecret'> & { readonly secret: Secret | undefined },
): Promise<void> {
  const { secret, ...rest } = registration;
  const key = await registrationKey(registration.issuer, registration.clientId);
  if (secret !== undefined) {
    const { issuer, clientId } = registration;
    await ports.store.write(key, encodeClientSecret({ issuer, clientId, secret }));
  }
  const where = secret === undefined ? {} : { store: ports.store.kind };
  const record: RegistrationRecord = { ...rest, key, hasSecret: secret !== undefined, ...where };
  const replaced: RegistrationRecord[] = [];
  await ports.index.update((document) => {
    const same = (old: RegistrationRecord) => old.issuer === record.issuer && old.way === record.way;
    replaced.push(...document.registrations.filter(same));
    return { ...document, registrations: [...document.registrations.filter((old) => !same(old)), record] };
  });
  await forgetSecrets(
    ports,
    replaced.filter(
      (old) => old.key !== key || ports.stores.of(old.store ?? 'keychain').kind !== record.store,
    ),
  );
}

/** Forgets a registration and its secret. */
export async function forgetRegistration(
  ports: Pick<Ports, 'stores' | 'index'>,
  target: { readonly issuer: string; readonly clientId: string },
): Promise<void> {
  const removed: RegistrationRecord[] = [];
  await ports.index.update((document) => {
    const same = (old: RegistrationRecord) =>
      old.issuer === target.issuer && old.clientId === target.clientId;
    removed.push(...document.registrations.filter(same));
    return { ...document, registrations: document.registrations.filter((old) => !same(old)) };
  });
  await forgetSecrets(ports, removed);
}

async function forgetSecrets(
  ports: Pick<Ports, 'stores'>,
  records: readonly RegistrationRecord[],
): Promise<void> {
  for (const record of records.filter(({ hasSecret }) => hasSecret)) {
    await ports.stores.of(record.store ?? 'keychain').remove(record.key);
    if (record.leftIn !== undefined) await ports.stores.of(record.leftIn).remove(record.key);
  }
}
