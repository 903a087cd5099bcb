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
import { Failure } from '../core/failure.js';
import { usageWrong } from '../core/failures.js';
import { remedyAt } from '../core/login-command.js';
import type { CorePorts, Files, Logins, RequestLog, Signals } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { mayHoldSecret } from '../core/resource.js';
import { inColumnsOrStacked } from '../core/text/layout.js';
import { asciiJson, printable } from '../core/text/printable.js';
import { unlessAborted } from '../core/time.js';
import { authorityVariables } from '../http/proxy-settings.js';
import { hasToolRules, idleRulePrinter, ToolPolicy } from '../mcp/lending/tool-policy.js';
import { keyInFile } from '../stores/key-file.js';
import { Authorizer } from '../tokens/authorizer.js';
import { addressSecret } from '../tokens/failures.js';
import { findLogin, segmentOf } from '../tokens/find-login.js';
import { personOf } from '../tokens/step-up.js';
import { type AuthorizerPorts, TokenInUse } from '../tokens/token-in-use.js';
import { headersForOne } from './failures.js';
import { localKeyHeader } from './forwarded-headers.js';
import type { OpenProxy, ProxyMount, ProxyOptions, RunningProxy } from './ports.js';
import { proxyTable } from './run/proxy.options.js';
import { unitTexts } from './run/service-unit.js';

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
  const isClient = args.clientCredentials;
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
  const key = proxy.key?.reveal() ?? null;
  const listing = listingOf(proxy.origin, key === null ? '' : `/${key}`, mounts);
  const listed = { ...listing, socket: args.socket ?? null, key };
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

/** @param path What stands before the name of a mount: the key, where there is one */
function listingOf(origin: string, path: string, logins: readonly Pick<ProxyMount, 'name' | 'server'>[]): Listing {
  const servers = logins.map(({ name, server }) => ({ name, server, url: `${origin}${path}/${name}` }));
  return { origin, socket: null, key: null, keyHeader: path === '' ? null : localKeyHeader, servers };
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
  const mounts = logins.map(({ server }, at) => ({ name: names[at] ?? '', server }));
  const listed = listingOf(`http://127.0.0.1:${port}`, '/KEY', mounts);
  if (world.json) await world.out.json({ ...listed, unit });
  else await world.out.write(unit);
  world.tell(
    `KEY in its address is what ${printable(resolve(keyFile), 300)} holds: ${listed.servers.map(({ url }) => url).join(' ')}`,
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

/** The same failure of the same server is printed again after this long. */
const repeatedAfterMs = 10_000;

/** A line for each request that is over: when, what, how it ended, how long it took, who asked. */
function logger({ requestLog, clock }: World): ProxyOptions['log'] {
  return (
    requestLog &&
    (({ method, path, status, ms, program, refused }) => {
      const ended = status === undefined ? 'left' : String(status);
      const what = path === undefined ? `not let in: ${refused ?? ''}` : `${path}${refused ? ` (${refused})` : ''}`;
      requestLog({ at: clock.now(), method, what, status: ended, ms: path === undefined ? undefined : ms, program });
    })
  );
}

/** Prints failures on stderr, the same one again only after a while: a program may ask again and again. */
function printer(world: World, mounts: readonly Pick<ProxyMount, 'name' | 'server'>[]): ProxyOptions['failed'] {
  const printed = new Map<string, number>();
  return (mount, error, id) => {
    const server = mounts.find(({ name }) => name === mount)?.server;
    const failure = error instanceof Failure ? error : undefined;
    const key = `${mount} ${failure?.code}`;
    const now = world.clock.monotonic();
    if (now - (printed.get(key) ?? Number.NEGATIVE_INFINITY) < repeatedAfterMs) return;
    printed.set(key, now);
    const what = failure === undefined ? `A fault of this program: ${printable(String(error))}` : failure.message;
    world.tell(`${mount} ${id}: ${what}`);
    if (failure !== undefined) world.tell(`  ${remedyAt(failure, server)} [${failure.code}]`);
  };
}

/** Runs until it is asked to end, then until running requests have ended. */
async function untilEnd(world: World, args: Arguments, proxy: RunningProxy): Promise<CommandExit> {
  const { signal } = world;
  try {
    await unlessAborted(askedToEnd(world, args.untilStdinEnds), signal);
    await unlessAborted(proxy.close(args.grace * 1000), signal);
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    return 130;
  }
}

/** Resolves at SIGTERM or SIGHUP, or with `stdin` at its end. */
async function askedToEnd({ signals, signal, files }: World, stdin: boolean): Promise<void> {
  if (signal.aborted) return;
  let asked = () => {};
  const end = new Promise<void>((resolve) => {
    asked = resolve;
  });
  using _taken = signals.take((name) => {
    if (name !== 'SIGTERM' && name !== 'SIGHUP') return false;
    asked();
    return true;
  });
  signal.addEventListener('abort', asked, { once: true });
  if (stdin) readToEnd(files.stdin()).then(asked, asked);
  const keepsAlive = setInterval(() => undefined, 2 ** 30);
  try {
    await end;
  } finally {
    clearInterval(keepsAlive);
  }
}

async function readToEnd(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}
