import type { ArgumentsOf, Command, CommandOutput } from '../core/command.js';
import { argumentRefused } from '../core/failures.js';
import { readWhole } from '../core/files.js';
import type { Files, Logins } from '../core/ports.js';
import { canonicalResource } from '../core/resource.js';
import { isFieldName, isHeaderValue, mediaTypeIs } from '../core/text/characters.js';
import { Deadline } from '../core/time.js';
import type { HttpResponse } from '../http/request.js';
import { withOwnLogin } from '../stores/own-login.js';
import { findLogin, noLogin } from '../tokens/find-login.js';
import { readWords } from '../tokens/server-words.js';
import type { AuthorizerPorts } from '../tokens/token-in-use.js';
import { requestTable } from './call.options.js';
import { requestFailed, requestTimedOut, requestUrlNeeded } from './failures.js';
import { serverText } from './render.js';
import { createTransport, type ProtectedRequest } from './transport.js';

type Arguments = ArgumentsOf<typeof requestTable>;

/** Limit for the head of a response. Its body may take as long as `--timeout` allows. */
const headersMs = 60_000;

const longestTimeoutSeconds = 86_400;

interface World extends AuthorizerPorts, CommandOutput {
  readonly files: Files;
  readonly logins: () => Promise<Logins>;
}

export const command: Command<typeof requestTable, World> = {
  table: requestTable,
  async run(world, given) {
    const args = withOwnLogin(given);
    // Before a login, which wrong arguments should not begin.
    const wanted = await readRequest(world.files, args);
    await world.givenHeaders();
    const logins = await world.logins();
    const target = { server: args.url, account: args.account };
    await refuseName(world, args.url);
    const login = given.clientCredentials
      ? await logins.asClient({ ...given, ...target })
      : args.login
        ? await logins.findOrMake({ ...args, ...target })
        : await findLogin(world, target);
    const seconds = args.timeout ?? longestTimeoutSeconds;
    using deadline = new Deadline(seconds * 1000, () => requestTimedOut(args.url, seconds));
    const signal = AbortSignal.any([world.signal, deadline.signal]);
    const transport = createTransport(world, { login, relogin: logins.relogin(args), signal });
    await using response = await transport.send({
      ...wanted,
      url: args.url,
      limits: { of: 'response', totalMs: null, headersMs, maxBytes: null },
      signal,
    });
    if (args.fail && response.status >= 400) {
      throw requestFailed(args.url, response.status, await readWords(world.clock, response));
    }
    await print(world, args, response);
    return 0;
  },
};

/** Where a name stands, mistyped or not, the URL of its login is meant. @throws Failure `usage_wrong` */
async function refuseName({ index }: Pick<World, 'index'>, url: string): Promise<void> {
  if (canonicalResource(url).ok) return;
  const { logins } = await index.read();
  const meant = noLogin(logins, { server: url, account: undefined }).detail.typo?.meant;
  const login = logins.find(({ name }) => name === meant);
  if (meant !== undefined && login !== undefined) throw requestUrlNeeded(meant, login.server);
}

async function print(world: Pick<World, 'out' | 'files'>, args: Arguments, response: HttpResponse): Promise<void> {
  const { out, files } = world;
  if (args.include) {
    const lines = [`HTTP ${response.status}`, ...response.headers.map(([name, value]) => `${name}: ${value}`), ''];
    await out.write(`${serverText(lines.join('\n'), out.isTerminal)}\n`);
  }
  if (args.output !== undefined) {
    await files.write(args.output, response.body);
    return;
  }
  if (!out.isTerminal) {
    for await (const chunk of response.body) {
      await out.write(chunk);
    }
    return;
  }
  await printForPerson(world, response);
}

async function printForPerson(world: Pick<World, 'out' | 'files'>, response: HttpResponse): Promise<void> {
  const type = response.headers.find(([name]) => name === 'content-type')?.[1];
  const decoder = new TextDecoder();
  let last = '\n';
  for await (const chunk of response.body) {
    const text = decoder.decode(chunk, { stream: true });
    last = text === '' ? last : text.slice(-1);
    await world.out.write(serverText(text, true));
  }
  await world.out.write(serverText(decoder.decode(), true));
  if (last !== '\n' && !mediaTypeIs(type, 'application/octet-stream')) await world.out.write('\n');
}

/** A body up to this size is kept, to be sent again after a refresh; a larger one is streamed. In bytes. */
const largestHeldBody = 1024 * 1024;

/** Headers that are ours to write: the token, the framing, the host. */
const ownHeaders = new Set([
  'authorization',
  'dpop',
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

interface RequestWords {
  readonly request: string | undefined;
  readonly header: readonly string[];
  readonly data: readonly string[];
}

/**
 * Method, headers and body from curl's words: `-d` posts, several are joined with `&`, `@FILE` and `@-` are streamed
 * when they stand alone and are larger than 1 MiB.
 * @throws Failure `usage`, `file_unreadable`
 */
async function readRequest(
  files: Files,
  words: RequestWords,
): Promise<Pick<ProtectedRequest, 'method' | 'headers' | 'body'>> {
  const method = words.request ?? (words.data.length === 0 ? 'GET' : 'POST');
  if (!isFieldName(method))
    throw argumentRefused('--request', 'a method is one word of letters', 'postern request --help');
  const given = words.header.map(readHeader);
  const hasType = given.some(([name]) => name.toLowerCase() === 'content-type');
  const type =
    words.data.length === 0 || hasType ? [] : ([['content-type', 'application/x-www-form-urlencoded']] as const);
  const body = await readBody(files, words.data);
  return { method, headers: [...type, ...given], ...(body === undefined ? {} : { body }) };
}

function readHeader(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon);
  const value = line.slice(colon + 1).trim();
  if (colon < 1 || !isFieldName(name) || !isHeaderValue(value)) {
    throw argumentRefused('--header', 'a header is “Name: value”, printable and on one line', 'postern request --help');
  }
  if (ownHeaders.has(name.toLowerCase()))
    throw argumentRefused('--header', `${name} is written by this program`, 'postern request --help');
  return [name, value];
}

type Body = string | Uint8Array | AsyncIterable<Uint8Array>;

async function readBody(files: Files, data: readonly string[]): Promise<Body | undefined> {
  const [only, ...others] = data;
  if (only === undefined) return undefined;
  if (others.length === 0 && only.startsWith('@')) return heldOrStreamed(open(files, only));
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

async function heldOrStreamed(chunks: AsyncIterable<Uint8Array>): Promise<Body> {
  const iterator = chunks[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let size = 0;
  while (size <= largestHeldBody) {
    const next = await iterator.next();
    if (next.done === true) return Buffer.concat(held);
    held.push(next.value);
    size += next.value.byteLength;
  }
  return (async function* () {
    yield* held;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
}
