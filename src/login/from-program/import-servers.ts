import type { CommandOutput } from '../../core/command.js';
import { wordMissing } from '../../core/failures.js';
import type { CorePorts, FindServers, OfferedServer, OfferedServers } from '../../core/ports.js';
import { closest } from '../../core/text/closest.js';
import { printable, shellWord } from '../../core/text/printable.js';
import type { StorePorts } from '../../stores/ports.js';
import { noServersThere, serverNotThere } from '../failures.js';

export interface ImportWorld
  extends Omit<CommandOutput, 'tell'>,
    Pick<StorePorts, 'index'>,
    Pick<CorePorts, 'terminal'> {
  readonly findServers: FindServers;
}

interface Wanted {
  readonly server: string | undefined;
  readonly from: string | undefined;
  readonly name: string | undefined;
}

export interface ChosenServer {
  readonly server: string;
  readonly baseName?: string | undefined;
}

/**
 * The arguments of `login` with a server in them: the one that was named, or one out of another program's
 * configuration, by its name there or by the person's choice. Undefined when they were listed instead.
 * @throws Failure `usage_wrong`, `no_servers_there`, `server_not_there`, `program_unknown`, `program_file_unusable`
 */
export async function withServer<Arguments extends Wanted>(
  world: ImportWorld,
  args: Arguments,
): Promise<(Arguments & ChosenServer) | undefined> {
  const { server, from } = args;
  if (from === undefined) {
    if (server === undefined) {
      throw wordMissing('postern login needs a server: its URL, or the name of a login.', 'login');
    }
    return { ...args, server };
  }
  const found = await serversOf(world, from);
  const chosen = await choose(world, found, server);
  if (chosen === undefined) return undefined;
  return { ...args, server: chosen.url, baseName: chosen.loginName };
}

/** The servers that another program is set up for, at least one. @throws Failure as `withServer` */
export async function serversOf(
  world: Pick<ImportWorld, 'index' | 'findServers'>,
  from: string,
): Promise<OfferedServers> {
  const { logins } = await world.index.read();
  const found = await world.findServers(from, logins);
  if (found.servers.length === 0) throw noServersThere(found.title, found.files);
  return found;
}

async function choose(
  { terminal, out, json, signal }: ImportWorld,
  { servers, title }: OfferedServers,
  server: string | undefined,
): Promise<OfferedServer | undefined> {
  if (server !== undefined) {
    const named = servers.find(({ name, url }) => name === server || url === server);
    const names = servers.map(({ name }) => name);
    if (named === undefined) throw serverNotThere(server, title, closest(server, names), names);
    return named;
  }
  if (terminal.interactive && !json) {
    const choices = servers.map(({ name, url, hasLogin }) => {
      return `${printable(name, 60)}  ${printable(url, 200)}${hasLogin ? '  (there is a login)' : ''}`;
    });
    const index = await terminal.choose('Log in to which of them?', choices, signal);
    return servers[index];
  }
  if (json) {
    await out.json({ servers: servers.map(({ name, url, hasLogin }) => ({ name, url, hasLogin })) });
  } else {
    await out.line(servers.map(commandLine).join('\n'));
  }
  return undefined;
}

/** What a person can run; those with a login are behind a `#`. */
function commandLine({ name, url, loginName, hasLogin }: OfferedServer): string {
  const named = loginName === undefined ? '' : ` --name ${loginName}`;
  const command = `postern login ${shellWord(printable(url, 2000))}${named}`;
  return hasLogin ? `# ${printable(name, 60)}: there is a login for ${printable(url, 2000)}` : command;
}
