import { isAbsolute, resolve } from 'node:path';
import type { AssertionRecord } from '../../core/records.js';
import type { Secret } from '../../core/secret.js';
import { asObject, type JsonValue } from '../../core/text/json.js';
import { quoted } from '../../core/text/printable.js';

/** Where a platform leaves a client's token, or what prints it. */
export type AssertionSource =
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'variable'; readonly name: string }
  /** The program's absolute path and its arguments. */
  | { readonly from: 'command'; readonly words: readonly string[] };

/** A platform's signed tokens for a client (RFC 7523): read anew each time, and kept nowhere. */
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
export function fileSource(path: string): AssertionSource {
  return { from: 'file', path: resolve(path) };
}

const maxWords = 64;

const maxCommandLength = 8192;

/** What only a shell would understand. */
const shellText = /["'`$|;<>\n]|(?:^| )&/;

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

/** Is it what a stored item may hold? */
export function isKeptAssertion(value: JsonValue | undefined): boolean {
  const { source, audience, use } = asObject(value) ?? {};
  const isUse = use === 'client' || use === 'grant';
  return isUse && typeof audience === 'string' && audience !== '' && isSource(asObject(source) ?? {});
}

function isSource({ from, path, name, words }: Readonly<Record<string, JsonValue>>): boolean {
  if (from === 'file') return typeof path === 'string' && isAbsolute(path);
  if (from === 'variable') return typeof name === 'string' && isVariableName(name);
  if (from !== 'command' || !Array.isArray(words)) return false;
  const texts = words.filter((word) => typeof word === 'string');
  return texts.length === words.length && isCommand(texts);
}

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
