import { join } from 'node:path';
import type { Machine } from '../../src/setup/machine/external-programs.js';
import { createExternalPrograms } from '../../src/setup/machine/external-programs.js';
import { createSetupRecords, type SetupRecord } from '../../src/setup/machine/setup-records.js';
import type { SetupWorld } from '../../src/setup/write-entry.js';
import { createLocks } from '../../src/stores/state/locks.js';
import { realClock } from '../stores/state/real-clock.js';
import { newerPrograms } from '../support/newer-programs.js';

/** A machine whose user lives in `home`, with real files there. */
export function workshop(home: string, script = '/opt/lib/node_modules/postern/bin/postern.js'): SetupWorld {
  const env = { PATH: `${newerPrograms.folder}:${process.env['PATH']}` };
  const stateFolder = join(home, '.local', 'state', 'postern');
  return {
    locks: createLocks({ directory: join(stateFolder, 'locks'), clock: realClock }),
    programs: {
      ...createExternalPrograms({ env, platform: process.platform, homedir: home, script }),
      machine: machine({
        env,
        homedir: home,
        stateFolder,
        start: { node: '/opt/bin/node', script, lasts: 'upgrades' },
      }),
      records: createSetupRecords(join(stateFolder, 'setup')),
    },
  };
}

export function machine(more: Partial<Machine>): Machine {
  return {
    platform: 'linux',
    homedir: '/home/a',
    env: {},
    variables: {},
    workingFolder: '/home/a/project',
    stateFolder: '/home/a/.local/state/postern',
    start: { node: '/opt/bin/node', script: '/opt/postern.js', lasts: 'upgrades' },
    ...more,
  };
}

/** What `--write` keeps of an entry. */
export const plainRecord: SetupRecord = {
  ...{ version: 1, program: 'git', server: 'https://h.example/mcp', path: '/x', existed: true, folders: [] },
  ...{ after: null, holds: {}, scope: 'user', name: 'work' },
  key: { format: 'git', path: ['a'] },
};
