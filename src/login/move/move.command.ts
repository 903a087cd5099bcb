import type { Command, CommandOutput } from '../../core/command.js';
import { readStoreOption } from '../../core/configuration/settings.js';
import { exitCode } from '../../core/failure.js';
import {
  type ClientKeyRecord,
  defined,
  type IndexDocument,
  isSharedKind,
  type LoginRecord,
  type RegistrationRecord,
  type StoreKind,
  storeInWords,
} from '../../core/records.js';
import type { Secret } from '../../core/secret.js';
import { counted } from '../../core/text/printable.js';
import { providerResource } from '../../stores/credential-item.js';
import { recordsIn } from '../../stores/orphans.js';
import type { SecretStore } from '../../stores/ports.js';
import { companyNotMoved, moveNotVerified } from '../failures.js';
import { doEach, failureLines } from '../many.js';
import type { LoginPorts } from '../ports.js';
import { credentialLockWaitMs } from '../save-credential.js';
import { fullName } from '../status/login-status.js';
import { moveTable } from '../status/logins.options.js';
import { failureJson } from '../status/render.js';

type Needs = Pick<LoginPorts, 'stores' | 'index' | 'locks' | 'progress'>;

export const command: Command<typeof moveTable, CommandOutput & Needs> = {
  table: moveTable,
  async run(world, { store: given }) {
    const { out } = world;
    const store = readStoreOption(given, 'store', 'postern move --help');
    const { moved, failures } = await moveStore(world, { to: store, signal: world.signal });
    if (world.json) {
      const failed = failures.map(({ item, failure }) => ({ what: item.what, ...failureJson(failure) }));
      await out.json({ store, moved, failures: failed });
    } else {
      if (moved + failures.length === 0)
        world.tell(`Nothing to move: no secret is kept anywhere but in ${storeInWords(store)}.`);
      else await out.line(`Moved ${counted(moved, 'secret')} to: ${storeInWords(store)}.`);
      failureLines('Could not move', failures, ({ what }) => what).forEach(world.tell);
    }
    return failures.length === 0 ? 0 : exitCode.store;
  },
};

/**
 * Moves every credential, client secret and client key to one store: written there, read again, the index changed, and
 * only then removed where it was. Interrupted at any point, nothing is lost, and the next move takes away what is
 * left. One that cannot be moved does not keep the others; a secret that several logins share counts once.
 * @throws Failure when the store that is moved to does not work, of the index, or `busy`
 */
export async function moveStore(ports: Needs, request: { readonly to: StoreKind; readonly signal: AbortSignal }) {
  const to = ports.stores.of(request.to);
  await to.ready();
  const document = await ports.index.read();
  const keys = [...new Set(recordsIn(document).map(({ key }) => key))];
  const items = keys.map((key) => ({ key, what: nameOf(document, key) }));
  const { signal } = request;
  const { done, failures } = await doEach(items, { ...ports, signal }, async ({ key }, at) => {
    ports.progress.begin(`Moving ${at + 1} of ${keys.length}`);
    return await moveOne(ports, key, to, signal);
  });
  return { moved: done.filter(Boolean).length, failures };
}

async function moveOne(ports: Needs, key: string, to: SecretStore, signal: AbortSignal): Promise<boolean> {
  await using _lock = await ports.locks.acquire(key, { waitMs: credentialLockWaitMs, signal });
  const record = recordsIn(await ports.index.read()).find((one) => one.key === key);
  if (record === undefined) return false; // logged out meanwhile
  const isCompanys = 'resource' in record && (record.provider !== undefined || record.resource === providerResource);
  if (isCompanys && isSharedKind(to.kind)) throw companyNotMoved(to.kind);
  const { store = 'keychain', leftIn } = record;
  const note = (...stores: [now: StoreKind, leftIn?: StoreKind]) =>
    ports.index.update((document) => withLocation(document, key, ...stores));
  const isElsewhere = ports.stores.of(store).kind !== to.kind;
  let left = leftIn;
  if (isElsewhere) {
    // Read before anything is noted: where this store does not open, nothing is anywhere else.
    const secret = await ports.stores.of(store).read(key);
    // What an earlier move has left is taken away first: only one other store is recorded.
    if (left !== undefined && left !== to.kind) await ports.stores.of(left).remove(key);
    await note(store, to.kind);
    await copy(key, secret, to);
    left = store;
    await note(to.kind, store);
  }
  if (left !== undefined) {
    if (left !== to.kind) await ports.stores.of(left).remove(key);
    await note(to.kind);
  }
  return isElsewhere;
}

/** One that is gone stays gone: its login says so when it is used. */
async function copy(key: string, secret: Secret | undefined, to: SecretStore): Promise<void> {
  if (secret === undefined) {
    await to.remove(key); // an older copy is none
    return;
  }
  await to.write(key, secret);
  const written = await to.read(key);
  if (written?.reveal() !== secret.reveal()) throw moveNotVerified(to.kind);
}

function nameOf({ logins, registrations, providers = [] }: IndexDocument, key: string): string {
  const login = logins.find((record) => record.key === key);
  if (login !== undefined) return `the login ${fullName(login)}`;
  const provider = providers.find((record) => record.key === key);
  if (provider !== undefined) return `the login at the provider ${provider.issuer}`;
  const registration = registrations.find((record) => record.key === key);
  return registration === undefined ? 'a client key' : `the client secret for ${registration.issuer}`;
}

function withLocation(document: IndexDocument, key: string, store: StoreKind, leftIn?: StoreKind): IndexDocument {
  const located = <Record extends LoginRecord | RegistrationRecord | ClientKeyRecord>(record: Record): Record => {
    if (record.key !== key) return record;
    const { leftIn: _, ...rest } = record;
    return { ...(rest as Record), store, ...defined({ leftIn }) };
  };
  const { logins, registrations, clientKeys, providers } = document;
  return {
    ...document,
    logins: logins.map(located),
    registrations: registrations.map(located),
    ...defined({ clientKeys: clientKeys?.map(located), providers: providers?.map(located) }),
  };
}
