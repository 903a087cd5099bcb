import { ignoreFailure } from '../core/failure.js';
import { argumentRefused } from '../core/failures.js';
import type { OfferedServers } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { serversUnreadable } from './failures.js';
import { valueIn } from './formats/entry.js';
import type { MachineFiles } from './machine/external-programs.js';
import { type FoundServer, foundServers } from './programs/entries.js';
import { filesOf, pathOf, serversIn } from './programs/program.js';
import { programNamed, programs } from './programs/programs.js';

/**
 * Reads the servers out of the configuration that a program keeps for this person; never their tokens, and nothing of
 * the working folder.
 * @throws Failure as `FindServers` says
 */
export async function findServers(
  externalPrograms: () => Promise<MachineFiles>,
  name: string,
  logins: readonly LoginRecord[],
): Promise<OfferedServers> {
  const program = programNamed(name);
  const { machine, files } = await externalPrograms();
  if (serversIn(program, '', machine) === undefined) {
    throw argumentRefused('--from', `${program.title} keeps no list of protocol servers`, 'postern login --help');
  }
  const { installed, alsoRead = [] } = program;
  const placed = (all: readonly string[]) => all.map((path) => pathOf(machine, path));
  const packaged = installed === undefined ? [] : placed([installed.file]);
  const own = [...packaged, ...filesOf(program, machine, 'user'), ...placed(alsoRead)];
  const paths = [...new Set(own)].filter(files.exists);
  const found = new Map<string, FoundServer>();
  for (const path of paths) {
    const { text = '' } = await files.read(path);
    checkFormat(path, text);
    for (const server of (serversIn(program, text, machine) ?? []).flatMap(foundServers)) {
      if (!found.has(server.url)) found.set(server.url, server);
    }
  }
  const servers = [...found.values()].map((server) => {
    const login = logins.find((one) => one.server === server.url);
    return { ...server, loginName: login ? login.name : freeName(server.name, logins), hasLogin: login !== undefined };
  });
  return { title: program.title, files: paths, servers };
}

/** Programs whose configuration names servers that there is no login for, with how many. One that cannot be read is left out. */
export async function programsWithServers(
  externalPrograms: () => Promise<MachineFiles>,
  logins: readonly LoginRecord[],
): Promise<readonly { readonly name: string; readonly title: string; readonly count: number }[]> {
  const found = programs.map(async ({ name, title }) => {
    const { servers = [] } = (await findServers(externalPrograms, name, logins).catch(ignoreFailure)) ?? {};
    return { name, title, count: servers.filter(({ hasLogin }) => !hasLogin).length };
  });
  return (await Promise.all(found)).filter(({ count }) => count > 0);
}

/** The name in the form that `login --name` takes; undefined where a login has it already. */
function freeName(name: string, logins: readonly LoginRecord[]): string | undefined {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 63);
  return plain === '' || logins.some((login) => login.name === plain) ? undefined : plain;
}

function checkFormat(path: string, text: string): void {
  const end = /\.(jsonc?|toml|ya?ml)$/.exec(path)?.[1];
  if (end === undefined || text.trim() === '') return;
  const format = end.startsWith('json') ? 'json' : end === 'toml' ? 'toml' : 'yaml';
  if (valueIn(format, text, []) === undefined) throw serversUnreadable(path, format.toUpperCase());
}
