import { ignoreFailure } from '../../core/failure.js';
import { type IndexDocument, isSharedKind, type LoginRecord, type StoreKind } from '../../core/records.js';
import type { CredentialIndex, SecretStores } from '../ports.js';

/**
 * The index of a machine that shares logins with others: what is changed here of a shared login is told to them, and
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
        if (!isSharedKind(login.store) || before?.logins.includes(login) === true) continue;
        // The next change of this login tells them.
        await stores.of(login.store).publish?.(login).catch(ignoreFailure);
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

/** Is it none of ours, or one of that store that has ended here, and was made anew elsewhere? */
function isNews(logins: readonly LoginRecord[], record: LoginRecord): boolean {
  const here = logins.find(({ server, account }) => server === record.server && account === record.account);
  if (here === undefined) return true;
  const isOther = here.key !== record.key || here.generation < record.generation || here.gone === true;
  return here.store === record.store && isOther && record.dead !== true;
}

/** Under its name, where no login here has that. */
function withAdopted(logins: readonly LoginRecord[], record: LoginRecord): readonly LoginRecord[] {
  if (!isNews(logins, record)) return logins;
  const isSame = (login: LoginRecord) => login.server === record.server && login.account === record.account;
  const others = logins.filter((login) => !isSame(login));
  const { name, ...rest } = record;
  const isFree = name !== undefined && !others.some((login) => login.name === name);
  const kept = logins.find(isSame)?.name ?? (isFree ? name : undefined);
  return [...others, kept === undefined ? rest : { ...rest, name: kept }];
}
