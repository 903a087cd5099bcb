import type { ArgumentsOf, Command, CommandExit, CommandOutput, CommandTable } from '../core/command.js';
import { exitCode } from '../core/failure.js';
import type { Files } from '../core/ports.js';
import { readWhole } from '../core/read-whole.js';
import { closest } from '../core/text/closest.js';
import { usageWrong } from '../core/usage-failures.js';
import { faultUnknown, sandboxPortRefused } from './failures.js';

export const sandboxTable = {
  name: 'sandbox',
  summary: 'an authorization server and a protected server on 127.0.0.1, to try everything',
  positionals: [],
  options: [
    {
      name: 'port',
      kind: 'number',
      min: 1024,
      max: 65_535,
      value: 'PORT',
      describe: 'of the protected server',
      fallback: 'any free one',
    },
    {
      name: 'authorization-port',
      kind: 'number',
      min: 1024,
      max: 65_535,
      value: 'PORT',
      describe: 'of the authorization server',
      fallback: 'any free one',
    },
    {
      name: 'lifetime',
      kind: 'number',
      min: 1,
      max: 86_400,
      default: 300,
      value: 'SECONDS',
      describe: 'of access tokens',
    },
    { name: 'issuer-path', kind: 'string', value: 'PATH', describe: 'path of the issuer, e.g. /tenant1' },
    {
      name: 'metadata',
      kind: 'string',
      choices: ['both', 'oauth', 'openid', 'openid-appended'],
      default: 'both',
      value: 'WHICH',
      describe: 'which authorization server metadata is served',
    },
    {
      name: 'discovery',
      kind: 'string',
      choices: ['both', 'header', 'well-known'],
      default: 'both',
      value: 'WHICH',
      describe: 'how the protected resource metadata is found',
    },
    {
      name: 'well-known',
      kind: 'string',
      choices: ['path', 'root'],
      default: 'path',
      value: 'FORM',
      describe: 'form of its well-known address',
    },
    { name: 'no-registration', kind: 'boolean', describe: 'no dynamic client registration' },
    {
      name: 'require-pushed-requests',
      kind: 'boolean',
      describe: 'take no authorization request that was not pushed before (RFC 9126)',
    },
    { name: 'no-metadata-documents', kind: 'boolean', describe: 'no client ID metadata documents' },
    {
      name: 'allow-client-documents-from',
      kind: 'list',
      value: 'HOST:PORT',
      describe: 'fetch metadata documents from there, though it is on this computer or in a private network',
    },
    {
      name: 'client-documents-ca',
      kind: 'string',
      value: 'FILE',
      describe: 'certificates (PEM) to trust when they are fetched',
    },
    {
      name: 'trust-clients-of',
      kind: 'list',
      value: 'DOMAIN',
      describe: 'of clients with a metadata document let only those of this domain in: example.com, *.example.com',
      fallback: 'any domain',
    },
    {
      name: 'clients',
      kind: 'string',
      value: 'FILE',
      describe:
        'clients known beforehand, e.g. for --client-credentials: JSON, one object of client metadata with its client_id, or a list',
    },
    {
      name: 'misbehave',
      kind: 'list',
      value: 'NAME',
      describe: 'break a rule on purpose (list below); again for more',
    },
  ],
  examples: [
    {
      command: 'postern sandbox --allow-client-documents-from 127.0.0.1:8443 --client-documents-ca ca.pem',
      describe: 'try a client’s metadata document before it is hosted',
    },
    {
      command: 'postern sandbox --clients robot.json',
      describe: 'a client that logs in as itself: {"client_id":"robot","client_secret":"…"}',
    },
    { command: 'postern sandbox --misbehave as-issuer-mismatch', describe: 'a server that breaks a rule' },
  ],
  notes: [
    'Prints the address of the protected server on stdout. Everything is kept in memory and gone at the end. Ctrl-C ends it.',
  ],
} as const satisfies CommandTable;

/** Bytes of a file of certificates, or of clients. */
const largestFile = 1024 * 1024;

