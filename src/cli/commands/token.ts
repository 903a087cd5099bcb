import { findLogin } from '../../flows/find-login.js';
import { proveNamed } from '../../flows/token/prove-address.js';
import { refreshedToken, validToken } from '../../flows/token/valid-token.js';
import type { Command } from '../command.js';
import { tokenOutput } from '../words/token-words.js';
import { tokenTable } from './token.table.js';

export const command: Command<typeof tokenTable> = {
  table: tokenTable,
  async run(context, args) {
    const { ports, out } = context;
    const login = await findLogin(ports, { server: args.server, account: args.account });
    const asked = { login, minLifeMs: args.minTtl * 1000, signal: context.signal };
    const token = args.refresh
      ? await refreshedToken(ports, asked)
      : await validToken(ports, { ...asked, rejected: undefined });
    proveNamed(token, args.server);
    await out.write(tokenOutput(token, { header: args.header, json: context.options.json }));
    return 0;
  },
};
