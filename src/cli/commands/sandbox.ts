import { exitCode } from '../../errors/failure.js';
import { faultUnknown, sandboxPortRefused } from '../../errors/sandbox.js';
import { usageWrong } from '../../errors/usage.js';
import { closest } from '../../primitives/closest.js';
import type { Command, CommandContext, CommandExit } from '../command.js';
import { readWhole } from '../read-whole.js';
import type { ArgumentsOf } from '../table.js';
import { sandboxTable } from './sandbox.table.js';

/** Bytes of a file of certificates, or of clients. */
const largestFile = 1024 * 1024;

type SandboxArguments = ArgumentsOf<typeof sandboxTable>;

/** Runs the sandbox until the program is told to end. */
export const command: Command<typeof sandboxTable> = { table: sandboxTable, run };

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

async function run(context: CommandContext, args: SandboxArguments): Promise<CommandExit> {
  await checkFaults(args.misbehave);
  await using sandbox = await start(context, args);
  if (context.options.json) await context.out.json({ server: sandbox.serverUrl, issuer: sandbox.issuer });
  else await context.out.line(sandbox.serverUrl);
  context.tell('A sandbox, not for production: made-up accounts, no passwords, all forgotten at the end.');
  context.tell(`Protected server      ${sandbox.serverUrl}`);
  context.tell(`Authorization server  ${sandbox.issuer}`);
  if (args.misbehave.length > 0) context.tell(`Misbehaves on purpose ${args.misbehave.join(', ')}`);
  context.tell('');
  context.tell(`Log in:  postern login ${sandbox.serverUrl}`);
  context.tell(`Then:    postern call ${sandbox.serverUrl} tools/list`);
  context.tell('Ctrl-C ends it.');
  await ended(context.signal);
  return exitCode.interrupted;
}

/** How metadata documents are to be fetched; false: not at all. @throws what reading the certificates throws */
async function documentRules(context: CommandContext, args: SandboxArguments) {
  if (args.noMetadataDocuments) return false;
  const { allowClientDocumentsFrom: allow, clientDocumentsCa: file, trustClientsOf: trust } = args;
  const ca = file === undefined ? undefined : await readWhole(context.files.read(file), file, largestFile);
  return {
    allow,
    ...(ca === undefined ? {} : { ca: new TextDecoder().decode(ca) }),
    ...(trust.length === 0 ? {} : { trust }),
  };
}

/** The clients known beforehand. @throws what reading the file throws, `usage_wrong` */
async function knownClients({ files }: CommandContext, file: string | undefined) {
  if (file === undefined) return [];
  const { readClients } = await import('../../sandbox/read-clients.js');
  return readClients(await readWhole(files.read(file), file, largestFile));
}

async function start(context: CommandContext, args: SandboxArguments) {
  // Loaded here and nowhere else: no other command pays for it.
  const { startSandbox } = await import('../../sandbox/start.js');
  const { port = 0, authorizationPort = 0, issuerPath = '' } = args;
  try {
    const clients = await knownClients(context, args.clients);
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
      metadataDocuments: await documentRules(context, args),
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
  const { listFaults } = await import('../../sandbox/faults/table.js');
  return listFaults();
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
