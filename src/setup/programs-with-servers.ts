import { ignoreFailure } from '../core/failure.js';
import type { LoginRecord } from '../core/records.js';
import { findServers } from './find-servers.js';
import type { MachineFiles } from './machine/ports.js';
import { programs } from './programs/programs.js';

/** Programs whose configuration names servers that there is no login for, with how many. One that cannot be read is left out. */
export async function programsWithServers(
  externalPrograms: () => Promise<MachineFiles>,
  logins: readonly LoginRecord[],
): Promise<readonly { readonly name: string; readonly title: string; readonly count: number }[]> {
  const found = programs
    .filter((program) => program.servers !== undefined)
    .map(async ({ name, title }) => {
      const { servers = [] } = (await findServers(externalPrograms, name, logins).catch(ignoreFailure)) ?? {};
      return { name, title, count: servers.filter(({ hasLogin }) => !hasLogin).length };
    });
  return (await Promise.all(found)).filter(({ count }) => count > 0);
}