type SandboxArguments = ArgumentsOf<typeof sandboxTable>;

interface World extends CommandOutput {
  readonly files: Files;
}

/** Runs the sandbox until the program is told to end. */
export const command: Command<typeof sandboxTable, World> = { table: sandboxTable, run };

/** The faults that `--misbehave` takes, a line each, for `--help`. */
export async function faultLines(): Promise<readonly string[]> {
  const all = await faults();
  const width = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(({ name, rows, what }) => {
    const plays = rows.length === 0 ? '' : ` (attack ${rows.join(', ')})`;
    return `  ${name.padEnd(width)}  ${what}${plays}`;
  });
  return ['Faults for --misbehave:', ...lines];
}

async function run(world: World, args: SandboxArguments): Promise<CommandExit> {
  await checkFaults(args.misbehave);
  await using sandbox = await start(world, args);
  if (world.json) await world.out.json({ server: sandbox.serverUrl, issuer: sandbox.issuer });
  else await world.out.line(sandbox.serverUrl);
  world.tell('A sandbox, not for production: made-up accounts, no passwords, all forgotten at the end.');
  world.tell(`Protected server      ${sandbox.serverUrl}`);
  world.tell(`Authorization server  ${sandbox.issuer}`);
  if (args.misbehave.length > 0) world.tell(`Misbehaves on purpose ${args.misbehave.join(', ')}`);
  world.tell('');
  world.tell(`Log in:  postern login ${sandbox.serverUrl}`);
  world.tell(`Then:    postern call ${sandbox.serverUrl} tools/list`);
  world.tell('Ctrl-C ends it.');
  await ended(world.signal);
  return exitCode.interrupted;
}

/** How metadata documents are to be fetched; false: not at all. @throws what reading the certificates throws */
async function documentRules(world: World, args: SandboxArguments) {
  if (args.noMetadataDocuments) return false;
  const { allowClientDocumentsFrom: allow, clientDocumentsCa: file, trustClientsOf: trust } = args;
  const ca = file === undefined ? undefined : await readWhole(world.files.read(file), file, largestFile);
  return {
    allow,
    ...(ca === undefined ? {} : { ca: new TextDecoder().decode(ca) }),
    ...(trust.length === 0 ? {} : { trust }),
  };
}

/** The clients known beforehand. @throws what reading the file throws, `usage_wrong` */
async function knownClients({ files }: World, file: string | undefined) {
  if (file === undefined) return [];
  const { readClients } = await import('./read-clients.js');
  return readClients(await readWhole(files.read(file), file, largestFile));
}

async function start(world: World, args: SandboxArguments) {
  // Loaded here and nowhere else: no other command pays for it.
  const { startSandbox } = await import('./start.js');
  const { port = 0, authorizationPort = 0, issuerPath = '' } = args;
  try {
    const clients = await knownClients(world, args.clients);
    return await startSandbox({
      port,
      authorizationPort,
      issuerPath,
      accessTokenSeconds: args.lifetime,
      metadata: args.metadata,
      discovery: args.discovery,
      wellKnown: args.wellKnown,
      registration: !args.noRegistration,
      pushedRequests: args.requirePushedRequests ? 'required' : 'offered',
      metadataDocuments: await documentRules(world, args),
      clients,
      faults: args.misbehave,
    });
  } catch (error) {
    if (error instanceof RangeError) throw usageWrong(`${error.message}.`, 'postern sandbox --help');
    const { code, port: taken } = error as NodeJS.ErrnoException & { readonly port?: number };
    if (code !== undefined && taken !== undefined) throw sandboxPortRefused(taken, code, error);
    throw error;
  }
}

async function checkFaults(names: readonly string[]): Promise<void> {
  const known = (await faults()).map(({ name }) => name);
  for (const name of names) if (!known.includes(name)) throw faultUnknown(name, closest(name, known));
}

async function faults() {
  const { listFaults } = await import('./faults/table.js');
  return listFaults();
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
