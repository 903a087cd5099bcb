import { argumentRefused, usageWrong } from '../../errors/usage.js';
import { findLogin } from '../../flows/find-login.js';
import { proveNamed } from '../../flows/token/prove-address.js';
import { tokenToKeep } from '../../flows/token/token-to-keep.js';
import { Secret } from '../../primitives/secret.js';
import {
  ownVariable,
  readTokenVariable,
  type TokenVariable,
  tokenIn,
} from '../../primitives/token-variable.js';
import type { Command, CommandContext } from '../command.js';
import type { ArgumentsOf } from '../table.js';
import { execTable } from './exec.table.js';

type Arguments = ArgumentsOf<typeof execTable>;

const help = 'postern exec --help';

export const command: Command<typeof execTable> = {
  table: execTable,
  async run(context, args) {
    const [program, ...programArgs] = args.command;
    if (program === undefined || program === '') {
      throw usageWrong('postern exec needs a command to run, after “--”.', help);
    }
    const environment = await tokensFor(context, args);
    return context.programs.run({ program, args: programArgs, secrets: environment });
  },
};

/** Every token before anything is started: with one of them missing nothing is. */
async function tokensFor(
  context: CommandContext,
  args: Arguments,
): Promise<Readonly<Record<string, Secret>>> {
  const { ports, signal } = context;
  const environment: Record<string, Secret> = {};
  for (const { name, server, holds } of variablesOf(args)) {
    const own = server === undefined;
    const login = await findLogin(ports, {
      server: server ?? args.server ?? '',
      account: own ? args.account : undefined,
      pin: own ? args.pin : undefined,
    });
    const token = await tokenToKeep(ports, { login, minLifeMs: args.minTtl * 1000, signal });
    proveNamed(token, own ? args.server : server);
    environment[name] = new Secret(tokenIn(holds, token.accessToken.reveal()));
  }
  return environment;
}

/** @throws Failure `usage`, `usage_wrong` */
function variablesOf(args: Arguments): readonly TokenVariable[] {
  const given = args.var.map((text) => {
    const read = readTokenVariable(text);
    if (!read.ok) throw argumentRefused('--var', read.problem);
    return read.variable;
  });
  const repeated = given.find(({ name }, at) => given.findIndex((other) => other.name === name) !== at);
  if (repeated !== undefined) {
    throw argumentRefused('--var', `${repeated.name} was given twice`);
  }
  const forServer = given.some(({ server }) => server === undefined);
  if (args.server === undefined) {
    if (given.length === 0) throw usageWrong('postern exec needs a server, or --var NAME=server.', help);
    if (forServer) throw argumentRefused('--var', 'a NAME alone needs a server before “--”');
    return given;
  }
  return forServer ? given : [{ name: ownVariable, server: undefined, holds: 'token' }, ...given];
}
