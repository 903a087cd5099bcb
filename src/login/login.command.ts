import type { ArgumentsOf, Command, CommandExit } from '../core/command.js';
import { type ChosenRedirectUri, readRedirectUri } from '../core/configuration/redirect-uri.js';
import { readStoreOption } from '../core/configuration/settings.js';
import { argumentRefused, usageContradictory, usageWrong } from '../core/failures.js';
import { loginArgument, loginCommand } from '../core/login-command.js';
import { defined, type LoginRecord } from '../core/records.js';
import { toned } from '../core/text/look.js';
import { printable, shellWord } from '../core/text/printable.js';
import { parametersProblem } from '../oauth/authorization-request.js';
import { readLoginTarget, sameLogin } from '../tokens/find-login.js';
import { meantBy, refuseShared } from './begin-login.js';
import { readBrowser } from './browser/chosen-browser.js';
import { chooseClient, readClient, readProvider, readScopes, readSecret } from './client/client-options.js';
import { makeKeyForLogin, newKeyLines } from './client/made-keys.js';
import {
  type ChosenArguments,
  type ImportWorld,
  loginToAll,
  loginToExpired,
  withServer,
} from './from-program/login-to-many.js';
import { givenOptions } from './given/given-options.js';
import { loginTable } from './login.options.js';
import { type AskedLogin, staysWith } from './login-again.js';
import { baseNameOf, checkNameForm } from './login-name.js';
import type { LoginWorld } from './logins.js';
import type { PersonLogin } from './ports.js';
import { loginJson, loginLines, loginStatus } from './status/login-status.js';

type World = LoginWorld & ImportWorld;

export const command: Command<typeof loginTable, World> = {
  table: loginTable,
  async run(world, given) {
    wordsOf(given, world.env); // a wrong word is refused before any server or login is looked up
    await world.givenHeaders(); // before anything that is started inherits their variable
    if (given.all && given.from !== undefined) {
      const typed = { ...given, from: given.from, given: givenOptions({ ...given }, world.env) };
      return await loginToAll(world, typed, async (args) => await logIn(world, args));
    }
    if (given.expired) return await loginToExpired(world, given, async (args) => await logIn(world, args));
    const args = await withServer(world, given);
    if (args === undefined) return 0;
    if (args.generateKey) return await printNewKey(world, args);
    const asked = await requestOf(world, args);
    await refuseShared(world, { ...asked, byProvider: args.idp !== undefined });
    // One that another machine has made is replaced, too, and not made beside it.
    await world.index.adopt?.(asked.store);
    const held = sameLogin((await world.index.read()).logins, asked);
    if (held !== undefined && (await staysWith(world, held, args, asked))) {
      if (world.json) await world.out.json(loginJson(loginStatus(held, world.clock.now())));
      return 0;
    }
    return await printLogin(world, held, await logIn(world, args));
  },
};

async function logIn(world: World, args: ChosenArguments): Promise<LoginRecord> {
  const asked = await requestOf(world, args);
  if (!args.clientCredentials) return await loginAsPerson(world, args, asked);
  const { clientCredentialsLogin } = await import('./client/client-credentials.js');
  return await clientCredentialsLogin(world, { ...asked, client: { given: await readClient(world, args) } });
}

/** What came of it; and, once, what to type next by a name that nobody has typed yet. */
async function printLogin(world: World, held: LoginRecord | undefined, record: LoginRecord): Promise<CommandExit> {
  const { out, json, tell } = world;
  const now = world.clock.now();
  const status = loginStatus(record, now);
  if (json) await out.json(loginJson(status));
  else {
    const above = out.isTerminal ? [''] : []; // the address of the login page, or the picture of a code
    await out.line(
      [...above, toned(world.look, 'good', 'Logged in.'), ...loginLines(status, now, world.look)].join('\n'),
    );
  }
  if (record.name !== undefined && record.name !== held?.name) {
    tell(`Next: ${toned(world.tellLook, 'strong', `postern call ${loginArgument(record)}`)}`);
  }
  return 0;
}

async function printNewKey(world: World, args: ChosenArguments): Promise<0> {
  const clientId = newKeysClient(args);
  const asked = await requestOf(world, args);
  const made = await makeKeyForLogin(world, asked, { clientId, algorithm: args.keyAlgorithm });
  await world.out.json({ keys: made.keys });
  const asTyped = { server: args.server, account: args.account, newName: args.name, given: asked.given };
  const command = loginCommand(asTyped, '--client-credentials', '--client-id', shellWord(clientId));
  for (const line of newKeyLines(made, command)) world.tell(line);
  return 0;
}

function newKeysClient({ clientId }: Pick<ChosenArguments, 'clientId'>): string {
  if (clientId === undefined) throw usageWrong('--generate-key needs the client that it is for: --client-id ID.', help);
  return clientId;
}

/** What the command line asks of a login; its secrets are read where it is made. */
async function requestOf(world: World, args: ChosenArguments): Promise<AskedLogin> {
  const words = wordsOf(args, world.env);
  const target = await readLoginTarget(world, args.server, args.account);
  const isNamed = args.name !== undefined;
  const baseName = isNamed ? undefined : (args.baseName ?? (await baseNameOf(target.server, target.account)));
  const store = args.store === undefined ? undefined : readStoreOption(args.store, '--store', help);
  return {
    ...{ ...target, ...words, baseName },
    store: store ?? (await world.configuration()).store,
    signal: world.signal,
  };
}

