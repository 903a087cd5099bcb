import type { Command, CommandOutput } from '../../core/command.js';
import type { IndexDocument, LoginRecord } from '../../core/records.js';
import { printable } from '../../core/text/printable.js';
import { mayGiveName } from '../../stores/index/credential-index.js';
import type { StorePorts } from '../../stores/ports.js';
import { accountUnknown, loginAmbiguous, loginNeeded } from '../../tokens/failures.js';
import { loginsCalled, sameLogin } from '../../tokens/find-login.js';
import { checkName, checkNameForm } from '../begin-login.js';
import { nameWasOthers } from '../failures.js';
import { renameTable } from '../status/logins.options.js';

type World = CommandOutput & Pick<StorePorts, 'index'>;

export const command: Command<typeof renameTable, World> = {
  table: renameTable,
  async run({ index, out, json }, { login: called, name, account, force }) {
    checkNameForm(name);
    const { logins } = await index.read();
    const login = oneCalled(logins, called, account);
    await index.update((document) => renamed(document, login, name, force));
    const before = login.name ?? null;
    if (json) await out.json({ server: login.server, account: login.account, before, name });
    else await out.line(printable(`${login.name ?? login.server} is now called ${name}.`, 800));
    return 0;
  },
};

/** @throws Failure `login_needed`, `login_ambiguous` */
function oneCalled(logins: readonly LoginRecord[], called: string, account: string | undefined): LoginRecord {
  const found = loginsCalled(logins, called);
  const [login, another] = found.filter((one) => account === undefined || one.account === account);
  if (login !== undefined && another === undefined) return login;
  const accounts = found.map((one) => one.account);
  throw account === undefined ? loginAmbiguous(called, accounts) : accountUnknown(called, account, accounts);
}

/** @throws Failure `name_unusable`, `name_taken` */
function renamed(document: IndexDocument, login: LoginRecord, name: string, force: boolean): IndexDocument {
  const { server, account } = login;
  checkName({ name, server, account }, document.logins);
  const others = { ...document, logins: document.logins.filter((one) => one.name !== name) };
  if (!force && !mayGiveName(others, name, server)) throw nameWasOthers(login, name);
  const own = sameLogin(document.logins, login);
  if (own === undefined) throw loginNeeded(login);
  return { ...document, logins: document.logins.map((one) => (one === own ? { ...one, name } : one)) };
}
