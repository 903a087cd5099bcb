import type { CommandExit } from '../../core/command.js';
import { exitCode } from '../../core/failure.js';
import { printable } from '../../core/text/printable.js';
import { usageWrong } from '../../core/usage-failures.js';
import { findLogin } from '../../tokens/find-login.js';
import { localKeyHeader } from '../forwarded-headers.js';
import { hostNotNamed, hostUnknown } from './failures.js';
import type { Managed } from './manager.js';
import type { ServiceWorld } from './ports.js';
import { allServices, type ServiceOptions, type ServiceRecord, servicesFolder } from './record.js';
import * as render from './render.js';
import {
  addressOf,
  findService,
  hostNames,
  installService,
  removeService,
  rotateKey,
  withdrawHost,
} from './services.js';

/** What the command line says of a service. */
export interface ServiceArguments {
  readonly server: readonly string[];
  readonly account: string | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly withProxy: boolean;
  readonly timeout: number;
  readonly silence: number | undefined;
  readonly grace: number;
  readonly allowTool: readonly string[];
  readonly denyTool: readonly string[];
  readonly readOnly: boolean;
}

/** The host of a key that was made for none in particular. */
const usualHost = 'default';

const hostPattern = /^[a-z0-9][a-z0-9._-]{0,62}$/i;

const usualOptions: ServiceOptions = {
  timeout: 600,
  silence: null,
  grace: 10,
  allowTool: [],
  denyTool: [],
  readOnly: false,
};

/** `postern proxy NAME --install`. @throws Failure of `findLogin` and `installService` */
export async function install(world: ServiceWorld, args: ServiceArguments): Promise<CommandExit> {
  const named = namedIn(args);
  const host = hostIn(args) ?? usualHost;
  const login = await findLogin(world, { server: named, account: args.account, exact: true });
  if (login.store === 'environment' || login.store === 'memory') {
    throw usageWrong('A service cannot use a token of this shell’s environment.', 'postern help proxies');
  }
  const options = optionsIn(args);
  const hasOptions = JSON.stringify(options) !== JSON.stringify(usualOptions);
  const { port, withProxy } = args;
  const installed = await installService(world, { login, named, host, port, options, hasOptions, withProxy });
  const { record, key, managed, outcome, listener } = installed;
  if (key !== undefined) world.holdSecret(key.reveal());
  const about = { host, outcome, running: listener === 'ours', commands: managed.commands };
  const { machine } = await world.externalPrograms();
  for (const line of render.installedLines(installed, { named, host, machine, withProxy })) world.tell(line);
  tellCommands(world, managed);
  if (world.json) await printJson(world, record, key?.reveal(), about);
  else if (key !== undefined) await world.out.write(`${addressOf(record, key.reveal())}\n`);
  const isStarted = managed.ok && (listener === undefined || listener === 'ours');
  return isStarted ? 0 : exitCode.usage;
}

/** `postern proxy NAME --rotate`. @throws Failure `host_unknown`, `host_not_named`, of the host's file */
export async function rotate(world: ServiceWorld, args: ServiceArguments): Promise<CommandExit> {
  const named = namedIn(args);
  const service = await serviceNamed(world, args);
  const hosts = hostNames(service);
  const [only, ...others] = hosts;
  const host = hostIn(args) ?? (others.length === 0 ? only : undefined);
  if (host === undefined && only !== undefined) throw hostNotNamed(named, hosts);
  if (host === undefined || !hosts.includes(host)) throw hostUnknown(host ?? usualHost, named, hosts);
  const rotation = await rotateKey(world, service.id, host);
  const key = keyIn(rotation.address.reveal());
  world.holdSecret(key);
  const files = await world.hostEntries.rewrite(service.id, host, rotation.address).catch(async (error: unknown) => {
    await rotation.settle('old');
    throw error;
  });
  await rotation.settle('new');
  const isWritten = files.length > 0;
  if (isWritten)
    for (const file of files)
      world.tell(`The new key is in ${printable(file, 300)}; the old one is refused from now on.`);
  else world.tell(`The old address is refused from now on. ${render.onceLine(host)}`);
  const about = { host, outcome: 'rotated' as const, running: true, commands: [] };
  if (world.json) await printJson(world, service, isWritten ? undefined : key, about, files);
  else if (!isWritten) await world.out.write(`${rotation.address.reveal()}\n`);
  return 0;
}

