import type { ArgumentsOf, Command, CommandExit, CommandOutput } from '../core/command.js';
import type { CorePorts, Files, Logins, RequestLog, Signals } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { inColumnsOrStacked } from '../core/text/layout.js';
import { asciiJson, printable } from '../core/text/printable.js';
import { usageContradictory, usageWrong } from '../core/usage-failures.js';
import { idleRulePrinter } from '../mcp/lending/idle-rules.js';
import { hasToolRules, ToolPolicy } from '../mcp/lending/tool-policy.js';
import { isClientLogin } from '../stores/own-login.js';
import { Authorizer } from '../tokens/authorizer.js';
import { personOf } from '../tokens/step-up.js';
import { type AuthorizerPorts, TokenInUse } from '../tokens/token-in-use.js';
import { headersForOne } from './failures.js';
import { localKeyHeader } from './forwarded-headers.js';
import type { OpenProxy, ProxyMount, ProxyOptions, RunningProxy } from './ports.js';
import { proxyTable } from './run/proxy.options.js';
import { logger, printer } from './run/report.js';
import { untilEnd } from './run/until-end.js';
import type { ServiceWorld } from './service/ports.js';

interface World extends AuthorizerPorts, CommandOutput, ServiceWorld, Pick<CorePorts, 'terminal'> {
  readonly files: Files;
  readonly logins: () => Promise<Logins>;
  readonly openProxy: OpenProxy;
  readonly signals: Signals;
  readonly requestLog: RequestLog | undefined;
}

type Arguments = ArgumentsOf<typeof proxyTable>;

export const command: Command<typeof proxyTable, World> = {
  table: proxyTable,
  async run(world, args) {
    const way = (['install', 'rotate', 'uninstall', 'service'] as const).find((name) => args[name]);
    if (way !== undefined) return await aboutService(world, args, way);
    if (args.host !== undefined || args.withProxy) {
      throw usageWrong(`--${args.withProxy ? 'with-proxy' : 'host'} goes with --install.`, 'postern proxy --help');
    }
    const mounts = await mountAll(world, args);
    await using proxy = await world.openProxy(optionsOf(world, args, mounts));
    await say(world, args, proxy, mounts);
    return await untilEnd(world, args, proxy);
  },
};

/** What says how a proxy in the foreground runs means nothing for a service. */
const foreground = [
  ...(['store', 'socket', 'noKey', 'browser', 'noBrowser', 'readyFd', 'untilStdinEnds'] as const),
  ...(['headerFile', 'headerEnv'] as const), // those that are kept with the login are sent
] as const;

async function aboutService(
  world: World,
  args: Arguments,
  way: 'install' | 'rotate' | 'uninstall' | 'service',
): Promise<CommandExit> {
  const other = foreground.find((name) => args[name] !== undefined && args[name] !== false);
  if (other !== undefined || isClientLogin(args, 'proxy', true)) {
    const option = (other ?? 'clientCredentials').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw usageContradictory(`--${way}`, `--${option}`, 'postern proxy --help');
  }
  if (way === 'service')
    return await (await import('./service/run-service.js')).runService(world, args.server[0] ?? '');
  return await (await import('./service/service-command.js'))[way](world, args);
}

async function mountAll(world: World, args: Arguments): Promise<readonly ProxyMount[]> {
  const { signal } = world;
  const { browser, noBrowser } = args;
  const isClient = isClientLogin(args, 'proxy', true);
  if ((await world.givenHeaders()) !== undefined && args.server.length > 1) throw headersForOne();
  const isPartly = hasToolRules(args);
  const from = await world.logins();
  const logins: LoginRecord[] = [];
  for (const server of args.server) {
    const wanted = { server, account: args.account };
    logins.push(
      await (isClient ? from.asClient({ ...args, ...wanted }) : from.findOrMake({ ...wanted, browser, noBrowser })),
    );
  }
  const relogin = isClient ? undefined : from.reloginForPrograms({ browser, noBrowser });
  const names = mountNames(logins);
  const person = personOf(relogin);
  const warn = idleRulePrinter(logins.length, world.tell);
  return logins.map((login, at) => {
    const tokens = new TokenInUse(world, { meant: login, login, person, signal });
    const policy = isPartly ? new ToolPolicy(args, warn) : undefined;
    return { name: names[at] ?? '', server: login.server, authorizer: new Authorizer(tokens), policy };
  });
}

function optionsOf(world: World, args: Arguments, mounts: readonly ProxyMount[]): ProxyOptions {
  return {
    mounts,
    listen: args.socket === undefined ? { port: args.port ?? 0 } : { socket: args.socket },
    key: !args.noKey && args.socket === undefined,
    limits: { headMs: args.timeout * 1000, silenceMs: args.silence === undefined ? null : args.silence * 1000 },
    failed: printer(world, mounts),
    log: logger(world),
  };
}

async function say(world: World, args: Arguments, proxy: RunningProxy, mounts: readonly ProxyMount[]): Promise<void> {
  if (args.noKey && args.socket === undefined) {
    world.terminal.tell(
      'postern: --no-key: every user and every program of this machine can use these logins while this runs.',
    );
  }
  const listed = listing(proxy, mounts, args.socket);
  const result = world.json ? `${asciiJson(listed)}\n` : addressLines(listed);
  // Its key is what was asked for: it is not replaced here as it is elsewhere.
  if (world.json) await world.out.exact.json(listed);
  else await world.out.write(result);
  if (args.readyFd !== undefined) await world.files.tellReady(args.readyFd, result);
  const rows = mounts.map(({ name, server }) => [name, printable(server)]);
  inColumnsOrStacked(world.tellLook, rows).forEach(world.tell);
  world.tell('Ctrl-C ends it.');
}

interface Listing {
  readonly origin: string;
  readonly socket: string | null;
  readonly key: string | null;
  readonly keyHeader: string | null;
  readonly servers: readonly { readonly name: string; readonly server: string; readonly url: string }[];
}

function listing({ origin, key }: RunningProxy, mounts: readonly ProxyMount[], socket: string | undefined): Listing {
  const path = key === undefined ? '' : `/${key.reveal()}`;
  const servers = mounts.map(({ name, server }) => ({ name, server, url: `${origin}${path}/${name}` }));
  const keyHeader = key === undefined ? null : localKeyHeader;
  return { origin, socket: socket ?? null, key: key?.reveal() ?? null, keyHeader, servers };
}

/** The address of the one server; of several, a line each with the name in front. */
function addressLines({ servers }: Listing): string {
  return servers.map(({ name, url }) => `${servers.length > 1 ? `${name} ` : ''}${url}\n`).join('');
}

/**
 * A path segment for each login, no two the same: its name, else its server's host; a number behind where that is
 * taken.
 */
function mountNames(logins: readonly Pick<LoginRecord, 'name' | 'server'>[]): readonly string[] {
  const taken = new Set<string>();
  return logins.map(({ name, server }) => {
    const base = name ?? (new URL(server).hostname.replace(/[^a-z0-9.-]+/g, '') || 'server');
    let own = base;
    for (let count = 2; taken.has(own); count += 1) own = `${base}-${count}`;
    taken.add(own);
    return own;
  });
}
