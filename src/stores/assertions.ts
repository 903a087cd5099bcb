import { isAbsolute, resolve } from 'node:path';
import { exitCode, Failure } from '../core/failure.js';
import type { AssertionRecord } from '../core/records.js';
import { holdSecret, Secret } from '../core/secret.js';
import { isTokenText } from '../core/text/characters.js';
import { asObject } from '../core/text/json.js';
import { quoted, shellWord } from '../core/text/printable.js';
import { type Check, isText, isTexts, objectOf, oneOf } from './checks.js';
import { readPlainFile } from './key-file.js';

/** Where a platform leaves a client's token, or what prints it. */
export type AssertionSource =
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'variable'; readonly name: string }
  /** The program's absolute path and its arguments. */
  | { readonly from: 'command'; readonly words: readonly string[] };

/** A platform's signed tokens for a client (RFC 7523): read each time they are needed, never stored. */
export interface Assertions {
  /** From now on nothing that is started inherits the token. */
  prepare(source: AssertionSource): void;
  /** @throws Failure `assertion_unreadable`, or the signal's reason */
  read(source: AssertionSource, signal: AbortSignal): Promise<Secret>;
}

/** What a login by a platform's token keeps of it: never the token itself. */
export interface KeptAssertion {
  readonly source: AssertionSource;
  /** What its `aud` has to be, character for character. */
  readonly audience: string;
  /** `client`: the client authenticates with it (RFC 7523 section 2.2); `grant`: it is exchanged (section 2.1). */
  readonly use: 'client' | 'grant';
}

/** A relative path is one of the working folder now: a later run has another one. */
export function absolutePath(path: string): string {
  return resolve(path);
}

const maxWords = 64;

const maxCommandLength = 8192;

/** What only a shell would understand; the first three are quotes. */
const shellText = /[\x22\x27\x60$|;<>\n]|(?:^| )&/;

export type ReadCommand =
  | { readonly ok: true; readonly words: readonly string[] }
  /** Ends a sentence about the text. */
  | { readonly ok: false; readonly why: string };

/** A program with its arguments: a JSON list of texts, or words with spaces between them, which no shell reads. Total. */
export function readCommand(text: string): ReadCommand {
  const refuse = (why: string) => ({ ok: false, why }) as const;
  if (text.length > maxCommandLength) return refuse(`it is longer than ${maxCommandLength} characters`);
  const isList = text.trimStart().startsWith('[');
  if (!isList && shellText.test(text)) {
    return refuse(
      'no shell reads it, so quotes and the like mean nothing; give a JSON list: ["/path/to/program", "an argument"]',
    );
  }
  const words = isList ? listed(text) : text.split(' ').filter((word) => word !== '');
  if (words === undefined) return refuse('it is no JSON list of texts');
  if (!isCommand(words)) return refuse('it has to begin with the absolute path of a program');
  return { ok: true, words };
}

function listed(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((word) => typeof word === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCommand(words: readonly string[]): boolean {
  const [program = ''] = words;
  return isAbsolute(program) && words.length <= maxWords && words.every((word) => !word.includes('\0'));
}

const isSource: Check = (value) => {
  const { from, path, name, words } = asObject(value ?? null) ?? {};
  if (from === 'file') return typeof path === 'string' && isAbsolute(path);
  if (from === 'variable') return typeof name === 'string' && isVariableName(name);
  return from === 'command' && isTexts(words) && isCommand(words as readonly string[]);
};

/** Is it what a stored item may hold? */
export const isKeptAssertion = objectOf({
  source: isSource,
  audience: (audience) => isText(audience) && audience !== '',
  use: oneOf('client', 'grant'),
});

/** What the index tells of it: of a command the program alone. */
export function recordOfAssertion({ source, use }: KeptAssertion): AssertionRecord {
  const { from } = source;
  const name = from === 'file' ? source.path : from === 'variable' ? source.name : (source.words[0] ?? '');
  return { from, name, use };
}

export function isVariableName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(text);
}

/** The source for a person; of a command the program alone: an argument may be a secret. */
export function sourceInWords(source: AssertionSource): string {
  if (source.from === 'file') return `the file ${quoted(source.path, 200)}`;
  if (source.from === 'variable') return `the variable ${quoted(source.name, 80)}`;
  return `the command ${quoted(source.words[0] ?? '', 200)}`;
}

/** Of what a file, a variable or a program gives. */
const maxBytes = 64 * 1024;

/** Longest token, in characters, as for all others. */
const maxToken = 16 * 1024;

const commandLimitMs = 10_000;

/**
 * Reads a platform's tokens each time they are needed, and stores none of them.
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
            ? fileText(source)
            : await commandText(source, env, signal);
      return tokenIn(source, text);
    },
  };
}

/** @param why Ends a sentence, and quotes nothing of what is there. */
function unreadable(source: AssertionSource, why: string): Failure {
  const message = `The platform’s token cannot be read from ${sourceInWords(source)}: ${why}. Nothing was sent.`;
  const remedy = remedyOf(source);
  return new Failure({ code: 'assertion_unreadable', exit: exitCode.loginNeeded, message, remedy });
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

const tooLong = `it is larger than ${maxBytes} bytes`;

function fileText(source: Extract<AssertionSource, { from: 'file' }>): string {
  const file = readPlainFile(source.path, maxBytes);
  if (!file.ok) throw unreadable(source, file.why);
  return file.bytes.toString();
}

/** What it says on stderr is not read: secrets may be in it. */
async function commandText(
  source: Extract<AssertionSource, { from: 'command' }>,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string> {
  const { runProgram } = await import('./run-program.js');
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
      throw unreadable(source, `what it prints is larger than ${maxBytes} bytes`);
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
