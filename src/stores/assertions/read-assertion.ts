import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { exitCode, Failure, systemCode } from '../../core/failure.js';
import { holdSecret, Secret } from '../../core/secret.js';
import { isTokenText } from '../../core/text/characters.js';
import { shellWord } from '../../core/text/printable.js';
import { type AssertionSource, type Assertions, sourceInWords } from './source.js';

/** Of what a file, a variable or a program gives. */
const maxBytes = 64 * 1024;

/** Longest token, in characters, as for all others. */
const maxToken = 16 * 1024;

const commandLimitMs = 10_000;

/**
 * Reads a platform's tokens, anew each time, and keeps none of them.
 * @param world.env What programs that are started inherit: a variable with a token is taken out of it.
 */
export function createAssertions(world: { readonly env: Readonly<Record<string, string | undefined>> }): Assertions {
  const env = world.env as Record<string, string | undefined>;
  const taken = new Map<string, string>();
  const take = (name: string) => {
    const value = env[name];
    delete env[name];
    if (value === undefined || value === '') return;
    taken.set(name, value);
    holdSecret(value.trim());
  };
  return {
    prepare: (source) => {
      if (source.from === 'variable') take(source.name);
    },
    read: async (source, signal) => {
      if (source.from === 'variable') take(source.name);
      const text =
        source.from === 'variable'
          ? (taken.get(source.name) ?? '')
          : source.from === 'file'
            ? await fileText(source)
            : await commandText(source, env, signal);
      return tokenIn(source, text);
    },
  };
}

function unreadable(source: AssertionSource, why: string): Error {
  return assertionUnreadable(sourceInWords(source), why, remedyOf(source));
}

function remedyOf(source: AssertionSource): string {
  if (source.from === 'file') {
    return `Look at it: ls -lL ${shellWord(source.path)}. How platforms write one: postern help machines`;
  }
  if (source.from === 'variable') {
    return 'Set it, in the environment of this very command, to a token that the platform has just issued. How to get one: postern help machines';
  }
  return 'Run that command by hand: it has to print one token, within 10 seconds, and to end with exit code 0.';
}

/** Nothing is waited for: a pipe, a device or a folder is no file with a token. Links are followed: Kubernetes has them. */
async function fileText(source: Extract<AssertionSource, { from: 'file' }>): Promise<string> {
  let file: FileHandle;
  try {
    file = await open(source.path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw unreadable(source, fileTroubles[systemCode(error)] ?? `opening it failed (${systemCode(error)})`);
  }
  try {
    if (!(await file.stat()).isFile()) throw unreadable(source, 'it is no regular file');
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, null);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) break;
    }
    if (length > maxBytes) throw unreadable(source, tooLong);
    return buffer.toString('utf8', 0, length);
  } finally {
    await file.close();
  }
}

const fileTroubles: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  EACCES: 'you may not read it',
  EISDIR: 'it is no regular file',
  ENXIO: 'it is no regular file',
};

const tooLong = `it is longer than ${maxBytes / 1024} KiB`;

/** What it says on stderr is not read: secrets may be in it. */
async function commandText(
  source: Extract<AssertionSource, { from: 'command' }>,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string> {
  const { runProgram } = await import('../run-program.js');
  const end = await runProgram({
    command: source.words,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !/^POSTERN_/i.test(name))),
    folder: '/',
    input: 'closed',
    output: ['stdout'],
    maxLength: maxBytes,
    limitMs: commandLimitMs,
    signal,
  });
  switch (end.kind) {
    case 'ended':
      if (end.code === 0) return end.stdout;
      throw unreadable(source, `it ended with ${end.code === null ? end.killedBy : `exit code ${end.code}`}`);
    case 'timeout':
      throw unreadable(source, `it had not ended after ${commandLimitMs / 1000} s, and was killed`);
    case 'too_much':
      throw unreadable(source, `what it prints is longer than ${maxBytes / 1024} KiB`);
    case 'not_started':
      throw unreadable(source, `it could not be started (${end.error.code ?? end.error.name})`);
  }
}

/** The one token of a text: a byte order mark before it and the end of its line are no part of it. */
function tokenIn(source: AssertionSource, text: string): Secret {
  const token = text.replace(/^\ufeff/, '').trim();
  holdSecret(token);
  if (token === '') throw unreadable(source, source.from === 'variable' ? 'it is not set, or empty' : 'it is empty');
  if (text.length > maxBytes) throw unreadable(source, tooLong);
  if (/[\r\n]/.test(token)) throw unreadable(source, 'there is more than one line');
  if (/[\0\ufffd]/.test(token)) throw unreadable(source, 'it is no text in UTF-8');
  if (token.length > maxToken) throw unreadable(source, `its token is longer than ${maxToken} characters`);
  if (!isTokenText(token)) throw unreadable(source, 'what is there is not one token');
  return new Secret(token);
}

/**
 * A platform's token cannot be had where it should be.
 * @param source In words. @param why Ends a sentence, and quotes nothing of what is there.
 */
function assertionUnreadable(source: string, why: string, remedy: string): Failure {
  const message = `The platform’s token cannot be read from ${source}: ${why}. Nothing was sent.`;
  return new Failure({ code: 'assertion_unreadable', exit: exitCode.loginNeeded, message, remedy });
}
