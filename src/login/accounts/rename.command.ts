import type { Command, CommandOutput } from '../../core/command.js';
import { printable } from '../../core/text/printable.js';
import { mayGiveName } from '../../stores/index/credential-index.js';
import type { StorePorts } from '../../stores/ports.js';
import { findLogin } from '../../tokens/find-login.js';
import { nameWasOthers } from '../failures.js';
import { checkNameForm, renamed } from '../login-name.js';
import { renameTable } from '../status/logins.options.js';

type World = CommandOutput & Pick<StorePorts, 'index'>;

export const command: Command<typeof renameTable, World> = {
  table: renameTable,
  async run(world, { login: called, name, account, force }) {
    const { index, out, json } = world;
    checkNameForm(name);
    const login = await findLogin(world, { server: called, account, exact: true });
    await index.update((document) => {
      const after = renamed(document, login, name);
      const others = { ...document, logins: document.logins.filter((one) => one.name !== name) };
      if (!force && !mayGiveName(others, name, login.server)) throw nameWasOthers(login, name);
      return after;
    });
    const before = login.name ?? null;
    if (json) await out.json({ server: login.server, account: login.account, before, name });
    else await out.line(printable(`${login.name ?? login.server} is now called ${name}.`, 800));
    return 0;
  },
};
