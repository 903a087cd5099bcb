import type { ArgumentsOf, Command } from '../core/command.js';
import { argumentRefused, wordMissing } from '../core/failures.js';
import type { Logins } from '../core/ports.js';
import { Secret } from '../core/secret.js';
import { proveBare, proveNamed } from '../tokens/credential-target.js';
import { tokenTooShort } from '../tokens/failures.js';
import { findLogin } from '../tokens/find-login.js';
import type { TokenPorts } from '../tokens/read-credential.js';
import { validToken } from '../tokens/valid-token.js';
import { execTable } from './credential.options.js';
import type { Programs } from './exec-program.js';
import { ownVariable, readTokenVariables, type TokenVariable } from './formats/environment.js';
import { tokenIn } from './formats/plain.js';

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
  const own = args.clientCredentials ? await world.logins() : undefined;
  for (const { name, server: named, holds } of variablesOf(args)) {
    const server = named ?? args.server ?? '';
    const ofNamed = { server, account: undefined, pin: undefined };
    const wanted = named === undefined ? { server, account, pin } : ofNamed;
    const login = own === undefined ? await findLogin(world, wanted) : await own.asClient({ ...args, ...wanted });
    proveBare(login, 'postern exec');
    const minLifeMs = args.minTtl * 1000;
    const token = await validToken(world, { login, minLifeMs, signal: world.signal });
    // There it cannot be replaced.
    const leftMs = (token.expiresAt ?? Number.POSITIVE_INFINITY) - world.clock.now();
    if (leftMs < minLifeMs) throw tokenTooShort(login, leftMs, minLifeMs);
    proveNamed(token.binding, server);
    proveBare(login, 'postern exec', token);
    // What is started gets the token of the server, and not what that was got by.
    if (login.assertion?.from === 'variable')
      world.assertions.prepare({ from: 'variable', name: login.assertion.name });
    environment[name] = new Secret(tokenIn(holds, token.accessToken.reveal()));
  }
  return environment;
}

/** @throws Failure `usage`, `usage_wrong` */
function variablesOf(args: Arguments): readonly TokenVariable[] {
  const given = readTokenVariables(args.var, 'postern exec --help');
  const forServer = given.some(({ server }) => server === undefined);
  if (args.server === undefined) {
    if (given.length === 0) throw wordMissing('postern exec needs a server, or --var NAME=server.', 'exec');
    if (forServer) throw argumentRefused('--var', 'a NAME alone needs a server before “--”', 'postern exec --help');
    return given;
  }
  return forServer ? given : [{ name: ownVariable, server: undefined, holds: 'token' }, ...given];
}
