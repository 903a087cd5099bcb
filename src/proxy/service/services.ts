import { setTimeout as pause } from 'node:timers/promises';
import type { LoginRecord } from '../../core/records.js';
import { canonicalResource } from '../../core/resource.js';
import { Secret } from '../../core/secret.js';
import type { KeyRotation } from '../../core/services/proxy-services.js';
import { newKeyText } from '../admit.js';
import { hostUnknown, noPortFree, serviceDiffers, servicePortTaken, serviceUnknown } from './failures.js';
import { type Managed, manage, managerHere, markOf, serviceMachine, typed, unitsOf } from './manager.js';
import { portHolder } from './port-holder.js';
import type { ServiceMachine, ServiceWorld } from './ports.js';
import {
  allServices,
  digestOf,
  forgetService,
  keepService,
  newProof,
  readService,
  type ServiceOptions,
  type ServiceRecord,
  serviceId,
  servicesFolder,
} from './record.js';
import { removeLinks, removeUnits, unitAt, writeUnits } from './unit-files.js';
import type { UnitFile, Units } from './units/units.js';
import { isPortFree, type Listener, whoListens } from './who-listens.js';

type Ports = Pick<ServiceWorld, 'externalPrograms' | 'locks' | 'clock' | 'signal' | 'http'>;

export interface WantedService {
  readonly login: Pick<LoginRecord, 'server' | 'account' | 'name'>;
  /** What the person called it. */
  readonly named: string;
  readonly host: string;
  /** Undefined: one is chosen. */
  readonly port: number | undefined;
  /** Undefined: as it is, or the usual ones. */
  readonly options: ServiceOptions;
  readonly hasOptions: boolean;
  readonly withProxy: boolean;
}

export interface InstalledService {
  readonly record: ServiceRecord;
  readonly outcome: 'made' | 'host-added' | 'rewritten';
  /** Undefined: the host has one already, and it is kept with the host alone. */
  readonly key: Secret | undefined;
  readonly managed: Managed;
  /** Undefined: it was not asked, as it was not started. */
  readonly listener: Listener | undefined;
}

/** Work on services waits for other such work for as long as a manager may take; in milliseconds. */
const waitMs = 60_000;

/** Below the ports that systems give away by themselves; which one, the id says. */
const ports = { first: 17_300, count: 12_000, tries: 64 } as const;

/**
 * Installs a service for a login, or gives the one that is there a key for another host. Done again it writes the units
 * anew, as after a move of Node.js.
 * @throws Failure `proxy_port_in_use`, `service_differs`, `unit_refused`, of the state folder
 */
export async function installService(world: Ports, wanted: WantedService): Promise<InstalledService> {
  const { locks, clock, signal } = world;
  await using _lock = await locks.acquire('services', { waitMs, signal });
  const programs = await world.externalPrograms();
  const folder = servicesFolder(programs.machine.stateFolder);
  const all = await allServices(folder);
  const before = serviceOf(all, wanted.login);
  if (before !== undefined) checkSame(before, wanted);
  const base = before ?? (await newService(programs.machine, all, wanted));
  const isKnown = base.hosts.some(({ name }) => name === wanted.host);
  const key = isKnown ? undefined : new Secret(newKeyText());
  const added = key && { name: wanted.host, digest: digestOf(key.reveal()), madeAt: clock.now() };
  const machine = serviceMachine(programs.machine, wanted.withProxy);
  const units = unitsOf(machine, base);
  const files = units.files.map(({ path }) => path);
  const record = { ...base, files, hosts: added === undefined ? base.hosts : [...base.hosts, added] };
  await keepService(folder, record);
  try {
    await writeUnits(units.files, markOf(machine, record.id));
  } catch (error) {
    if (before === undefined) forgetService(folder, record.id);
    else await keepService(folder, before);
    throw error;
  }
  const managed = await manage({ ...programs, machine }, units.start, signal);
  const isAsked = managed.ok && units.manager !== 'none';
  const listener = isAsked ? await listenerSoon(world, record) : undefined;
  const outcome = before === undefined ? 'made' : key === undefined ? 'rewritten' : 'host-added';
  return { record, outcome, key, managed, listener };
}

