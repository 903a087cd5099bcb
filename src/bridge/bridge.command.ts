import type { Command, CommandExit, CommandOutput } from '../core/command.js';
import { exitCode, isFailure } from '../core/failure.js';
import type { CorePorts, Files, Logins } from '../core/ports.js';
import { canonicalResource } from '../core/resource.js';
import { printable, shellWord } from '../core/text/printable.js';
import { hasToolRules, idleRulePrinter, ToolPolicy } from '../mcp/lending/tool-policy.js';
import type { Wire } from '../mcp/wire.js';
import { findLoginOrServer } from '../tokens/find-login.js';
import type { AuthorizerPorts } from '../tokens/token-in-use.js';
import { bridge } from './bridge.js';
import { bridgeTable } from './bridge.options.js';
import type { HostPipe } from './host-pipe.js';

interface World extends AuthorizerPorts, Pick<CommandOutput, 'tell' | 'signal'>, Pick<CorePorts, 'limits'> {
  readonly files: Files;
  readonly logins: () => Promise<Logins>;
  readonly openWire: () => Promise<Wire & AsyncDisposable>;
  readonly host: () => HostPipe;
}

export const command: Command<typeof bridgeTable, World> = {
  table: bridgeTable,
  async run(world, args) {
    const { signal, files } = world;
    const tell = (line: string) => world.tell(`postern: ${printable(line, 2048)}`);
    const policy = hasToolRules(args) ? new ToolPolicy(args, idleRulePrinter(1, tell)) : undefined;
    const wanted = { server: args.server, account: args.account, pin: args.pin };
    await world.givenHeaders();
    const logins = await world.logins();
    const isClient = args.clientCredentials;
    const asClient = onceInAWhile(world.clock, () => logins.asClient(args));
    const named = canonicalResource(args.server);
    let unfound: CommandExit = 0;
    const find = async () => {
      const found = await (isClient ? asClient() : findLoginOrServer(world, wanted)).catch((error: unknown) => {
        unfound = isFailure(error) ? error.exit : exitCode.fault;
        throw error;
      });
      unfound = 0;
      const login = found.key === undefined ? undefined : found;
      const server = named.ok ? named.value : found.server;
      const account = login?.account ?? args.account;
      return { wanted, server, login, ask: isClient ? undefined : logins.inBackground({ server, account }) };
    };
    if (files.stdinIsTerminal) {
      await find(); // a person who tries it out is told at once
      world.tell('Waiting for an MCP client on stdin. Ctrl-C to stop.');
      world.tell(`To have a client start it: postern setup PROGRAM ${shellWord(args.server)} --write`);
    }
    await using wire = await world.openWire();
    const exit = await bridge(world, {
      find,
      waitMs: args.loginWait * 1000,
      responseMs: args.answerTimeout * 1000,
      wire,
      policy,
      host: world.host(),
      tell,
      signal,
    });
    return unfound === 0 ? exit : unfound;
  },
};

/** A client that was refused is not tried again for each request of the host. */
const clientRestMs = 30_000;

/** What the work brings; its failure, for a while, to all that ask for it. */
function onceInAWhile<Result>(clock: World['clock'], work: () => Promise<Result>): () => Promise<Result> {
  let failed: { readonly error: unknown; readonly at: number } | undefined;
  return async () => {
    if (failed !== undefined && clock.monotonic() - failed.at < clientRestMs) throw failed.error;
    try {
      return await work();
    } catch (error) {
      failed = { error, at: clock.monotonic() };
      throw error;
    }
  };
}
