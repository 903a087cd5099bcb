import type { ProxyService } from '../../core/services/proxy-services.js';
import { entryValue } from '../formats/entry.js';
import type { MachineFiles } from '../machine/ports.js';
import { configurationFile, type SetupRequest } from '../plan-entry.js';
import type { Program } from '../programs/program.js';

/** The origin of a service’s address. */
const originOf = ({ port }: Pick<ProxyService, 'port'>): string => `http://127.0.0.1:${port}`;

/** Stands for a key that is not made yet. */
const keyToCome = 'KEY';

/** The request for an entry that holds the address of a service, and starts nothing. */
export function proxiedRequest(
  request: SetupRequest,
  service: Pick<ProxyService, 'id' | 'port' | 'mount'>,
  address = `${originOf(service)}/${keyToCome}/${service.mount}`,
): SetupRequest {
  const program: Program = {
    ...request.program,
    dropsEnvironment: false,
    make: (entry) => request.program.byUrl?.make(entry, address),
  };
  const proxy = { service: service.id, host: request.program.name, origin: originOf(service) };
  // There is no call in it that could name the login in several ways.
  return { ...request, program, proxy, words: [{ server: request.url, options: [] }] };
}

/** The address that the entry holds now. */
export async function addressNow(world: MachineFiles, request: SetupRequest): Promise<string | undefined> {
  const path = request.path ?? configurationFile(world, request.program, request.scope);
  const { byUrl } = request.program;
  if (path === undefined || byUrl === undefined) return undefined;
  const { text = '' } = await world.files.read(path);
  const { entry } = byUrl.make({ ...request, machine: world.machine, text }, '');
  const url = byUrl.urlIn(entryValue(text, entry.key));
  return typeof url === 'string' ? url : undefined;
}
