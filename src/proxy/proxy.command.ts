import { resolve } from 'node:path';
import {
  type ArgumentsOf,
  type Command,
  type CommandExit,
  type CommandOutput,
  camelCase,
  type LooseArguments,
  type OptionSpec,
} from '../core/command.js';
import type { CorePorts, Files, Logins, RequestLog, Signals } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { mayHoldSecret } from '../core/resource.js';
import { inColumnsOrStacked } from '../core/text/layout.js';
import { asciiJson, printable } from '../core/text/printable.js';
import { usageWrong } from '../core/usage-failures.js';
import { authorityVariables } from '../http/proxy-settings.js';
import { idleRulePrinter } from '../mcp/lending/idle-rules.js';
import { hasToolRules, ToolPolicy } from '../mcp/lending/tool-policy.js';
import { keyInFile, segmentOf } from '../stores/local-proxy.js';
import { isClientLogin } from '../stores/own-login.js';
import { Authorizer } from '../tokens/authorizer.js';
import { addressSecret } from '../tokens/failures.js';
import { findLogin } from '../tokens/find-login.js';
import { personOf } from '../tokens/step-up.js';
import { type AuthorizerPorts, TokenInUse } from '../tokens/token-in-use.js';
import { headersForOne } from './failures.js';
import { localKeyHeader } from './forwarded-headers.js';
import type { OpenProxy, ProxyMount, ProxyOptions, RunningProxy } from './ports.js';
import { proxyTable } from './run/proxy.options.js';
import { logger, printer } from './run/report.js';
import { unitTexts } from './run/service-unit.js';
import { untilEnd } from './run/until-end.js';

interface World extends AuthorizerPorts, CommandOutput, Pick<CorePorts, 'terminal'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How this program is started again and again. */
  readonly externalPrograms: () => Promise<{
    readonly machine: {
      readonly start: { readonly node: string; readonly script: string | undefined };
      readonly variables: Readonly<Record<string, string>>;
    };
  }>;
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
    if (args.printService !== undefined) return await printService(world, args, args.printService);
    const mounts = await mountAll(world, args);
    await using proxy = await world.openProxy(optionsOf(world, args, mounts));
    await say(world, args, proxy, mounts);
    return await untilEnd(world, args, proxy);
  },
};

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
    key: args.keyFile === undefined ? !args.noKey && args.socket === undefined : keyInFile(args.keyFile),
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

/** A path segment for each login, no two the same: a number behind where one is taken. */
function mountNames(logins: readonly Pick<LoginRecord, 'name' | 'server'>[]): readonly string[] {
  const taken = new Set<string>();
  return logins.map((login) => {
    const base = segmentOf(login);
    let own = base;
    for (let count = 2; taken.has(own); count += 1) own = `${base}-${count}`;
    taken.add(own);
    return own;
  });
}

/** Prints the unit that starts this very command line, with what leads to these logins. Its key stays in its file. */
async function printService(world: World, args: Arguments, kind: keyof typeof unitTexts): Promise<CommandExit> {
  const { port, keyFile } = args;
  if (port === undefined || keyFile === undefined) {
    throw usageWrong('A service needs an address that stays: give it --port and --key-file.', 'postern help proxies');
  }
  const logins: LoginRecord[] = [];
  for (const server of args.server) {
    const login = await findLogin(world, { server, account: args.account, exact: true });
    if (login.store === 'environment') {
      throw usageWrong('A service cannot use a token of this shell’s environment.', 'postern help proxies');
    }
    if (mayHoldSecret(server)) throw addressSecret(server);
    logins.push(login);
  }
  const names = mountNames(logins);
  const [first = ''] = names;
  const { machine } = await world.externalPrograms();
  const { node, script } = machine.start;
  const unit = unitTexts[kind]({
    name: first,
    words: [node, ...(script === undefined ? [] : [script]), 'proxy', ...args.server, ...optionWords(args)],
    variables: { ...machine.variables, ...authorityVariables(world.env) },
    env: world.env,
    stopWithin: args.grace + 5,
  });
  const origin = `http://127.0.0.1:${port}`;
  const servers = logins.map(({ server }, at) => ({
    name: names[at] ?? '',
    server,
    url: `${origin}/KEY/${names[at]}`,
  }));
  const listed: Listing = { origin, socket: null, key: null, keyHeader: localKeyHeader, servers };
  if (world.json) await world.out.json({ ...listed, unit });
  else await world.out.write(unit);
  world.tell(
    `KEY in its address is what ${printable(resolve(keyFile), 300)} holds: ${servers.map(({ url }) => url).join(' ')}`,
  );
  world.tell('Where the unit goes, and how to remove it: postern help proxies');
  return 0;
}

/** The options as they were typed, which mean the same from every folder. */
function optionWords({ keyFile = '', ...args }: Arguments): readonly string[] {
  const typed: LooseArguments = { ...args, printService: undefined, keyFile: resolve(keyFile) };
  const words = proxyTable.options.flatMap((option: OptionSpec) => {
    const value = typed[camelCase(option.name)];
    const isUsual = value === undefined || value === false || ('default' in option && value === option.default);
    if (isUsual) return [];
    return value === true ? [`--${option.name}`] : [value].flat().map((one) => `--${option.name}=${one}`);
  });
  return [...words, '--non-interactive'];
}
