import type { ArgumentsOf, Command, CommandExit, CommandOutput, CommandTable } from '../core/command.js';
import { exitCode } from '../core/failure.js';
import type { Files, RequestLog } from '../core/ports.js';
import { readWhole } from '../core/read-whole.js';
import { closest } from '../core/text/closest.js';
import { columnsOf, commandLine, inColumns } from '../core/text/layout.js';
import { type Look, toned } from '../core/text/look.js';
import { quoted } from '../core/text/printable.js';
import { aborted } from '../core/time.js';
import { usageWrong } from '../core/usage-failures.js';
import { faultUnknown, sandboxPortRefused } from './failures.js';
import { logTo } from './log.js';
import type { SandboxOptions } from './options.js';
import { tokenOptions } from './token-options.js';

export const sandboxTable = {
  name: 'sandbox',
  group: 'more',
  summary: 'a server to try everything with, on this computer',
  positionals: [],
  options: [
    {
      name: 'approve',
      kind: 'boolean',
      describe: 'allow each login at once, as alice; with login --device it needs no browser',
    },
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
      name: 'state',
      kind: 'string',
      value: 'DIR',
      describe: 'keep ports, keys, clients and grants there for the next start',
    },
    ...tokenOptions,
    { name: 'misbehave', kind: 'list', value: 'NAME', describe: 'break a rule; repeatable; list: all rules' },
    { name: 'clients', topic: 'testing', kind: 'string', value: 'FILE', describe: 'clients known beforehand (JSON)' },
    {
      name: 'no-registration',
      topic: 'testing',
      kind: 'boolean',
      describe: 'no dynamic client registration (RFC 7591)',
    },
    { name: 'no-metadata-documents', topic: 'testing', kind: 'boolean', describe: 'no client ID metadata documents' },
    {
      name: 'allow-client-documents-from',
      topic: 'testing',
      kind: 'list',
      value: 'HOST:PORT',
      describe: 'fetch them there',
    },
    { name: 'client-documents-ca', topic: 'testing', kind: 'string', value: 'FILE', describe: 'certificates for that' },
    { name: 'trust-clients-of', topic: 'testing', kind: 'list', value: 'DOMAIN', describe: 'accept only this domain' },
    {
      name: 'require-pushed-requests',
      topic: 'testing',
      kind: 'boolean',
      describe: 'accept only pushed requests (RFC 9126)',
    },
    {
      name: 'dpop',
      topic: 'testing',
      kind: 'string',
      choices: ['off', 'offered', 'required'],
      default: 'off',
      value: 'HOW',
      describe: 'tokens bound to a key (RFC 9449)',
    },
    { name: 'dpop-nonce', topic: 'testing', kind: 'boolean', describe: 'require a nonce in each proof' },
    {
      name: 'issuer-path',
      topic: 'testing',
      kind: 'string',
      value: 'PATH',
      describe: 'path of the issuer, e.g. /tenant1',
    },
    {
      name: 'metadata',
      topic: 'testing',
      kind: 'string',
      choices: ['both', 'oauth', 'openid', 'openid-appended', 'none'],
      default: 'both',
      value: 'WHICH',
      describe: 'authorization server metadata to serve',
    },
    {
      name: 'eras',
      topic: 'testing',
      kind: 'string',
      choices: ['both', 'newer', 'older'],
      default: 'both',
      value: 'WHICH',
      describe: 'revisions of the protocol',
    },
    {
      name: 'discovery',
      topic: 'testing',
      kind: 'string',
      choices: ['both', 'header', 'well-known', 'none'],
      default: 'both',
      value: 'WHICH',
      describe: 'how resource metadata is found (RFC 9728)',
    },
    {
      name: 'well-known',
      topic: 'testing',
      kind: 'string',
      choices: ['path', 'root'],
      default: 'path',
      value: 'FORM',
      describe: 'form of its well-known address',
    },
  ],
  examples: [
    { command: 'postern sandbox', describe: 'any free ports, everything in memory' },
    {
      command: 'postern sandbox --approve --port 5800',
      describe: 'for CI: “postern login http://127.0.0.1:5800/mcp --device” needs nobody',
    },
    { command: 'postern sandbox --misbehave list', describe: 'what it can do wrong' },
    { command: 'postern sandbox --misbehave as-issuer-mismatch', describe: 'a server that breaks a rule' },
    { command: 'postern sandbox --state ./sandbox', describe: 'the same sandbox again after a restart' },
  ],
  seeAlso: ['testing'],
  notes: [
    'Prints the address of the protected server on stdout, and the rest on stderr. Listens on 127.0.0.1 alone. The accounts are made up (alice, bob) and have no passwords. Ctrl-C ends it, and without --state all is forgotten then.',
  ],
} as const satisfies CommandTable;

