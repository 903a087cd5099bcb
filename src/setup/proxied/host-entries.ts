import type { Secret } from '../../core/secret.js';
import type { HostEntries, ProxyServices } from '../../core/services/proxy-services.js';
import { shellWord } from '../../core/text/printable.js';
import type { StorePorts } from '../../stores/ports.js';
import { entryChanged } from '../failures.js';
import type { ExternalPrograms } from '../machine/ports.js';
import type { KeptRecord } from '../machine/setup-records.js';
import { entryState } from '../recorded-entry.js';
import { requestOfRecord } from '../target.js';
import { writeEntry } from '../write-entry.js';
import { proxiedRequest } from './proxied-request.js';

interface World extends Pick<StorePorts, 'index' | 'locks'> {
  readonly externalPrograms: () => Promise<ExternalPrograms>;
  readonly proxyServices: Pick<ProxyServices, 'all'>;
  readonly signal: AbortSignal;
}

/** The entries with the address of a service, by what was noted when they were written. */
export function createHostEntries(world: World): HostEntries {
  const recordsOf = async (service: string): Promise<readonly KeptRecord[]> => {
    const { records } = await world.externalPrograms();
    return (await records.all()).filter(({ record }) => record.proxy?.service === service);
  };
  return {
    of: async (service) =>
      (await recordsOf(service)).map(({ record }) => ({
        host: record.program,
        file: record.path,
        undo: `postern setup ${record.program} ${shellWord(record.server)} --undo`,
      })),
    rewrite: async (service, host, address) => {
      const files: string[] = [];
      for (const kept of await recordsOf(service)) {
        if (kept.record.program === host && (await rewriteOne(world, kept, address))) files.push(kept.record.path);
      }
      return files;
    },
  };
}

/** False where the entry is gone. @throws Failure `entry_changed`, of `writeEntry` */
async function rewriteOne(world: World, { id, record }: KeptRecord, address: Secret): Promise<boolean> {
  const { locks, signal } = world;
  const programs = await world.externalPrograms();
  const { text } = await programs.files.read(record.path);
  const state = text === undefined ? 'missing' : await entryState(record, text, programs.machine.platform);
  if (state === 'missing') return false;
  if (state !== 'same') throw entryChanged(record.path, await programs.records.keep({ id, record }, undefined));
  const service = (await world.proxyServices.all()).find((one) => one.id === record.proxy?.service);
  const plain = await requestOfRecord(world, programs.machine, record);
  if (service === undefined || plain === undefined) return false;
  await writeEntry({ locks, programs }, proxiedRequest(plain, service, address.reveal()), signal);
  return true;
}
