import { X509Certificate } from 'node:crypto';
import type { ArgumentsOf, Command, CommandExit, CommandOutput } from '../core/command.js';
import { exitCode } from '../core/failure.js';
import { usageWrong } from '../core/failures.js';
import { readWhole } from '../core/files.js';
import type { Files, RequestLog } from '../core/ports.js';
import { closest } from '../core/text/closest.js';
import { columnsOf, commandLine, inColumns } from '../core/text/layout.js';
import { type Look, toned } from '../core/text/look.js';
import { quoted } from '../core/text/printable.js';
import { aborted } from '../core/time.js';
import { faultUnknown, sandboxPortRefused } from './failures.js';
import { logTo } from './log.js';
import type { SandboxOptions } from './options.js';
import { sandboxTable } from './sandbox.options.js';

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
  if (file !== undefined) checkCertificate(await readWhole(world.files.read(file), file, largestFile));
  return { allow, ...(file !== undefined && { caFile: file }), ...(trust.length > 0 && { trust }) };
}

/** @throws RangeError */
function checkCertificate(pem: Uint8Array): void {
  try {
    new X509Certificate(pem);
  } catch {
    throw new RangeError('the certificates to trust for client documents are not PEM');
  }
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
    return await startSandbox(options, await stateFolder(args.state), logTo(world.requestLog));
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
  const { printFaultList } = await import('./faults/table.js');
  return await printFaultList(world);
}