function wordsOf(args: ArgumentsOf<typeof loginTable>, env: World['env']) {
  const { name, authorizationServer: issuer, authorizationParam: added, clientId } = args;
  const problem = parametersProblem(added);
  if (problem !== undefined) throw argumentRefused('--authorization-param', problem, help);
  if (args.store !== undefined) readStoreOption(args.store, '--store', help);
  if (args.generateKey) newKeysClient(args);
  else chooseClient(args, env);
  checkNameForm(name);
  checkPageOptions(args);
  readRedirect(args.redirectUri);
  return {
    name,
    scopes: { named: readScopes(args.scope), held: [] },
    issuer,
    // What a variable names is for every login.
    issuerIsTyped: issuer !== undefined && issuer !== env['POSTERN_AUTHORIZATION_SERVER'],
    legacy: args.legacy,
    provider: readProvider(args),
    resource: readResource(args),
    parameters: added.length === 0 ? undefined : added,
    dpop: args.dpop ? ('always' as const) : args.noDpop ? ('never' as const) : undefined,
    dropsHeaders: args.noHeaders,
    client: {
      way: args.registration,
      metadataUrl: args.clientMetadataUrl,
      name: args.clientName,
      given: clientId === undefined ? undefined : { clientId },
    },
    browser: readBrowser(args.browserWith, args.browserProfile),
    page: { loginHint: args.loginHint, prompts: args.prompt },
    given: givenOptions({ ...args }, env),
  };
}

async function loginAsPerson(world: World, args: ChosenArguments, asked: AskedLogin): Promise<LoginRecord> {
  const { loginDefaults } = await import('./logins.js');
  const { loginTogether } = await import('./one-login-at-a-time.js');
  const logIn = args.device
    ? (await import('./device/device-login.js')).deviceLogin
    : (await import('./log-in.js')).login;
  const seen = sameLogin((await world.index.read()).logins, asked);
  const { client, person } = await loginDefaults(world, {
    login: meantBy(asked, seen),
    held: seen,
    of: 'login',
    browser: args.browser || args.browserWith !== undefined,
    noBrowser: args.noBrowser || args.device,
    // Where the company's provider knows the person already, no browser is needed.
    mayNeedNobody: (asked.provider ?? seen?.provider) !== undefined,
  });
  const { redirectPort, listenAddress, idpClientSecretFile: file } = args;
  const secret = file === undefined ? undefined : await readSecret(world, file, '--idp-client-secret-file');
  const given = await readClient(world, args);
  const timeoutMs = args.timeout === undefined ? person.timeoutMs : args.timeout * 1000;
  const request: PersonLogin = {
    ...asked,
    provider: asked.provider && { ...asked.provider, secret },
    client: { ...client, ...defined(asked.client), given },
    person: { ...person, redirectPort, redirectUri: readRedirect(args.redirectUri), listenAddress, timeoutMs },
  };
  return loginTogether(world, request, seen, logIn);
}

const longestResource = 2048;

/** Why a text is no resource (RFC 8707 section 2: an absolute URI without a fragment); undefined: it is one. */
function problemOfResource(text: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(text) || !URL.canParse(text)) return 'it is not an absolute URI';
  if (text.length > longestResource) return `it is longer than ${longestResource} characters`;
  if (text.includes('#')) return 'it has a fragment';
  const { username, password } = new URL(text);
  return username + password === '' ? undefined : 'it holds a user name or password';
}

/** What `--resource` says, or null for `--no-resource`. @throws Failure `usage` */
function readResource(args: Pick<ChosenArguments, 'resource' | 'noResource'>): string | null | undefined {
  const { resource, noResource } = args;
  if (noResource || resource === undefined) return noResource ? null : undefined;
  const problem = problemOfResource(resource);
  if (problem !== undefined) throw argumentRefused('--resource', problem, help);
  return resource;
}

function readRedirect(text: string | undefined): ChosenRedirectUri | undefined {
  if (text === undefined) return undefined;
  const read = readRedirectUri(text);
  if (!read.ok) throw argumentRefused('--redirect-uri', read.problem, help);
  return read.value;
}

const longestName = 100;

const longestHint = 320;

/** @throws Failure `usage` */
function checkPageOptions({ clientName, registration, loginHint }: ArgumentsOf<typeof loginTable>): void {
  const isClean = (text: string, max: number) =>
    text.trim() !== '' && text.length <= max && printable(text, max) === text;
  if (clientName !== undefined && !isClean(clientName, longestName)) {
    throw argumentRefused('--client-name', `it is 1 to ${longestName} visible characters`, help);
  }
  if (clientName !== undefined && registration !== undefined && registration !== 'dynamic') {
    throw usageContradictory('--client-name', `--registration ${registration}`, help);
  }
  if (loginHint !== undefined && !isClean(loginHint, longestHint)) {
    throw argumentRefused('--login-hint', `it is 1 to ${longestHint} visible characters`, help);
  }
}

const help = 'postern login --help';