/** Bytes of a file of certificates, or of clients. */
const largestFile = 1024 * 1024;

type SandboxArguments = ArgumentsOf<typeof sandboxTable>;

interface World extends CommandOutput {
  readonly files: Files;
  readonly requestLog: RequestLog | undefined;
}

/** Runs the sandbox until the program is told to end. */
export const command: Command<typeof sandboxTable, World> = { table: sandboxTable, run };

async function run(world: World, args: SandboxArguments): Promise<CommandExit> {
  if (args.misbehave.includes('list')) return await printFaults(world);
  await checkFaults(args.misbehave);
  await using sandbox = await start(world, args);
  if (world.json) await world.out.json({ server: sandbox.serverUrl, issuer: sandbox.issuer });
  else await world.out.line(sandbox.serverUrl);
  describe(world, args, sandbox);
  await aborted(world.signal);
  return exitCode.interrupted;
}

/** Says on stderr what runs here, and what to type next. */
function describe(
  { tell, tellLook }: World,
  { approve, misbehave, state, discovery }: SandboxArguments,
  { serverUrl, issuer }: { readonly serverUrl: string; readonly issuer: string },
): void {
  const kept = state === undefined ? 'all forgotten at the end' : `kept in ${quoted(state, 400)}`;
  tell(`A sandbox, not for production: made-up accounts, no passwords, ${kept}.`);
  const rows = [
    ['Authorization server', toned(tellLook, 'name', issuer)],
    ...(misbehave.length > 0 ? [['Misbehaves on purpose', toned(tellLook, 'warning', misbehave.join(', '))]] : []),
  ];
  for (const line of labelled(tellLook, rows)) tell(line);
  if (approve) tell(toned(tellLook, 'warning', 'EVERY LOGIN IS ALLOWED (--approve): nobody is asked, all are alice.'));
  tell('');
  const login = `postern login ${serverUrl}${discovery === 'none' ? ' --legacy' : ''}`;
  const rest = [
    ['Log in:', login],
    // Codes are approved, too: nobody has to open their page.
    ...(approve ? [['Without a browser:', `${login} --device`]] : []),
    ['Then:', `postern call ${serverUrl}`],
  ];
  for (const line of labelled(tellLook, rest)) tell(line);
  tell('Ctrl-C ends it.');
}

/** What is to be copied is never cut: where a row has no room, its value stands on a line of its own. */
function labelled(look: Look, rows: readonly (readonly string[])[]): readonly string[] {
  const whole = inColumns({ ...look, width: 1000 }, rows);
  if (whole.every((line) => columnsOf(line) <= look.width)) return whole;
  return rows.flatMap(([label = '', value = '']) => [label, commandLine(value, look.width, 2)]);
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

async function stateFolder(path: string | undefined) {
  if (path === undefined) return undefined;
  const { StateFolder } = await import('./state-folder.js');
  return await StateFolder.open(path);
}

async function start(world: World, args: SandboxArguments) {
  // Loaded here and nowhere else: no other command pays for it.
  const { startSandbox } = await import('./start.js');
  const {
    port = 0,
    authorizationPort = 0,
    issuerPath = '',
    metadata,
    eras,
    discovery,
    wellKnown,
    approve,
    dpop,
    dpopNonce,
  } = args;
  try {
    const options: SandboxOptions = {
      port,
      authorizationPort,
      issuerPath,
      accessTokenSeconds: args.lifetime,
      idTokenSeconds: args.idTokenLifetime,
      companyIssuer: args.company ?? '',
      ...{ metadata, eras, discovery, wellKnown, approve, dpop, dpopNonce },
      registration: !args.noRegistration,
      pushedRequests: args.requirePushedRequests ? 'required' : 'offered',
      metadataDocuments: await documentRules(world, args),
      clients: await knownClients(world, args.clients),
      faults: args.misbehave,
    };
    return await startSandbox(options, undefined, await stateFolder(args.state), logTo(world.requestLog));
  } catch (error) {
    if (error instanceof RangeError) throw usageWrong(`${error.message}.`, 'postern sandbox --help');
    const { code, port: taken } = error as NodeJS.ErrnoException & { readonly port?: number };
    if (code !== undefined && taken !== undefined) throw sandboxPortRefused(taken, code, error);
    throw error;
  }
}

async function checkFaults(names: readonly string[]): Promise<void> {
  const { listFaults } = await import('./faults/table.js');
  const known = listFaults().map(({ name }) => name);
  for (const name of names) if (!known.includes(name)) throw faultUnknown(name, closest(name, known));
}

async function printFaults(world: World): Promise<CommandExit> {
  const { printFaultList } = await import('./faults/print-list.js');
  return await printFaultList(world);
}
