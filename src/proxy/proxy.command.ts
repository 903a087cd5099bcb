import type { ArgumentsOf, Command, CommandExit, CommandOutput, CommandTable } from '../core/command.js';
import { Failure } from '../core/failure.js';
import { withDoctor } from '../core/login-command.js';
import type { CorePorts, Files, Logins, RequestLog, Signals } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { inColumnsOrBelow } from '../core/text/layout.js';
import { asciiJson, printable } from '../core/text/printable.js';
import { unlessAborted } from '../core/time.js';
import { idleRulePrinter } from '../mcp/lending/idle-rules.js';
import { hasToolRules, ToolPolicy, toolNote, toolOptions } from '../mcp/lending/tool-policy.js';
import { memoryOption } from '../stores/memory-store.js';
import { clientLoginOptions, isClientLogin } from '../stores/own-login.js';
import { Authorizer } from '../tokens/authorizer.js';
import { personOf } from '../tokens/step-up.js';
import { type AuthorizerPorts, TokenInUse } from '../tokens/token-in-use.js';
import { localKeyHeader } from './forwarded-headers.js';
import type { OpenProxy, ProxyMount, ProxyOptions, RunningProxy } from './ports.js';

export const proxyTable = {
  name: 'proxy',
  environmentToken: true,
  group: 'programs',
  summary: 'a local URL whose requests get the token',
  positionals: [
    {
      name: 'server',
      describe: 'servers’ URLs, or names of logins; each is mounted at an address of its own',
      required: true,
      many: true,
    },
  ],
  options: [
    memoryOption,
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for these servers' },
    {
      name: 'port',
      kind: 'number',
      min: 1024,
      max: 65_535,
      value: 'PORT',
      describe: 'of 127.0.0.1, the only address that is listened on',
      fallback: 'any free one',
    },
    {
      name: 'socket',
      kind: 'string',
      value: 'PATH',
      describe: 'a Unix socket instead, for its owner alone (0600), in a folder that others cannot write to; no key',
      excludes: ['port'],
    },
    {
      name: 'no-key',
      kind: 'boolean',
      describe: 'leave the key out of the address: then every user and program of this machine can use the login',
    },
    {
      name: 'browser',
      kind: 'boolean',
      describe: 'open the browser although CI is set, or --non-interactive was given',
      excludes: ['no-browser'],
    },
    { name: 'no-browser', kind: 'boolean', describe: 'where a login is needed, print its address instead' },
    {
      name: 'timeout',
      kind: 'number',
      min: 1,
      max: 86_400,
      default: 600,
      value: 'SECONDS',
      describe: 'for the head of an answer',
    },
    {
      name: 'silence',
      kind: 'number',
      min: 1,
      max: 86_400,
      value: 'SECONDS',
      describe: 'longest time between two pieces of an answer',
      fallback: 'none, for event streams',
    },
    {
      name: 'grace',
      kind: 'number',
      min: 0,
      max: 3_600,
      default: 10,
      value: 'SECONDS',
      describe: 'on SIGTERM, for requests that run; event streams end at once',
    },
    {
      name: 'ready-fd',
      kind: 'number',
      min: 3,
      max: 1_023,
      value: 'N',
      describe: 'write there what stdout gets, once it listens, and close it',
    },
    ...toolOptions,
    { name: 'until-stdin-ends', kind: 'boolean', describe: 'end when stdin does, as when its parent ends' },
    ...clientLoginOptions,
  ],
  examples: [
    { command: 'postern proxy work', describe: 'prints an address that any program can be given' },
    { command: 'postern proxy work home --port 8123 --json', describe: 'two servers, for a program to read' },
  ],
  notes: [
    'Prints http://127.0.0.1:PORT/KEY/NAME on stdout, with several servers NAME and the address, a line each. The key is new at each start; who has the address can use the login. The key may also be sent as the header Postern-Key, with the path /NAME.',
    'The caller’s Authorization, Cookie, forwarding and hop-by-hop headers are taken out; so are Set-Cookie and WWW-Authenticate of the server. A 401 is answered by one refresh and one retry, where the body could be kept (1 MiB). Requests from web pages are refused, and so are methods other than GET, HEAD, POST, PUT, DELETE, OPTIONS and PATCH (405). Redirects are never followed: within the server’s address Location is rewritten, others are an error (502). So is the address for messages that a server of the older transport (HTTP+SSE) names: it leads here, or, when it is not on the server’s own origin, the stream is broken off.',
    'When a login is needed, the browser opens where there is a display, and requests wait for it (15 minutes at a terminal, else 5, or POSTERN_TIMEOUT): 3 tabs an hour at most until a token has worked, 10 in all, and not again for a login whose first token the server refuses. In CI, and with --non-interactive, requests get 503 until somebody has logged in.',
    `${toolNote} Then nothing passes but the server’s own address, JSON messages of 8 MiB at most (256 MiB of all together), and answers that can be read; a server of the older transport gets no call of a tool that --read-only does not know yet.`,
    'Limits: 256 connections, 512 requests at a time, 16 KiB and 200 lines of headers, 8192 characters of target; a caller may keep silent for 10 s in the headers, 60 s in a body, 300 s with an answer unread. Bodies and event streams have no limit. Ctrl-C ends it at once; SIGTERM lets running requests end (exit 0).',
  ],
  seeAlso: ['hosts', 'security'],
} as const satisfies CommandTable;

interface World extends AuthorizerPorts, CommandOutput, Pick<CorePorts, 'terminal'> {
  readonly files: Files;
  readonly logins: () => Promise<Logins>;
  readonly openProxy: OpenProxy;
  readonly signals: Signals;
  readonly requestLog: RequestLog | undefined;
}

type Arguments = ArgumentsOf<typeof proxyTable>;

/** The same failure of the same server is printed again after this long. */
const repeatedAfterMs = 10_000;

export const command: Command<typeof proxyTable, World> = {
  table: proxyTable,
  async run(world, args) {
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
function printer(world: World, mounts: readonly ProxyMount[]): ProxyOptions['failed'] {
  const printed = new Map<string, number>();
  return (mount, error, id) => {
    const server = mounts.find(({ name }) => name === mount)?.server;
    const failure = error instanceof Failure ? (server === undefined ? error : withDoctor(error, server)) : undefined;
    const key = `${mount} ${failure?.code}`;
    const now = world.clock.monotonic();
    if (now - (printed.get(key) ?? Number.NEGATIVE_INFINITY) < repeatedAfterMs) return;
    printed.set(key, now);
    const what = failure === undefined ? `A fault of this program: ${printable(String(error))}` : failure.message;
    world.tell(`${mount} ${id}: ${what}`);
    if (failure !== undefined) world.tell(`  ${failure.remedy} [${failure.code}]`);
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
  inColumnsOrBelow(world.tellLook, rows).flat().forEach(world.tell);
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
