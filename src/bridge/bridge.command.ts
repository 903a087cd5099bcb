import type { Command, CommandContext } from '../app/context.js';
import type { CommandTable } from '../core/command.js';
import { defaultAccount } from '../core/records.js';
import { canonicalResource } from '../core/resource.js';
import { printable } from '../core/text/printable.js';
import { login } from '../login/log-in.js';
import { loginDefaults, whyNoBrowser } from '../login/login-options.js';
import { loginTogether } from '../login/one-login-at-a-time.js';
import { memoryOption } from '../stores/memory-store.js';
import { findLoginOrServer, readLoginTarget } from '../tokens/find-login.js';
import { pinOption } from '../tokens/login-pin.js';
import { documentOf } from '../tokens/registrations.js';
import { bridge } from './bridge.js';
import type { BridgeLogin } from './wait-for-person.js';

export const bridgeTable = {
  name: 'bridge',
  summary: 'stdio here, Streamable HTTP there: for programs that start a command',
  positionals: [{ name: 'server', describe: 'the server’s URL, or the name of a login', required: true }],
  options: [
    memoryOption,
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
    pinOption,
    {
      name: 'login-wait',
      kind: 'number',
      min: 1,
      max: 3_600,
      default: 120,
      value: 'SECONDS',
      describe: 'how long a request waits for a person who is to log in',
    },
    {
      name: 'answer-timeout',
      kind: 'number',
      min: 1,
      max: 86_400,
      default: 900,
      value: 'SECONDS',
      describe: 'how long the server may take to begin an answer',
    },
  ],
  examples: [
    { command: 'postern bridge work', describe: 'as the command of a server in another program' },
    {
      command: 'postern bridge https://example.com/mcp --non-interactive',
      describe: 'never opens a browser',
    },
  ],
  notes: [
    'stdin and stdout carry the protocol, one JSON-RPC message a line, and nothing else; stderr is for people.',
    'Where there is a browser it is opened when a login is missing, once for all bridges of a server, and not again within ten minutes: 3 tabs an hour at most until a token has worked, 10 in all. A login whose first token the server refuses is not repeated by itself. Else requests are answered with error -32011 and the command to run, and the login is used as soon as it is there.',
    'Limits: 32 MiB for a message (postern config shows how to change it), 64 requests at the same time, 1,000 waiting; a stream that brings twice as many bytes as a message may have, and no message, is broken off.',
  ],
} as const satisfies CommandTable;

export const command: Command<typeof bridgeTable> = {
  table: bridgeTable,
  async run(context, args) {
    const { ports, signal, files } = context;
    const wanted = { server: args.server, account: args.account, pin: args.pin };
    const named = canonicalResource(args.server);
    const find = async () => {
      const found = await findLoginOrServer(ports, wanted);
      const login = found.key === undefined ? undefined : found;
      const server = named.ok ? named.value : found.server;
      const account = login?.account ?? args.account;
      return { wanted, server, login, ask: bridgeLogin(context, { server, account }) };
    };
    if (files.stdinIsTerminal) {
      await find(); // a person who tries it out is told at once
      context.tell('postern: this speaks a protocol on stdin and stdout; it is for other programs to start.');
    }
    await using wire = await context.openWire();
    await bridge(ports, {
      find,
      waitMs: args.loginWait * 1000,
      answerMs: args.answerTimeout * 1000,
      wire,
      host: context.host(),
      tell: (line) => context.tell(`postern: ${printable(line, 2048)}`),
      signal,
    });
    return 0;
  },
};

/**
 * How a program that runs beside others (bridge) gets a person to log in: in the browser, where there is one, together
 * with all others that want the same. stdin is not the person's: nothing is asked there. Undefined where nobody can be
 * reached.
 */
export function bridgeLogin(
  context: CommandContext,
  wanted: { readonly server: string; readonly account: string | undefined },
): BridgeLogin | undefined {
  if (whyNoBrowser(context) !== undefined) return undefined;
  return async (held, scopes, begin) => {
    const ports = { ...context.ports, terminal: { ...context.ports.terminal, interactive: false } };
    const defaults = await loginDefaults(context, {
      login: held ?? wanted,
      browser: true,
      noBrowser: false,
      of: 'other',
    });
    const target =
      held === undefined
        ? {
            ...(await readLoginTarget(ports, wanted.server, wanted.account ?? defaultAccount)),
            name: undefined,
          }
        : { server: held.server, account: held.account, name: held.name, store: held.store };
    return loginTogether(
      ports,
      {
        ...defaults,
        ...target,
        caller: context.callerName,
        scopes: scopes.length === 0 ? undefined : scopes,
        heldScopes: held?.scopes ?? [],
        metadataUrl: documentOf(defaults.metadataUrl, held),
        issuer: undefined,
        registration: undefined,
        seen: held,
      },
      async (world, own) => {
        await begin();
        return login(world, own);
      },
    );
  };
}