/** A manager that holds no socket begins the process a moment later than it says. */
async function listenerSoon(world: Ports, record: ServiceRecord): Promise<Listener> {
  for (let tries = 0; ; tries += 1) {
    const listener = await whoListens(world, record, world.signal);
    if (listener !== 'nobody' || tries >= 10) return listener;
    await pause(200, undefined, { signal: world.signal });
  }
}

/** The service of a login; undefined where none is installed. */
function serviceOf(
  all: readonly ServiceRecord[],
  { server, account }: Pick<LoginRecord, 'server' | 'account'>,
): ServiceRecord | undefined {
  return all.find((one) => one.server === server && one.account === account);
}

/** A service runs with the options that it was made with: programs rely on them. @throws Failure `service_differs` */
function checkSame(before: ServiceRecord, { named, port, options, hasOptions }: WantedService): void {
  const isOtherPort = port !== undefined && port !== before.port;
  const isOther = hasOptions && JSON.stringify(options) !== JSON.stringify(before.options);
  if (isOtherPort || isOther) throw serviceDiffers(named);
}

async function newService(
  machine: ServiceMachine,
  all: readonly ServiceRecord[],
  { login, port: wanted, options }: WantedService,
): Promise<ServiceRecord> {
  const { server, account, name } = login;
  const mount = name ?? (new URL(server).hostname.replace(/[^a-z0-9.-]+/g, '') || 'server');
  const id = serviceId(login, mount);
  const port = wanted ?? (await freePort(all, id));
  if (wanted !== undefined && !(await isUsable(all, port))) throw servicePortTaken(port, portHolder(port));
  const manager = managerHere(machine);
  return { version: 1, id, server, account, mount, port, manager, files: [], hosts: [], proof: newProof(), options };
}

/** A port of another service is not free, even when that does not run now. */
async function isUsable(all: readonly ServiceRecord[], port: number): Promise<boolean> {
  return !all.some((one) => one.port === port) && (await isPortFree(port));
}

/** The same one for the same service, where nobody has it. @throws Failure `no_port_free` */
async function freePort(all: readonly ServiceRecord[], id: string): Promise<number> {
  const start = Number.parseInt(digestOf(id).slice(0, 8), 16) % ports.count;
  for (let tries = 0; tries < ports.tries; tries += 1) {
    const port = ports.first + ((start + tries) % ports.count);
    if (await isUsable(all, port)) return port;
  }
  throw noPortFree(ports.first + start, ports.first + start + ports.tries - 1);
}

/** What is done with one service under the lock of all. */
async function changed<Result>(
  { locks, signal, externalPrograms }: Ports,
  id: string,
  change: (folder: string, record: ServiceRecord) => Promise<Result>,
): Promise<Result> {
  await using _lock = await locks.acquire('services', { waitMs, signal });
  const folder = servicesFolder((await externalPrograms()).machine.stateFolder);
  const record = readService(folder, id);
  if (record === undefined) throw serviceUnknown(id);
  return await change(folder, record);
}

/**
 * Makes a key for a host, beside the one that it may have. Until it is settled nobody else makes one.
 * @throws Failure `service_unknown`, of the state folder
 */
export async function rotateKey(world: Ports, id: string, host: string): Promise<KeyRotation> {
  const lock = await world.locks.acquire('host-keys', { waitMs, signal: world.signal });
  const key = newKeyText();
  const digest = digestOf(key);
  const record = await changed(world, id, async (folder, before) => {
    const hosts = [...before.hosts, { name: host, digest, madeAt: world.clock.now() }];
    await keepService(folder, { ...before, hosts });
    return before;
  }).catch(async (error: unknown) => {
    await lock[Symbol.asyncDispose]();
    throw error;
  });
  return {
    address: new Secret(addressOf(record, key)),
    settle: async (which) => {
      await using _lock = lock;
      await changed(world, id, async (folder, now) => {
        const isGone = (one: ServiceRecord['hosts'][number]) =>
          which === 'new' ? one.name === host && one.digest !== digest : one.digest === digest;
        await keepService(folder, { ...now, hosts: now.hosts.filter((one) => !isGone(one)) });
      });
    },
  };
}

