import { join } from 'node:path';
import type { ClientKeyRecord, LoginRecord, ProviderRecord } from '../../core/records.js';
import type { ExternalPrograms } from '../../setup/machine/external-programs.js';
import type { KeptRecord } from '../../setup/machine/setup-records.js';
import { type NotedShim, notedShims } from '../../setup/machine/shims.js';
import type { Context } from '../context.js';
import { type OwnFolders, ownFiles } from './own-files.js';

/** All that this program has written on this machine, as far as it knows. */
export interface Written {
  readonly programs: ExternalPrograms;
  /** What `setup --write` put into other programs' files. */
  readonly entries: readonly KeptRecord[];
  /** What `credential --shim` wrote. */
  readonly shims: readonly NotedShim[];
  /** Where both are noted. */
  readonly records: string;
  readonly logins: readonly LoginRecord[];
  /** At companies’ providers. */
  readonly providers: readonly ProviderRecord[];
  readonly registrations: number;
  readonly clientKeys: readonly ClientKeyRecord[];
  /** Secrets that a store has not given up yet. */
  readonly orphans: number;
  readonly folders: OwnFolders;
  readonly files: readonly string[];
}

/** @throws Failure of the index */
export async function allWritten(world: Context): Promise<Written> {
  const programs = await world.externalPrograms();
  const folders = { state: programs.machine.stateFolder, config: world.configurationFile().folder };
  const records = join(folders.state, 'setup');
  const { logins, providers = [], registrations, clientKeys = [], orphans = [] } = await world.index.read();
  return {
    programs,
    entries: await programs.records.all(),
    shims: await notedShims(records),
    records,
    logins,
    providers,
    registrations: registrations.length,
    clientKeys,
    orphans: orphans.length,
    folders,
    files: await ownFiles(folders),
  };
}

/** Is there nothing to take back? */
export function isNothing({ programs: _, records: __, folders: ___, ...written }: Written): boolean {
  return Object.values(written).every((one) => (typeof one === 'number' ? one : one.length) === 0);
}
