import { exitCode } from '../../errors/failure.js';
import { faultUnknown, sandboxPortRefused } from '../../errors/sandbox.js';
import { usageWrong } from '../../errors/usage.js';
import { closest } from '../../primitives/closest.js';
import type { Command, CommandContext, CommandExit } from '../command.js';
import type { ArgumentsOf } from '../table.js';
import { faultNames } from './sandbox.faults.js';
import { sandboxTable } from './sandbox.table.js';

type SandboxArguments = ArgumentsOf<typeof sandboxTable>;

/** Runs the sandbox until the program is told to end. */
export const command: Command<typeof sandboxTable> = { table: sandboxTable, run };

async function run(context: CommandContext, args: SandboxArguments): Promise<CommandExit> {
  checkFaults(args.misbehave);
  await using sandbox = await start(args);
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

async function start(args: SandboxArguments) {
  // Loaded here and nowhere else: no other command pays for it.
  const { startSandbox } = await import('../../sandbox/start.js');
  const { port = 0, authorizationPort = 0, issuerPath = '' } = args;
  try {
    return await startSandbox({
      port,
      authorizationPort,
      issuerPath,
      accessTokenSeconds: args.lifetime,
      metadata: args.metadata,
      discovery: args.discovery,
      wellKnown: args.wellKnown,
      registration: !args.noRegistration,
      metadataDocuments: !args.noMetadataDocuments,
      allowLoopbackDocuments: args.allowLoopbackDocuments,
      faults: args.misbehave,
    });
  } catch (error) {
    if (error instanceof RangeError) throw usageWrong(`${error.message}.`, 'postern sandbox --help');
    const { code, port: taken } = error as NodeJS.ErrnoException & { readonly port?: number };
    if (code !== undefined && taken !== undefined) throw sandboxPortRefused(taken, code, error);
    throw error;
  }
}

function checkFaults(names: readonly string[]): void {
  const known = Object.values(faultNames).flat();
  for (const name of names) {
    if (!known.some((one) => one === name)) throw faultUnknown(name, closest(name, known));
  }
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