/** Withdraws a host's key, at once. @throws Failure `service_unknown`, `host_unknown` */
export async function withdrawHost(world: Ports, id: string, host: string, named = id): Promise<ServiceRecord> {
  return await changed(world, id, async (folder, before) => {
    const hosts = before.hosts.filter(({ name }) => name !== host);
    if (hosts.length === before.hosts.length) throw hostUnknown(host, named, hostNames(before));
    const after = { ...before, hosts };
    await keepService(folder, after);
    return after;
  });
}

export interface RemovedService {
  readonly record: ServiceRecord;
  readonly managed: Managed;
  /** Files at the found of its units that are not ours. */
  readonly kept: readonly string[];
}

/**
 * Takes a service back: it is stopped, its units go, and its keys with it. Where the manager cannot be asked, what it would
 * begin it by is removed all the same.
 * @throws Failure `service_unknown`, of the state folder
 */
export async function removeService(world: Ports, id: string): Promise<RemovedService> {
  const { signal } = world;
  const programs = await world.externalPrograms();
  return await changed(world, id, async (folder, record) => {
    const units = unitsOf(programs.machine, record);
    const mark = markOf(programs.machine, id);
    forgetService(folder, id);
    const isOurs = await areOurs(units.files, mark);
    const stopped = isOurs ? await manage(programs, units.stop, signal) : nothingManaged;
    await removeLinks(units.links, units.files);
    const kept = await removeUnits(units.files, mark);
    const after = isOurs ? await manage(programs, units.removed, signal) : nothingManaged;
    return {
      record,
      managed: stopped.ok ? after : { ...stopped, commands: leftToType(units, [stopped, after]) },
      kept,
    };
  });
}

function leftToType({ orphaned }: Units, managed: readonly Managed[]): readonly string[] {
  return orphaned?.map(typed) ?? managed.flatMap(({ commands }) => commands);
}

const nothingManaged: Managed = { ok: true, said: undefined, commands: [] };

/** Is what would be stopped ours? A unit of that name may be somebody else's. */
async function areOurs(files: readonly UnitFile[], mark: string): Promise<boolean> {
  const found = await Promise.all(files.map((file) => unitAt(file, mark)));
  return !found.includes('others');
}

/** The address that a host is given; with `KEY` in it where the key is not known. */
export function addressOf({ port, mount }: Pick<ServiceRecord, 'port' | 'mount'>, key = 'KEY'): string {
  return `http://127.0.0.1:${port}/${key}/${mount}`;
}

export const hostNames = ({ hosts }: Pick<ServiceRecord, 'hosts'>): readonly string[] => [
  ...new Set(hosts.map(({ name }) => name)),
];

/**
 * The service that is meant by its id, the login's name of now or of then, or the server's address.
 * @throws Failure `service_unknown`
 */
export function findService(
  all: readonly ServiceRecord[],
  logins: readonly Pick<LoginRecord, 'name' | 'server' | 'account'>[],
  named: string,
  account: string | undefined,
): ServiceRecord {
  const canonical = canonicalResource(named);
  const login = logins.find(({ name }) => name === named);
  const fits = (one: ServiceRecord) => account === undefined || one.account === account;
  const found =
    all.find(({ id }) => id === named) ??
    (login && serviceOf(all, login)) ??
    all.find((one) => one.mount === named && fits(one)) ??
    (canonical.ok ? all.find((one) => one.server === canonical.value && fits(one)) : undefined);
  if (found === undefined) throw serviceUnknown(named);
  return found;
}
