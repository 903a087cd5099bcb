import { ignoreFailure } from '../../core/failure.js';
import { defined, type IndexDocument, isSharedKind, type LoginRecord, type StoreKind } from '../../core/records.js';
import type { CredentialIndex, SecretStores } from '../ports.js';

/**
 * The index of a machine that shares logins with others: changes to a shared login here are published to them, and
 * those that others have made are taken in when they are looked for.
 * @param configured The store that the person has set, for new logins and for those of others.
 */
export function withSharedLogins(
  index: CredentialIndex,
  { stores, configured }: { readonly stores: SecretStores; readonly configured: () => Promise<StoreKind | undefined> },
): CredentialIndex {
  return {
    read: () => index.read(),
    update: async (change) => {
      let before: IndexDocument | undefined;
      const after = await index.update((document) => {
        before = document;
        return change(document);
      });
      for (const login of after.logins) {
        const { store } = login;
        if (!isSharedKind(store) || before?.logins.includes(login) === true) continue;
        // The next change of this login tells them.
        await stores.of(store).publish?.(login).catch(ignoreFailure);
      }
      return after;
    },
    adopt: async (asked) => {
      const kind = asked ?? (await configured());
      if (kind === undefined || !isSharedKind(kind)) return;
      const records = (await stores.of(kind).records?.()) ?? [];
      const { logins } = await index.read();
      if (records.some((record) => isNews(logins, record))) {
        await index.update((now) => ({ ...now, logins: records.reduce(withAdopted, now.logins) }));
      }
    },
  };
}

/** Is it none of ours; or one of a shared store that was made again, or refreshed, on another machine? */
function isNews(logins: readonly LoginRecord[], record: LoginRecord): boolean {
  const here = logins.find(({ server, account }) => server === record.server && account === record.account);
  if (here === undefined) return true;
  if (!isSharedKind(here.store)) return false;
  const isMoved = here.key === record.key && here.store !== record.store;
  return isMoved || (here.store === record.store && isLater(here, record));
}

function isLater(here: LoginRecord, record: LoginRecord): boolean {
  if (here.key !== record.key) return record.dead !== true;
  const isNewer = here.generation < record.generation || here.obtainedAt < record.obtainedAt;
  return isNewer || here.gone === true || (record.dead === true && here.dead !== true);
}

/** Under its name, where no login here has that; what a person has set on this machine stays. */
function withAdopted(logins: readonly LoginRecord[], record: LoginRecord): readonly LoginRecord[] {
  if (!isNews(logins, record)) return logins;
  const isSame = (login: LoginRecord) => login.server === record.server && login.account === record.account;
  const here = logins.find(isSame);
  const { name, ...rest } = record;
  const isFree = name !== undefined && !logins.some((login) => login.name === name && !isSame(login));
  const { preferred, browser } = here ?? {};
  const own = defined({ name: here?.name ?? (isFree ? name : undefined), preferred, browser });
  const adopted = { ...rest, ...own };
  return here === undefined ? [...logins, adopted] : logins.map((login) => (login === here ? adopted : login));
}
