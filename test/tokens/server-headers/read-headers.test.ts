import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redact } from '../../../src/core/secret.js';
import { type HeaderArguments, type HeaderWorld, readGivenHeaders } from '../../../src/tokens/server-headers.js';
import { failureOf } from '../../support/http.js';

interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly env?: Record<string, string>;
  readonly command?: string;
  readonly isTerminal?: boolean;
  readonly isOpen?: boolean;
}

/** What is read and told. */
async function read(args: HeaderArguments, given: Given = {}) {
  const { env = {}, command = 'login' } = given;
  const told: string[] = [];
  async function* bytesOf(text: string | undefined) {
    if (text !== undefined) yield new TextEncoder().encode(text);
  }
  const world: HeaderWorld = {
    files: {
      read: (path) => bytesOf(given.files?.[path]),
      stdin: () => bytesOf(given.stdin),
      stdinIsTerminal: given.isTerminal ?? false,
      isOpenToOthers: async () => given.isOpen ?? false,
    },
    takeVariable: (name) => {
      const value = env[name];
      delete env[name];
      return value;
    },
    tell: (line) => void told.push(line),
    command,
  };
  const headers = await readGivenHeaders(world, args);
  return { headers: headers?.map(({ name, value }) => `${name}=${value.reveal()}`), told };
}

const line = 'X-Api-Key: Token canary-key-of-a-gateway\n';

test('--header-file, stdin and --header-env give the same; each value is held, and its words', async () => {
  const wanted = ['X-Api-Key=Token canary-key-of-a-gateway'];
  const env = { ACME: line };
  for (const [args, given] of [
    [{ headerFile: 'f' }, { files: { f: line } }],
    [{ headerFile: '-' }, { stdin: line }],
    [{ headerEnv: 'ACME' }, { env }],
  ] as const) {
    assert.deepEqual(await read(args, given), { headers: wanted, told: [] });
    assert.equal(redact('canary-key-of-a-gateway'), '***');
  }
  assert.deepEqual(env, {}, 'no program that is started later inherits it');
  assert.deepEqual(await read({}), { headers: undefined, told: [] });
});

test('a file that others may read is taken, and said, as with a client’s secret', async () => {
  const { told } = await read({ headerFile: 'f' }, { files: { f: line }, isOpen: true });
  assert.deepEqual(told, ['Note: other users of this machine may read "f". To keep it to yourself: chmod 600 f']);
});

test('what cannot be used is refused without a word of its value', async () => {
  const secret = 'canary-key-of-a-gateway';
  for (const [text, why] of [
    [`X-Ok: 1\nAuthorization: Bearer ${secret}`, 'line 2 of "f": Authorization is set by'],
    [secret, 'line 1 of "f": it is not “Name: value”'],
    ['', '"f": there is no header in it'],
  ] as const) {
    const failure = await failureOf(read({ headerFile: 'f' }, { files: { f: text } }), 'headers_unusable');
    assert.ok(failure.message.includes(why), failure.message);
    assert.ok(!`${failure.message}${failure.remedy}`.includes(secret));
  }
  const large = `X-Api-Key: ${secret}\n`.repeat(2_000);
  await failureOf(read({ headerFile: 'f' }, { files: { f: large } }), 'input_too_large');
  const unset = await failureOf(read({ headerEnv: 'ACME' }), 'headers_unusable');
  assert.match(unset.message, /the variable "ACME": it is not set/);
  const value = await failureOf(read({ headerEnv: `X-Api-Key: ${secret}` }), 'usage');
  assert.ok(!value.message.includes(secret), 'a value where a name is meant');
});

test('stdin is for one thing: where it has another use, or is a terminal, it is not read for headers', async () => {
  for (const command of ['bridge', 'shell']) {
    await failureOf(read({ headerFile: '-' }, { stdin: line, command }), 'usage');
  }
  const twice: readonly HeaderArguments[] = [
    { clientSecretStdin: true },
    { untilStdinEnds: true },
    { arguments: ['text=a', '-'] },
    { data: ['@-'] },
  ];
  for (const args of twice) {
    const read1 = read({ ...args, headerFile: '-' }, { stdin: line });
    await assert.rejects(read1, { name: 'Failure' }, JSON.stringify(args));
  }
  await failureOf(read({ headerFile: '-' }, { isTerminal: true }), 'usage');
});
