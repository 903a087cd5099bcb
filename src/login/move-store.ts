import { Failure } from '../core/failure.js';
import type { ClientKeyRecord, IndexDocument, LoginRecord, RegistrationRecord, StoreKind } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import type { SecretStore } from '../stores/ports.js';
import { moveNotVerified } from './failures.js';
import type { LoginPorts } from './ports.js';
import { fullName } from './render.js';
import { credentialLockWaitMs } from './save-credential.js';

type Needs = Pick<LoginPorts, 'stores' | 'index' | 'locks' | 'progress'>;

/** What a move did. A secret that several logins share counts once. */
export interface MoveResult {
  readonly moved: number;
  /** Those that are where they were, or of which a copy is still there, and why. */
  readonly failures: readonly MoveFailure[];
}

/** What was not moved: a login's name or server, or what its secret is for. */
export interface MoveFailure {
  readonly what: string;
  readonly failure: Failure;
}

type Places = Readonly<Record<'store' | 'leftIn', StoreKind | undefined>>;

/**
 * Moves every credential, client secret and client key to one store: written there, read again, the index changed, and
 * only then removed where it was. Interrupted at any point, nothing is lost, and the next move takes away what is
 * left. One that cannot be moved does not keep the others.
 * @throws Failure when the store that is moved to does not work, of the index, or `busy`
 */
export async function moveStore(
  ports: Needs,
  request: { readonly to: StoreKind; readonly signal: AbortSignal },
): Promise<MoveResult> {
  const to = ports.stores.of(request.to);
  await to.ready();
  const document = await ports.index.read();
  const keys = keysOf(document);
  const failures: MoveFailure[] = [];
  let moved = 0;
  for (const [at, key] of keys.entries()) {
    ports.progress.begin(`Moving ${at + 1} of ${keys.length}`);
    try {
      if (await moveOne(ports, { key, to, signal: request.signal })) moved += 1;
    } catch (error) {
      if (!(error instanceof Failure) || request.signal.aborted) throw error;
      failures.push({ what: nameOf(document, key), failure: error });
    } finally {
      ports.progress.end();
    }
  }
  return { moved, failures };
}

/** True when it was elsewhere. */
async function moveOne(
  ports: Needs,
  { key, to, signal }: { readonly key: string; readonly to: SecretStore; readonly signal: AbortSignal },
): Promise<boolean> {
  await using _lock = await ports.locks.acquire(key, { waitMs: credentialLockWaitMs, signal });
  const { store, leftIn } = placesOf(await ports.index.read(), key);
  if (store === undefined) return false; // logged out meanwhile
  const isElsewhere = ports.stores.of(store).kind !== to.kind;
  let left = leftIn;
  if (isElsewhere) {
    // Read before anything is noted: where this store does not open, nothing is anywhere else.
    const secret = await ports.stores.of(store).read(key);
    // What an earlier move has left is taken away first: only one other place is recorded.
    if (left !== undefined && left !== to.kind) await ports.stores.of(left).remove(key);
    await ports.index.update((document) => changed(document, key, { store, leftIn: to.kind }));
    await place(key, secret, to);
    left = store;
    await ports.index.update((document) => changed(document, key, { store: to.kind, leftIn: store }));
  }
  if (left !== undefined) {
    if (left !== to.kind) await ports.stores.of(left).remove(key);
    await ports.index.update((document) => changed(document, key, { store: to.kind, leftIn: undefined }));
  }
  return isElsewhere;
}

/** One that is gone stays gone: its login says so when it is used. */
async function place(key: string, secret: Secret | undefined, to: SecretStore): Promise<void> {
  if (secret === undefined) {
    await to.remove(key); // an older copy is none
    return;
  }
  await to.write(key, secret);
  const written = await to.read(key);
  if (written?.reveal() !== secret.reveal()) throw moveNotVerified(to.kind);
}

function keysOf({ logins, registrations, clientKeys = [] }: IndexDocument): readonly string[] {
  const secrets = [...logins, ...registrations.filter(({ hasSecret }) => hasSecret), ...clientKeys];
  return [...new Set(secrets.map(({ key }) => key))];
}

/** As a person knows what this secret belongs to. */
function nameOf({ logins, registrations }: IndexDocument, key: string): string {
  const login = logins.find((record) => record.key === key);
  if (login !== undefined) return `the login ${fullName(login)}`;
  const registration = registrations.find((record) => record.key === key);
  return registration === undefined ? 'a client key' : `the client secret for ${registration.issuer}`;
}

function placesOf({ logins, registrations, clientKeys = [] }: IndexDocument, key: string): Places {
  const found = [...logins, ...clientKeys].find((record) => record.key === key);
  if (found !== undefined) return { store: found.store, leftIn: found.leftIn };
  const registration = registrations.find((record) => record.key === key && record.hasSecret);
  return { store: registration && (registration.store ?? 'keychain'), leftIn: registration?.leftIn };
}

function changed(
  document: IndexDocument,
  key: string,
  places: { readonly store: StoreKind; readonly leftIn: StoreKind | undefined },
): IndexDocument {
  const placed = <Record extends LoginRecord | RegistrationRecord | ClientKeyRecord>(record: Record): Record => {
    if (record.key !== key) return record;
    const { leftIn: _, ...rest } = record;
    const { store, leftIn } = places;
    return { ...(rest as Record), store, ...(leftIn === undefined ? {} : { leftIn }) };
  };
  return {
    ...document,
    logins: document.logins.map(placed),
    registrations: document.registrations.map(placed),
    ...(document.clientKeys === undefined ? {} : { clientKeys: document.clientKeys.map(placed) }),
  };
}
