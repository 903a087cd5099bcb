import { loginCommand } from '../../core/login-command.js';
import { defaultAccount, type LoginRecord, type ProviderRecord, storeInWords } from '../../core/records.js';
import type { Look } from '../../core/text/look.js';
import { printable, shellWord } from '../../core/text/printable.js';
import { dateOrNull } from '../render.js';
import { fullName, hangsOn, labelledLines, loginStatus, stateInWords } from './login-status.js';

/** A login at a company's provider, and the servers' logins that hang on it. */
export interface ProviderStatus {
  readonly record: ProviderRecord;
  readonly logins: readonly LoginRecord[];
}

/** Each login at a provider with those that hang on it. */
export function providerStatuses(
  logins: readonly LoginRecord[],
  providers: readonly ProviderRecord[],
): readonly ProviderStatus[] {
  return providers.map((record) => ({ record, logins: logins.filter((login) => hangsOn(login, record)) }));
}

/** Which logins hang on it, in a line below the table. `now` in milliseconds since 1970. */
export function providerLine({ record, logins }: ProviderStatus, now: number): string {
  const { issuer, identity, account } = record;
  const who = [identity, account === defaultAccount ? undefined : `account ${account}`].filter(Boolean).join(', ');
  const names = logins.length === 0 ? 'no login' : logins.map(fullName).join(', ');
  const state = stateOf(record, logins, now);
  return printable(`Company’s provider ${issuer}, for ${names}: ${[who, state].filter(Boolean).join(', ')}`, 600);
}

/** All that is known of it, for a person. */
export function providerLines({ record, logins }: ProviderStatus, now: number, look: Look): readonly string[] {
  const { issuer, clientId, identity, store } = record;
  return [
    printable(`${issuer} (a company’s provider${ofAccount(record)})`, 600),
    ...labelledLines(look, [
      ['state', stateOf(record, logins, now)],
      ['signed in', identity && `as ${identity}`],
      ['client', clientId],
      ['logins', logins.length === 0 ? 'none' : logins.map(fullName).join(', ')],
      ['stored in', storeInWords(store)],
      ['end it by', `postern logout --idp ${shellWord(issuer)}`],
    ]),
  ];
}

const ofAccount = ({ account }: ProviderRecord) => (account === defaultAccount ? '' : `, account ${account}`);

/** A dead one is made again with the next login of a server that hangs on it. */
function stateOf(record: ProviderRecord, [login]: readonly LoginRecord[], now: number): string {
  const status = loginStatus(record, now);
  if (status.problem === undefined) return stateInWords(status, now);
  return login === undefined ? status.problem : `${status.problem}; to mend it: ${loginCommand(login)}`;
}

/** As JSON; nothing secret. */
export function providerJson({ record, logins }: ProviderStatus, now: number) {
  const { issuer, clientId, account, identity = null, expiresAt, refreshable, store } = record;
  const { state } = loginStatus(record, now);
  return {
    ...{ issuer, clientId, account, identity, state },
    expiresAt: dateOrNull(expiresAt),
    refreshable,
    store,
    logins: logins.map(({ name = null, server, account }) => ({ name, server, account })),
  };
}
