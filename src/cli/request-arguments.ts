import { argumentRefused } from '../errors/usage.js';
import type { ProtectedRequest } from '../flows/request/authorized-sender.js';
import type { Files } from '../ports.js';
import { isFieldName, isHeaderValue } from '../primitives/characters.js';
import { readWhole } from './read-whole.js';

/** A body up to this size is held, so that it can be sent again after a refresh; a larger one is streamed. */
const largestHeldBody = 1024 * 1024;

/** Headers that are ours to write: the token, the framing, the host. */
const ownHeaders = new Set([
  'authorization',
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'proxy-authorization',
  'proxy-connection',
]);

export interface RequestWords {
  readonly request: string | undefined;
  readonly header: readonly string[];
  readonly data: readonly string[];
}

/**
 * Method, headers and body from curl's words: `-d` posts, several are joined with `&`, `@FILE` and `@-` are streamed
 * when they stand alone and are larger than 1 MiB.
 * @throws Failure `usage`, `file_unreadable`
 */
export async function readRequest(
  files: Files,
  words: RequestWords,
): Promise<Pick<ProtectedRequest, 'method' | 'headers' | 'body'>> {
  const method = words.request ?? (words.data.length === 0 ? 'GET' : 'POST');
  if (!isFieldName(method)) {
    throw argumentRefused('--request', 'a method is one word of letters');
  }
  const given = words.header.map(readHeader);
  const hasType = given.some(([name]) => name.toLowerCase() === 'content-type');
  const type =
    words.data.length === 0 || hasType
      ? []
      : ([['content-type', 'application/x-www-form-urlencoded']] as const);
  const body = await readBody(files, words.data);
  return { method, headers: [...type, ...given], ...(body === undefined ? {} : { body }) };
}

function readHeader(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon);
  const value = line.slice(colon + 1).trim();
  if (colon < 1 || !isFieldName(name) || !isHeaderValue(value)) {
    throw argumentRefused('--header', 'a header is “Name: value”, printable and on one line');
  }
  if (ownHeaders.has(name.toLowerCase())) {
    throw argumentRefused('--header', `${name} is written by this program`);
  }
  return [name, value];
}

type Body = string | Uint8Array | AsyncIterable<Uint8Array>;

async function readBody(files: Files, data: readonly string[]): Promise<Body | undefined> {
  const [only, ...others] = data;
  if (only === undefined) {
    return undefined;
  }
  if (others.length === 0 && only.startsWith('@')) {
    return heldOrStreamed(open(files, only));
  }
  const parts = await Promise.all(
    data.map(async (word) =>
      word.startsWith('@')
        ? new TextDecoder().decode(await readWhole(open(files, word), word.slice(1), largestHeldBody))
        : word,
    ),
  );
  return parts.join('&');
}

function open(files: Files, word: string): AsyncIterable<Uint8Array> {
  return word === '@-' ? files.stdin() : files.read(word.slice(1));
}

/** All of it when it is small; else what was read, followed by the rest as it comes. */
async function heldOrStreamed(chunks: AsyncIterable<Uint8Array>): Promise<Body> {
  const iterator = chunks[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let size = 0;
  while (size <= largestHeldBody) {
    const next = await iterator.next();
    if (next.done === true) {
      return Buffer.concat(held);
    }
    held.push(next.value);
    size += next.value.byteLength;
  }
  return (async function* () {
    yield* held;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
}