/** `postern proxy NAME --uninstall`, or with `--host` for one host alone. @throws Failure `service_unknown`, `host_unknown` */
export async function uninstall(world: ServiceWorld, args: ServiceArguments): Promise<CommandExit> {
  const named = namedIn(args);
  const service = await serviceNamed(world, args);
  const host = hostIn(args);
  const entries = await world.hostEntries.of(service.id);
  if (host !== undefined) {
    const after = await withdrawHost(world, service.id, host, named);
    const about = { host, outcome: 'withdrawn' as const, running: true, commands: [] };
    if (world.json) await printJson(world, after, undefined, about);
    else await world.out.line(`The key of ${printable(host, 80)} is refused from now on.`);
    for (const one of entries) if (one.host === host) world.tell(render.entryLeftLine(one));
    return 0;
  }
  const { record, managed, kept } = await removeService(world, service.id);
  const about = { host: null, outcome: 'removed' as const, running: false, commands: managed.commands };
  if (world.json) await printJson(world, { ...record, hosts: [], files: kept }, undefined, about);
  else await world.out.line(render.removedLine(record));
  for (const path of kept) world.tell(`Left, as postern did not write it: ${printable(path, 300)}`);
  for (const one of entries) world.tell(render.entryLeftLine(one));
  tellCommands(world, managed);
  return managed.ok ? 0 : exitCode.usage;
}

/** What the person has to type, as the manager could not be asked. */
function tellCommands({ tell }: ServiceWorld, { ok, said, commands }: Managed): void {
  if (ok) return;
  tell(`The service manager did not take it: ${printable(said ?? '', 300)}. In a session of yours, type:`);
  for (const command of commands) tell(`  ${printable(command, 500)}`);
}

async function serviceNamed(world: ServiceWorld, args: ServiceArguments): Promise<ServiceRecord> {
  const folder = servicesFolder((await world.externalPrograms()).machine.stateFolder);
  const { logins } = await world.index.read();
  return findService(await allServices(folder), logins, namedIn(args), args.account);
}

function namedIn({ server }: ServiceArguments): string {
  const [named, another] = server;
  if (named !== undefined && another === undefined) return named;
  throw usageWrong('A service is for one login: name one.', 'postern help proxies');
}

function hostIn({ host }: ServiceArguments): string | undefined {
  if (host === undefined || hostPattern.test(host)) return host;
  throw usageWrong('--host takes letters, digits, ".", "_" and "-", at most 63.', 'postern proxy --help');
}

function optionsIn({ timeout, silence, grace, allowTool, denyTool, readOnly }: ServiceArguments): ServiceOptions {
  return { timeout, silence: silence ?? null, grace, allowTool, denyTool, readOnly };
}

function keyIn(address: string): string {
  return new URL(address).pathname.split('/')[1] ?? '';
}

interface About {
  readonly host: string | null;
  readonly outcome: 'made' | 'host-added' | 'rewritten' | 'rotated' | 'withdrawn' | 'removed';
  readonly running: boolean;
  readonly commands: readonly string[];
}

/** Its key is what was asked for: it is not replaced here as it is elsewhere. */
async function printJson(
  { out }: ServiceWorld,
  record: ServiceRecord,
  key: string | undefined,
  about: About,
  entries: readonly string[] = [],
): Promise<void> {
  const { id, server, port, mount: name, files } = record;
  await out.exact.json({
    origin: `http://127.0.0.1:${port}`,
    socket: null,
    key: key ?? null,
    keyHeader: localKeyHeader,
    servers: [{ name, server, url: addressOf(record, key) }],
    service: { id, ...about, hosts: hostNames(record), files, entries },
  });
}
