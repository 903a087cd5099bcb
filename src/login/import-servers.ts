import type { CommandContext } from '../app/context.js';
import type { ArgumentsOf } from '../core/command.js';
import { closest } from '../core/text/closest.js';
import { printable, shellWord } from '../core/text/printable.js';
import { argumentRefused, usageWrong } from '../core/usage-failures.js';
import { findServers, type OfferedServer, type OfferedServers } from '../setup/find-servers.js';
import { programNamed } from '../setup/target.js';
import type { LoginArguments } from './client/client-options.js';
import { noServersThere, serverNotThere } from './failures.js';
import type { loginTable } from './login.options.js';

/**
 * The arguments of `login` with a server in them: the one that was named, or one out of another program's
 * configuration, by its name there or by the person's choice. Undefined when they were listed instead.
 * @throws Failure `usage_wrong`, `no_servers_there`, `server_not_there`, `program_unknown`, `program_file_unusable`
 */
export async function withServer(
  context: CommandContext,
  args: ArgumentsOf<typeof loginTable>,
): Promise<LoginArguments | undefined> {
  const { server, from } = args;
  if (from === undefined) {
    if (server === undefined) {
      throw usageWrong(
        'postern login needs a server: its URL, or the name of a login.',
        'postern help login',
      );
    }
    return { ...args, server };
  }
  const program = programNamed(from);
  if (program.servers === undefined) {
    throw argumentRefused('--from', `${program.title} keeps no list of protocol servers`);
  }
  const { logins } = await context.ports.index.read();
  const found = await findServers(await context.neighbours(), program, logins);
  if (found.servers.length === 0) throw noServersThere(program.title, found.files);
  const chosen = await choose(context, found, { server, title: program.title });
  if (chosen === undefined) return undefined;
  return { ...args, server: chosen.url, name: args.name ?? chosen.loginName };
}

async function choose(
  context: CommandContext,
  { servers }: OfferedServers,
  { server, title }: { readonly server: string | undefined; readonly title: string },
): Promise<OfferedServer | undefined> {
  const { ports, signal, options } = context;
  if (server !== undefined) {
    const named = servers.find(({ name, url }) => name === server || url === server);
    const names = servers.map(({ name }) => name);
    if (named === undefined) throw serverNotThere(server, title, closest(server, names), names);
    return named;
  }
  if (ports.terminal.interactive && !options.json) {
    const index = await ports.terminal.choose('Log in to which of them?', servers.map(choiceLine), signal);
    return servers[index];
  }
  if (options.json) {
    await context.out.json({ servers: servers.map(({ name, url, hasLogin }) => ({ name, url, hasLogin })) });
  } else {
    await context.out.line(servers.map(commandLine).join('\n'));
  }
  return undefined;
}

function choiceLine({ name, url, hasLogin }: OfferedServer): string {
  return `${printable(name, 60)}  ${printable(url, 200)}${hasLogin ? '  (there is a login)' : ''}`;
}

/** What a person can run; those with a login stand behind a `#`. */
function commandLine({ name, url, loginName, hasLogin }: OfferedServer): string {
  const named = loginName === undefined ? '' : ` --name ${loginName}`;
  const command = `postern login ${shellWord(printable(url, 2000))}${named}`;
  return hasLogin ? `# ${printable(name, 60)}: there is a login for ${printable(url, 2000)}` : command;
}
