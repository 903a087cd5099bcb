import { argumentRefused } from '../../errors/usage.js';
import { findLogin } from '../../flows/find-login.js';
import { type LogoutResult, logout } from '../../flows/logout.js';
import { printable } from '../../primitives/printable.js';
import { defaultAccount, type LoginRecord } from '../../primitives/records.js';
import type { Command, CommandContext } from '../command.js';
import type { ArgumentsOf } from '../table.js';
import { callName } from '../words/login-words.js';
import { logoutTable } from './logout.table.js';

export const command: Command<typeof logoutTable> = {
  table: logoutTable,
  async run(context, args) {
    const { ports, out } = context;
    const results: LogoutResult[] = [];
    for (const login of await chosen(context, args)) {
      ports.progress.begin(`Logging out of ${login.server}`);
      results.push(await logout(ports, { login, signal: context.signal }));
      ports.progress.end();
    }
    if (context.options.json) {
      await out.json({ logouts: results.map(resultJson) });
      return 0;
    }
    if (results.length === 0) {
      context.tell('There is no login to end.');
    }
    for (const result of results) {
      await out.line(resultLine(result));
    }
    return 0;
  },
};

async function chosen(
  context: CommandContext,
  args: ArgumentsOf<typeof logoutTable>,
): Promise<readonly LoginRecord[]> {
  if (args.all === (args.server !== undefined)) {
    throw argumentRefused('logout', 'name one server, or pass --all');
  }
  if (args.server !== undefined) {
    return [await findLogin(context.ports, { server: args.server, account: args.account })];
  }
  return (await context.ports.index.read()).logins;
}

function resultLine({ login, revocation }: LogoutResult): string {
  const account = login.account === defaultAccount ? '' : ` (account ${login.account})`;
  const there = revocation.done
    ? 'its token is revoked'
    : `its token could not be revoked there and lives until it expires: ${printable(revocation.why, 400)}`;
  return `Logged out of ${printable(callName(login))}${printable(account)}: forgotten here, ${there}.`;
}

function resultJson({ login, revocation }: LogoutResult) {
  return {
    server: login.server,
    account: login.account,
    revoked: revocation.done,
    reason: revocation.done ? null : revocation.why,
  };
}
