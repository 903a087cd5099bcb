import type { ArgumentsOf, Command, CommandTable } from '../core/command.js';
import type { Logins } from '../core/ports.js';
import { Secret } from '../core/secret.js';
import { argumentRefused, wordMissing } from '../core/usage-failures.js';
import { isClientLogin, ownLoginOptions } from '../stores/own-login.js';
import { proveNamed } from '../tokens/credential-target.js';
import { proveBare } from '../tokens/dpop/bare-token.js';
import { findLogin } from '../tokens/find-login.js';
import { pinOption } from '../tokens/login-pin.js';
import type { TokenPorts } from '../tokens/token-request.js';
import { tokenToKeep } from '../tokens/valid-token.js';
import { minTtlOption } from './credential.options.js';
import type { Programs } from './exec-program.js';
import { ownVariable, readTokenVariable, type TokenVariable } from './formats/environment.js';
import { tokenIn } from './formats/plain.js';

export const execTable = {
  name: 'exec',
  environmentToken: true,
  noJson: true,
  group: 'use',
  summary: 'run a command with tokens in its environment',
  positionals: [
    {
      name: 'server',
      describe: 'a server’s URL, or the name of a login; its token goes into POSTERN_ACCESS_TOKEN',
      required: false,
    },
  ],
  rest: { name: 'command', describe: 'the command and its arguments, started as they are, without a shell' },
  options: [
    {
      name: 'var',
      kind: 'list',
      value: 'NAME=SERVER[,header|,value]',
      describe:
        'the variable for that server’s token, with “,header” as Authorization: Bearer …, with “,value” as Bearer …; NAME alone is for the server above; again for more',
    },
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for the server' },
    pinOption,
    {
      ...minTtlOption,
      default: 60,
      describe: 'start with no token that has less life left than this, refreshed or not',
    },
    ...ownLoginOptions,
  ],
  examples: [
    { command: 'postern exec work -- ./server', describe: 'a STDIO server that takes POSTERN_ACCESS_TOKEN' },
    {
      command: 'postern exec --var A_TOKEN=work --var B_AUTH=home,header -- make test',
      describe: 'two servers, other names',
    },
  ],
  notes: [
    'The token goes into the environment of the command and nowhere else; it is not renewed there. Whatever the command starts gets it, too. Names that programs act on (PATH, LD_PRELOAD, NODE_OPTIONS, …) are refused; NODE_AUTH_TOKEN and cargo’s CARGO_…_TOKEN (with “,value”) are not.',
    'Signals are passed on; the exit code is the command’s, 128 + n when signal n ended it. A failure before the command starts exits with a code of postern’s.',
  ],
  seeAlso: ['scripts'],
} as const satisfies CommandTable;

type Arguments = ArgumentsOf<typeof execTable>;

interface World extends TokenPorts {
  readonly programs: Programs;
  readonly logins: () => Promise<Logins>;
  readonly signal: AbortSignal;
}

export const command: Command<typeof execTable, World> = {
  table: execTable,
  async run(world, args) {
    const [program, ...programArgs] = args.command;
    if (program === undefined || program === '') {
      throw wordMissing('postern exec needs a command to run, after “--”.', 'exec');
    }
    return world.programs.run({ program, args: programArgs, secrets: await tokensFor(world, args) });
  },
};

/** All tokens, before anything is started. */
async function tokensFor(world: World, args: Arguments): Promise<Readonly<Record<string, Secret>>> {
  const environment: Record<string, Secret> = {};
  const { account, pin } = args;
  const own = isClientLogin(args, 'exec', false) ? await world.logins() : undefined;
  for (const { name, server: named, holds } of variablesOf(args)) {
    const server = named ?? args.server ?? '';
    const ofNamed = { server, account: undefined, pin: undefined };
    const wanted = named === undefined ? { server, account, pin } : ofNamed;
    const login = own === undefined ? await findLogin(world, wanted) : await own.asClient({ ...args, ...wanted });
    proveBare(login, 'postern exec');
    const token = await tokenToKeep(world, { login, minLifeMs: args.minTtl * 1000, signal: world.signal });
    proveNamed(token.binding, server);
    proveBare(login, 'postern exec', { item: token });
    // What is started gets the token of the server, and not what that was got by.
    if (login.assertion?.from === 'variable')
      world.assertions.prepare({ from: 'variable', name: login.assertion.name });
    environment[name] = new Secret(tokenIn(holds, token.accessToken.reveal()));
  }
  return environment;
}

/** @throws Failure `usage`, `usage_wrong` */
function variablesOf(args: Arguments): readonly TokenVariable[] {
  const given = args.var.map(readTokenVariable);
  const repeated = given.find(({ name }, at) => given.findIndex((other) => other.name === name) !== at);
  if (repeated !== undefined) throw argumentRefused('--var', `${repeated.name} was given twice`, 'postern exec --help');
  const forServer = given.some(({ server }) => server === undefined);
  if (args.server === undefined) {
    if (given.length === 0) throw wordMissing('postern exec needs a server, or --var NAME=server.', 'exec');
    if (forServer) throw argumentRefused('--var', 'a NAME alone needs a server before “--”', 'postern exec --help');
    return given;
  }
  return forServer ? given : [{ name: ownVariable, server: undefined, holds: 'token' }, ...given];
}
