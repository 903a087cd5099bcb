import { wordsWrong } from '../../errors/credential.js';
import type { LoginWords } from '../../flows/login-pin.js';
import type { CredentialFormat } from '../../primitives/credential-format.js';
import { shellWord } from '../../primitives/quoting.js';
import type { CredentialArguments } from './call.js';

/** The second line of every shim: what makes a file ours to replace. */
export const shimMark = 'Written by postern credential --shim; it may be replaced by it.';

/** @throws Failure `usage_wrong` */
export function refuseMore(format: CredentialFormat, { words }: CredentialArguments): void {
  if (words.length > 1) {
    throw wordsWrong(format, 'takes the server and no further word with --shim');
  }
}

/**
 * The command line that a shim stands for, the caller's own words left out.
 * @param named The login; undefined where the caller says the server.
 */
export function shimWords(
  format: CredentialFormat,
  args: CredentialArguments,
  named: LoginWords | undefined,
): readonly string[] {
  const { account, minTtl, shell, timeout } = args;
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
  platform: string,
  program: readonly [node: string, script: string],
  variables: Readonly<Record<string, string>>,
  words: readonly string[],
): string {
  const command = [...program, ...words];
  if (platform === 'win32') {
    const sets = Object.entries(variables).map(([name, value]) => `@set "${name}=${forBatch(value)}"`);
    const line = command.map((word) => `"${forBatch(word)}"`).join(' ');
    return [
      '@echo off',
      `@rem ${shimMark}`,
      '@setlocal DisableDelayedExpansion',
      ...sets,
      `@${line} %*`,
      '',
    ].join('\r\n');
  }
  const sets = Object.entries(variables).map(([name, value]) => `export ${name}=${shellWord(value)}`);
  return ['#!/bin/sh', `# ${shimMark}`, ...sets, `exec ${command.map(shellWord).join(' ')} "$@"`, ''].join(
    '\n',
  );
}

/** cmd.exe looks for variables in quotes, too. */
function forBatch(word: string): string {
  return word.replaceAll('%', '%%');
}
