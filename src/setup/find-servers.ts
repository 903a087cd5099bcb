import type { OfferedServers } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { argumentRefused } from '../core/usage-failures.js';
import { serversUnreadable } from './failures.js';
import { jsonAt } from './formats/json.js';
import { tomlAt } from './formats/toml.js';
import type { ExternalPrograms } from './ports.js';
import type { FoundServer } from './programs/program.js';
import { programNamed } from './programs/programs.js';

/**
 * Reads the servers out of the configuration that a program keeps for this person; never their tokens, and nothing of
 * the working folder.
 * @throws Failure as `FindServers` says
 */
export async function findServers(
  externalPrograms: () => Promise<Pick<ExternalPrograms, 'machine' | 'files'>>,
  name: string,
  logins: readonly LoginRecord[],
): Promise<OfferedServers> {
  const program = programNamed(name);
  if (program.servers === undefined) {
    throw argumentRefused('--from', `${program.title} keeps no list of protocol servers`);
  }
  const { machine, files } = await externalPrograms();
  const paths = program.files(machine, 'user').filter((path) => files.exists(path));
  const found = new Map<string, FoundServer>();
  for (const path of paths) {
    const { text = '' } = await files.read(path);
    checkFormat(path, text);
    for (const server of program.servers(text, machine)) {
      if (!found.has(server.url)) found.set(server.url, server);
    }
  }
  return {
    title: program.title,
    files: paths,
    servers: [...found.values()].map((server) => ({
      ...server,
      loginName: loginName(server, logins),
      hasLogin: logins.some((login) => login.server === server.url),
    })),
  };
}

/** The name that its login has already; else what `login --name` takes, unless another server's login has that name. */
function loginName({ name, url }: FoundServer, logins: readonly LoginRecord[]): string | undefined {
  const former = logins.find((login) => login.server === url);
  if (former !== undefined) return former.name;
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 63);
  const isTaken = logins.some((login) => login.name === plain && login.server !== url);
  return plain === '' || isTaken ? undefined : plain;
}

function checkFormat(path: string, text: string): void {
  const isToml = path.endsWith('.toml');
  const isReadable = text.trim() === '' || (isToml ? tomlAt : jsonAt)(text, []) !== undefined;
  if (!isReadable) throw serversUnreadable(path, isToml ? 'TOML' : 'JSON');
}
