import { bridge } from '../../flows/bridge/bridge.js';
import { findLoginOrServer } from '../../flows/find-login.js';
import { printable } from '../../primitives/printable.js';
import { canonicalResource } from '../../primitives/resource.js';
import { bridgeLogin } from '../bridge-login.js';
import type { Command } from '../command.js';
import { bridgeTable } from './bridge.table.js';

export const command: Command<typeof bridgeTable> = {
  table: bridgeTable,
  async run(context, args) {
    const { ports, signal, files } = context;
    const wanted = { server: args.server, account: args.account, pin: args.pin };
    const named = canonicalResource(args.server);
    const find = async () => {
      const found = await findLoginOrServer(ports, wanted);
      const login = found.key === undefined ? undefined : found;
      const server = named.ok ? named.value : found.server;
      const account = login?.account ?? args.account;
      return { wanted, server, login, ask: bridgeLogin(context, { server, account }) };
    };
    if (files.stdinIsTerminal) {
      await find(); // a person who tries it out is told at once
      context.tell('postern: this speaks a protocol on stdin and stdout; it is for other programs to start.');
    }
    await using wire = await context.openWire();
    await bridge(ports, {
      find,
      waitMs: args.loginWait * 1000,
      answerMs: args.answerTimeout * 1000,
      wire,
      host: context.host(),
      tell: (line) => context.tell(`postern: ${printable(line, 2048)}`),
      signal,
    });
    return 0;
  },
};
