import type { ProxyService, ProxyServices } from '../../core/services/proxy-services.js';
import type { StorePorts } from '../../stores/ports.js';
import { findLogin } from '../../tokens/find-login.js';
import { noUrlTaken, proxyNotInstalled } from '../failures.js';
import type { ExternalPrograms } from '../machine/ports.js';
import type { SetupRequest } from '../plan-entry.js';
import type { Program } from '../programs/program.js';
import { readSetupRequest, type SetupArguments } from '../target.js';
import { type WrittenEntry, writeEntry } from '../write-entry.js';
import { addressNow, proxiedRequest } from './proxied-request.js';

export interface ProxiedWorld extends Pick<StorePorts, 'index' | 'locks'> {
  readonly proxyServices: ProxyServices;
  readonly signal: AbortSignal;
}

/**
 * What is to be set up, for the service of the login that is meant.
 * @throws Failure `no_url_taken`, `proxy_not_installed`, and of `readSetupRequest`
 */
export async function readProxied(
  world: ProxiedWorld,
  program: Program,
  args: SetupArguments,
): Promise<{ readonly plain: SetupRequest & { readonly hasLogin: boolean }; readonly service: ProxyService }> {
  if (program.byUrl === undefined) throw noUrlTaken(program.title, program.name);
  const plain = await readSetupRequest(world, program, args);
  const named = args.server ?? plain.server;
  const { server, account } = await findLogin(world, { server: named, account: args.account });
  const service = (await world.proxyServices.all()).find((one) => one.server === server && one.account === account);
  if (service === undefined) throw proxyNotInstalled(named);
  return { plain, service };
}

/**
 * Writes the address with a key of the program's own. One whose key holds stays as it is; else the key that it had holds
 * until the new one is written.
 * @throws Failure of `writeEntry`, `service_unknown`
 */
export async function writeProxied(
  world: ProxiedWorld,
  programs: ExternalPrograms,
  plain: SetupRequest,
  service: ProxyService,
): Promise<WrittenEntry> {
  const { locks, signal, proxyServices } = world;
  // Nobody else makes a key until this one is settled: what stands in the file is looked at then, and not before.
  const rotation = await proxyServices.rotateKey(service.id, plain.program.name);
  let holds: 'new' | 'old' = 'old';
  try {
    const now = await addressNow(programs, plain);
    const held = now === undefined ? undefined : await proxyServices.hostOf(now);
    const isHeld = held?.service === service.id && held.host === plain.program.name;
    const address = isHeld && now !== undefined ? now : rotation.address.reveal();
    const written = await writeEntry({ locks, programs }, proxiedRequest(plain, service, address), signal);
    if (!isHeld) holds = 'new';
    return written;
  } finally {
    await rotation.settle(holds);
  }
}
