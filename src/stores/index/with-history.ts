import type { IndexDocument, LoginRecord } from '../../core/records.js';
import { scopesMissing } from '../../core/scope.js';
import type { CredentialIndex, HistoryEvent, LoginHistory } from '../ports.js';

type Noted = readonly [login: LoginRecord, what: HistoryEvent | 'forgotten' | 'rekeyed', why?: string];

/** The index, with what its changes mean for the history of each login noted: all but its uses is seen here. */
export function withHistory(index: CredentialIndex, history: LoginHistory): CredentialIndex {
  return {
    read: () => index.read(),
    update: async (change, first) => {
      let before: IndexDocument | undefined;
      const after = await index.update((document) => {
        before = document;
        return change(document);
      }, first);
      for (const [login, what, why] of before === undefined ? [] : eventsOf(before, after)) {
        if (what === 'forgotten') await history.forget(login);
        else if (what === 'rekeyed') await history.settle(login);
        else await history.note(login, what, why);
      }
      return after;
    },
  };
}

/** What a change of the index means for each login; nothing where its records are the same objects. */
export function eventsOf(before: IndexDocument, after: IndexDocument): readonly Noted[] {
  if (before.logins === after.logins) return [];
  const isSame = (one: LoginRecord) => (other: LoginRecord) =>
    one.server === other.server && one.account === other.account;
  const old = new Set(before.logins);
  const now = new Set(after.logins);
  const changed = after.logins.filter((login) => !old.has(login));
  const lost = before.logins.filter((login) => !now.has(login));
  return [
    ...changed.flatMap((login) => eventsOfOne(lost.find(isSame(login)), login)),
    ...lost.filter((login) => !changed.some(isSame(login))).map((login) => [login, 'forgotten'] as const),
  ];
}

function eventsOfOne(before: LoginRecord | undefined, login: LoginRecord): readonly Noted[] {
  const isNew = before === undefined || before.key !== login.key || before.generation !== login.generation;
  if (isNew) {
    const added = before === undefined ? [] : scopesMissing(before.scopes, login.scopes);
    const made: Noted = [login, added.length > 0 && before?.dead !== true ? 'stepped_up' : 'made'];
    // What is there before the first one is another login's, which an older release has ended.
    if (before === undefined) return [[login, 'forgotten'], made];
    return before.key === login.key ? [made] : [[before, 'rekeyed'], made];
  }
  const events: Noted[] = [];
  if (before.obtainedAt !== login.obtainedAt) events.push([login, 'refreshed']);
  if (login.refusedToken !== undefined && before.refusedToken !== login.refusedToken) events.push([login, 'reported']);
  if (login.dead === true && before.dead !== true) {
    const why = login.refusal === undefined ? '' : ` (${login.refusal})`;
    const what = login.grant ? 'this client' : 'its refresh token';
    events.push([login, 'ended', `the authorization server refused ${what}${why}`]);
  }
  if (login.gone === true && before.gone !== true) events.push([login, 'ended', 'its secret was gone from its store']);
  return events;
}
