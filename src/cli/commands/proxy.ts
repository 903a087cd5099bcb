import { Failure } from '../../errors/failure.js';
import { usageWrong } from '../../errors/usage.js';
import { MountLogin } from '../../flows/proxy/mount-login.js';
import type { Relogin } from '../../flows/request/authorized-sender.js';
import type { ProxyOptions, RunningProxy } from '../../ports/proxy.js';
import { printable } from '../../primitives/printable.js';
import type { LoginRecord } from '../../primitives/records.js';
import type { Command, CommandContext, CommandExit } from '../command.js';
import { type BrowserOptions, findOrMakeLogin, reloginFor, whyNoBrowser } from '../login-request.js';
import { mountNames } from '../mount-names.js';
import type { ArgumentsOf } from '../table.js';
import { waitForEnd } from '../wait-for-end.js';
import { proxyJson, proxyLines } from '../words/proxy-words.js';
import { proxyTable } from './proxy.table.js';

type Arguments = ArgumentsOf<typeof proxyTable>;

/** The same failure of the same server is told again after this long. */
const repeatedAfterMs = 10_000;

export const command: Command<typeof proxyTable> = {
  table: proxyTable,
  async run(context, args) {
    if (args.socket !== undefined && args.port !== undefined) {
      throw usageWrong('--socket and --port exclude each other.', 'postern proxy --help');
    }
    const mounts = await mountAll(context, args);
    await using proxy = await context.proxies.open(optionsOf(context, args, mounts));
    await say(context, args, proxy, mounts);
    return await untilEnd(context, args, proxy);
  },
};

async function mountAll(context: CommandContext, args: Arguments): Promise<readonly MountLogin[]> {
  const { ports, signal } = context;
  const { browser, noBrowser } = args;
  const logins: LoginRecord[] = [];
  for (const server of args.server) {
    logins.push(await findOrMakeLogin(context, { server, account: args.account, browser, noBrowser }));
  }
  const relogin = proxyRelogin(context, { browser, noBrowser });
  const names = mountNames(logins);
  return logins.map((login, at) => new MountLogin(ports, { name: names[at] ?? '', login, relogin, signal }));
}

/** Requests come from programs: whatever they cause, no person has typed it. */
function proxyRelogin(context: CommandContext, how: BrowserOptions): Relogin | undefined {
  const { terminal } = context.ports;
  const mayAsk = how.browser || how.noBrowser || terminal.interactive || whyNoBrowser(context) === undefined;
  return mayAsk ? reloginFor(context, { ...how, login: true, caller: context.callerName }) : undefined;
}

function optionsOf(context: CommandContext, args: Arguments, mounts: readonly MountLogin[]): ProxyOptions {
  return {
    mounts,
    listen: args.socket === undefined ? { port: args.port ?? 0 } : { socket: args.socket },
    key: !args.noKey && args.socket === undefined,
    limits: {
      headMs: args.timeout * 1000,
      silenceMs: args.silence === undefined ? null : args.silence * 1000,
    },
    failed: teller(context),
  };
}

/** Tells of failures on stderr, the same one again only after a while: a program may ask again and again. */
function teller(context: CommandContext): ProxyOptions['failed'] {
  const told = new Map<string, number>();
  return (mount, error, id) => {
    const failure = error instanceof Failure ? error : undefined;
    const key = `${mount} ${failure?.code}`;
    const now = context.ports.clock.monotonic();
    if (now - (told.get(key) ?? Number.NEGATIVE_INFINITY) < repeatedAfterMs) return;
    told.set(key, now);
    const what =
      failure === undefined ? `A fault of this program: ${printable(String(error))}` : failure.message;
    context.tell(`${mount} ${id}: ${what}`);
    if (failure !== undefined) context.tell(`  ${failure.remedy} [${failure.code}]`);
  };
}

async function say(
  context: CommandContext,
  args: Arguments,
  proxy: RunningProxy,
  mounts: readonly MountLogin[],
): Promise<void> {
  if (args.noKey && args.socket === undefined) {
    context.ports.terminal.tell(
      'postern: --no-key: every user and every program of this machine can use these logins while this runs.',
    );
  }
  const shown = { proxy, mounts, socket: args.socket };
  const result = context.options.json ? proxyJson(shown) : proxyLines(shown);
  await context.out.write(result);
  if (args.readyFd !== undefined) await context.files.tellReady(args.readyFd, result);
  for (const { name, server } of mounts) context.tell(`${name}  ${printable(server)}`);
  context.tell('Ctrl-C ends it.');
}

async function untilEnd(context: CommandContext, args: Arguments, proxy: RunningProxy): Promise<CommandExit> {
  const end = await waitForEnd(context, { stdin: args.untilStdinEnds });
  if (end === 'interrupted') return 130;
  const { signal } = context;
  await Promise.race([proxy.close(args.grace * 1000), aborted(signal)]);
  return signal.aborted ? 130 : 0;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
