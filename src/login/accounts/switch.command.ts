import type { Command, CommandOutput } from '../../core/command.js';
import type { CorePorts } from '../../core/ports.js';
import type { IndexDocument, LoginRecord } from '../../core/records.js';
import { printable } from '../../core/text/printable.js';
import type { StorePorts } from '../../stores/ports.js';
import { accountUnknown } from '../../tokens/failures.js';
import { loginsCalled } from '../../tokens/find-login.js';
import { accountNotSaid } from '../failures.js';
import type { CheckWorld } from '../status/check-logins.js';
import { whoOf } from '../status/login-status.js';
import { switchTable } from '../status/logins.options.js';

type World = CommandOutput & CheckWorld & Pick<StorePorts, 'index'> & Pick<CorePorts, 'terminal'>;

export const command: Command<typeof switchTable, World> = {
  table: switchTable,
  async run(world, { server: called, account }) {
    const { index, out, json } = world;
    const { logins } = await index.read();
    const login = await chosen(world, logins, called, account);
    const { server } = login;
    await index.update((document) => preferring(document, login));
    if (json) await out.json({ name: login.name ?? null, server, account: login.account, isDefault: true });
    else
      await out.line(
        printable(
          `${server} now means ${login.name ?? whoOf(login)}, also for programs that were set up without an account.`,
          900,
        ),
      );
    return 0;
  },
};

/** @throws Failure `login_needed`, `login_ambiguous` */
async function chosen(
  world: World,
  logins: readonly LoginRecord[],
  called: string,
  account: string | undefined,
): Promise<LoginRecord> {
  const { terminal, json, signal } = world;
  const found = loginsCalled(logins, called);
  const server = found[0]?.server ?? called;
  const ofServer = logins.filter((login) => login.server === server);
  const accounts = ofServer.map((login) => login.account);
  if (account !== undefined) {
    const login = ofServer.find((one) => one.account === account);
    const [said, other] = login === undefined ? await saidToBe(world, ofServer, account) : [login];
    if (said === undefined) throw accountUnknown(server, account, accounts);
    if (other !== undefined) throw accountNotSaid(server, accounts);
    return said;
  }
  const [login, another] = found;
  if (login !== undefined && another === undefined) return login;
  if (!terminal.interactive || json) throw accountNotSaid(server, accounts);
  const choices = found.map((one) => printable(`${one.name ?? one.account}  ${whoOf(one)}`, 300).trimEnd());
  const picked = found[await terminal.choose('Which account?', choices, signal)];
  if (picked === undefined) throw accountNotSaid(server, accounts);
  return picked;
}

/** The logins of a person, by their ID tokens; else by what the server says, as `status --check` shows it. */
async function saidToBe(
  world: World,
  ofServer: readonly LoginRecord[],
  person: string,
): Promise<readonly LoginRecord[]> {
  const known = ofServer.filter(({ identity }) => identity === person);
  if (known.length > 0) return known;
  const unknown = ofServer.filter(({ identity }) => identity === undefined);
  const { checkLogins } = await import('../status/check-logins.js');
  const checked = await checkLogins(world, unknown, () => true);
  return unknown.filter((login) => checked.get(login.key)?.says === person);
}

/** The index with this one chosen among the logins of its server, and no other. */
function preferring(document: IndexDocument, { server, account }: LoginRecord): IndexDocument {
  const logins = document.logins.map((one) => {
    if (one.server !== server) return one;
    const { preferred: _, ...rest } = one;
    return one.account === account ? { ...rest, preferred: true } : rest;
  });
  return { ...document, logins };
}
