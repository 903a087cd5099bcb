import type { CommandOutput } from '../core/command.js';
import type { OwnProgram } from '../core/ports.js';
import { posixWord, printable } from '../core/text/printable.js';
import { batchFile, batchText } from '../core/text/system.js';
import { authorityVariables, proxyVariables } from '../http/proxy-settings.js';
import type { StorePorts } from '../stores/ports.js';
import { addressSecret } from '../tokens/failures.js';
import { findLogin, type LoginWords, loginWords } from '../tokens/find-login.js';
import { wordsWrong } from './failures.js';
import type { CredentialArguments } from './formats/call.js';
import { readVariables } from './formats/environment.js';
import { readCall } from './read-call.js';

export interface ShimWorld extends Pick<StorePorts, 'index'>, Pick<CommandOutput, 'tell'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** This program, as others are to start it. @throws Failure `path_refused` */
  readonly self: () => OwnProgram;
}

/** The second line of every shim: a file with it may be replaced. */
const shimMark = 'Written by postern credential --shim; it may be replaced by it.';

/**
 * The command line that a shim stands for, the caller's own words left out.
 * @param named The login; undefined where the caller says the server.
 */
function shimWords(args: CredentialArguments, named: LoginWords | undefined): readonly string[] {
  const { format, account, minTtl, shell, timeout } = args;
  return [
    'credential',
    format,
    ...(named === undefined ? [] : [named.server, ...named.options]),
    ...(named === undefined && account !== undefined ? ['--account', account] : []),
    ...(minTtl === undefined ? [] : ['--min-ttl', String(minTtl)]),
    ...(timeout === 8 ? [] : ['--timeout', String(timeout)]),
    ...(format === 'env' ? ['--shell', shell] : []),
    ...args.var.flatMap((one) => ['--var', one]),
    ...(args.wholeHost ? ['--whole-host'] : []),
  ];
}

/**
 * The text of a shim: it needs no PATH, no folder and no environment.
 * @param variables What has to be set for the program to find this person's logins.
 */
export function shimText(
  { platform, homedir }: Pick<OwnProgram, 'platform' | 'homedir'>,
  program: readonly string[],
  variables: Readonly<Record<string, string>>,
  words: readonly string[],
): string {
  const command = [...program, ...words];
  if (platform === 'win32') {
    const sets = Object.entries(variables).map(([name, value]) => `@set "${name}=${batchText(value, homedir)}"`);
    const line = command.map((word) => `"${batchText(word, homedir)}"`).join(' ');
    return batchFile(['@echo off', `@rem ${shimMark}`, '@setlocal DisableDelayedExpansion', ...sets, `@${line} %*`]);
  }
  const sets = Object.entries(variables).map(([name, value]) => `export ${name}=${posixWord(value)}`);
  return ['#!/bin/sh', `# ${shimMark}`, ...sets, `exec ${command.map(posixWord).join(' ')} "$@"`, ''].join('\n');
}

/**
 * The login in words that name it for good: a file outlasts the login's name.
 * @throws Failure `login_needed`, `login_ambiguous`, `login_changed`, `address_secret`
 */
async function lastingWords(
  ports: Pick<StorePorts, 'index'>,
  server: string,
  { account, pin }: CredentialArguments,
): Promise<LoginWords> {
  const login = await findLogin(ports, { server, account, pin });
  const { logins } = await ports.index.read();
  const hasOthers = logins.some((other) => other.server === login.server && other.key !== login.key);
  const [best] = await loginWords(login, hasOthers);
  if (best === undefined) throw addressSecret(login.server);
  return best;
}

/**
 * Writes a script that calls `credential` with this format and server, and with the caller's words.
 * @throws Failure `shim_refused` where the file is somebody else's, `login_needed`, `usage_wrong`
 */
export async function writeShim(world: ShimWorld, args: CredentialArguments, path: string): Promise<void> {
  const { format } = args;
  if (args.words.length > 1) throw wordsWrong(format, 'takes the server and no further word with --shim');
  if (format === 'env') readVariables(args.var);
  const [server] = args.words;
  const named = server === undefined ? undefined : await lastingWords(world, server, args);
  if (server === undefined && ['header', 'token', 'curl', 'env'].includes(format)) {
    readCall(args, { env: {}, input: new Uint8Array() }); // says that it needs a server
  }
  const self = world.self();
  const variables = { ...self.variables, ...authorityVariables(world.env) };
  const text = shimText(self, self.program, variables, shimWords(args, named));
  const written = await self.writeShim(path, text, shimMark);
  world.tell(`Written: ${printable(written, 400)}`);
  if (proxyVariables(world.env).kind !== 'none') {
    world.tell('Note: HTTPS_PROXY is set in this shell and not in that file; whoever runs it has to pass it on.');
  }
}
