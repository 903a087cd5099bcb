import { type Failure, isFailure } from '../../core/failure.js';
import type { CheckedService, ProxyServices } from '../../core/services/proxy-services.js';
import { printable, shellWord } from '../../core/text/printable.js';
import { markOf, unitsOf } from './manager.js';
import { portHolder } from './port-holder.js';
import type { ServiceMachine, ServiceWorld } from './ports.js';
import { allServices, digestOf, type ServiceRecord, servicesFolder } from './record.js';
import { hostNames, rotateKey, withdrawHost } from './services.js';
import { isLinked, unitAt } from './unit-files.js';
import { whoListens } from './who-listens.js';

type World = Pick<ServiceWorld, 'externalPrograms' | 'tell' | 'locks' | 'clock' | 'signal' | 'http'>;

/** What other commands ask of the proxies that are installed. */
export function createProxyServices(world: World): ProxyServices {
  const passOver = ({ message }: Failure) => world.tell(`Note: ${message}`);
  const records = async () =>
    allServices(servicesFolder((await world.externalPrograms()).machine.stateFolder), passOver);
  return {
    all: async () =>
      (await records()).map((record) => {
        const { id, server, account, port, mount } = record;
        return { id, server, account, port, mount, hosts: hostNames(record) };
      }),
    rotateKey: (id, host) => rotateKey(world, id, host),
    withdraw: async (id, host) => {
      await withdrawHost(world, id, host).catch((error: unknown) => {
        if (!isFailure(error, 'host_unknown', 'service_unknown')) throw error;
      });
    },
    hostOf: async (address) => hostOf(await records(), address),
    isListening: async (id) => {
      const record = (await records()).find((one) => one.id === id);
      return record !== undefined && (await whoListens(world, record, world.signal)) === 'ours';
    },
    check: async () => {
      const { machine } = await world.externalPrograms();
      const checked: CheckedService[] = [];
      for (const record of await records()) checked.push(await checkService(world, machine, record));
      return checked;
    },
  };
}

function hostOf(all: readonly ServiceRecord[], address: string): { service: string; host: string } | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const [, key = '', mount] = url?.pathname.split('/') ?? [];
  const record = all.find((one) => url?.origin === `http://127.0.0.1:${one.port}` && one.mount === mount);
  const digest = digestOf(key);
  const host = record?.hosts.find((one) => one.digest === digest);
  return record === undefined || host === undefined ? undefined : { service: record.id, host: host.name };
}

/** Is it still installed as it was, and does it listen? Asking starts it where systemd holds its port. */
async function checkService(world: World, machine: ServiceMachine, record: ServiceRecord): Promise<CheckedService> {
  const { server, account, port, mount } = record;
  const what = printable(`${mount}, 127.0.0.1:${port}, for ${server}`, 600);
  const again = `postern proxy ${shellWord(server)}${account === 'default' ? '' : ` --account ${shellWord(account)}`}`;
  const units = unitsOf(machine, record);
  const found = await Promise.all(units.files.map((file) => unitAt(file, markOf(machine, record.id))));
  const gone = units.files.find((_, at) => found[at] === 'free' || found[at] === 'others');
  if (gone !== undefined || !isLinked(units.links)) {
    const seen =
      gone === undefined
        ? 'systemd would not begin it at the next login'
        : `${printable(gone.path, 300)} is not its unit any more`;
    return { finding: 'service-not-installed', seen: `${what}: ${seen}`, remedy: `Run: ${again} --install` };
  }
  const listener = await whoListens(world, record, world.signal);
  if (listener === 'ours')
    return { finding: undefined, seen: `${what}: it answers; hosts: ${hostNames(record).join(', ') || 'none'}` };
  if (listener === 'other') {
    return { finding: 'service-port-taken', seen: `${what}: ${portHolder(port) ?? 'another program'} answers there` };
  }
  const seen = listener === 'silent' ? 'a connection gets no answer' : 'nobody listens there';
  return { finding: 'service-not-running', seen: `${what}: ${seen}`, remedy: `Run: ${again} --install` };
}
