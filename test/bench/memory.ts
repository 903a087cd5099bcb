import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { makeHome } from '../support/home.js';
import {
  type AskedFor,
  answerOf,
  answersTo,
  eventStream,
  inCrumbs,
  inOnePiece,
  MiB,
  type RawAnswer,
  stray,
} from '../support/hostile-server.js';
import { startKeyring } from '../support/keyring.js';
import { measuredRun, peakOf } from '../support/peak-memory.js';
import { programCommand } from '../support/program.js';
import { storeLogin } from '../support/stored-login.js';

// `node build/test/bench/memory.js`, and behind the rows of `npm run bench`: resident memory of each flow at its peak,
// over that of the idle process, in MiB, and of what ends the seconds of processor time. A bridge and a proxy are idle once they have answered one request; what runs
// and ends is compared with `node -e 0`. Linux.
const wanted = process.argv[1]?.endsWith('memory.js') ? process.argv.slice(2) : [];

const resultOf = (id: unknown, json: string): Buffer =>
  Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{"a":${json}}}`);

/** What the server answers a call with, by the name of the tool. */
const cases: Readonly<Record<string, (asked: AskedFor) => RawAnswer>> = {
  'a small answer': ({ id }) => inOnePiece(answerOf(id, 100)),
  'an answer of 1 MB': ({ id }) => inOnePiece(answerOf(id, 1_000_000)),
  'an answer of 31 MiB': ({ id }) => inOnePiece(Buffer.from(answerOf(id, 31 * MiB))),
  '31 MiB in chunks of one byte': ({ id }) => inCrumbs(answerOf(id, 31 * MiB)),
  'an event of 31 MiB': ({ id }) => eventStream(`data: ${answerOf(id, 31 * MiB)}\n\n`, 1),
  '64 answers of 8 MiB at a time': ({ id }) => inOnePiece(Buffer.from(answerOf(id, 8 * MiB))),
  'answers nobody asked for, without end': () => eventStream(stray, 2_000_000, '', 500),
  'an id of 31 MiB': () => inOnePiece(Buffer.from(`{"jsonrpc":"2.0","id":${'7'.repeat(31 * MiB)},"result":{}}`)),
  '31 MiB with half a character': ({ id }) => inOnePiece(resultOf(id, `"\\ud800${'x'.repeat(31 * MiB)}"`)),
  '750,000 strings': ({ id }) => inOnePiece(resultOf(id, `[${`"${'x'.repeat(29)}",`.repeat(750_000)}0]`)),
  '990,000 empty objects': ({ id }) => inOnePiece(resultOf(id, `[${'{},'.repeat(990_000)}0]`)),
  '150,000 names': ({ id }) =>
    inOnePiece(resultOf(id, `{${Array.from({ length: 150_000 }, (_, at) => `"n${at}":0`)}}`)),
  'notifications of 8 MiB, without end': () =>
    eventStream(
      `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${'x'.repeat(8 * MiB)}"}}\n\n`,
      50,
    ),
};

await using keyring = await startKeyring();
await using home = await makeHome(keyring.env);
await using server = await answersTo('tools/call', (asked) => cases[asked.params?.name ?? '']?.(asked));
await storeLogin(home, { server: server.url, name: 'bench', accessToken: 'token-of-the-bench', expiresAt: null });
const out = (flow: string, name: string, mebibytes: number, note = ''): void =>
  void process.stdout.write(`${flow.padEnd(12)}${name.padEnd(44)}${mebibytes.toFixed(0).padStart(6)} MiB${note}\n`);

/** A row for a program that runs and ends. */
async function endingRow(flow: string, name: string, command: readonly string[]): Promise<void> {
  const { peak, processor } = await measuredRun(home, command);
  out(flow, name, peak - base, `  ${processor.toFixed(2)} s of processor`);
}

/** Lines of a child as they come: how many. */
function countLines(child: ChildProcess): (count: number) => Promise<void> {
  let lines = 0;
  let heard: () => void = () => undefined;
  child.stdout?.on('data', (bytes: Buffer) => {
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines += 1;
    heard();
  });
  child.once('close', () => heard());
  return async (count) => {
    while (lines < count && child.exitCode === null) {
      await new Promise<void>((resolve) => {
        heard = resolve;
      });
    }
  };
}

async function bridgeRow(name: string): Promise<void> {
  const [file, ...args] = programCommand(['bridge', 'bench']);
  const child = spawn(file, args, { env: home.env, stdio: ['pipe', 'pipe', 'ignore'] });
  const until = countLines(child);
  const send = (id: number, method: string, params: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  send(0, 'ping', {});
  await until(1);
  const idle = await peakOf(child.pid);
  const count = name.startsWith('64') ? 64 : 1;
  for (let id = 1; id <= count; id += 1) send(id, 'tools/call', { name });
  // A stream without an end brings its messages, and then the error.
  await until(name.startsWith('notifications') ? 51 : count + 1);
  out('bridge', name, (await peakOf(child.pid)) - idle, `  (idle ${idle.toFixed(0)})`);
  child.stdin.end();
  await once(child, 'close');
}

async function proxyRow(name: string, body: (request: ClientRequest) => Promise<void>): Promise<void> {
  const [file, ...args] = programCommand(['proxy', 'bench']);
  const child = spawn(file, args, { env: home.env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [address] = (await once(child.stdout, 'data')) as [Buffer];
  const ask = async (write: (request: ClientRequest) => Promise<void>): Promise<void> => {
    const request = httpRequest(address.toString().trim(), { method: 'POST' });
    const answered = once(request, 'response');
    await write(request);
    const [response] = await answered;
    await once(response.resume(), 'close');
  };
  const call = (tool: string) => async (request: ClientRequest) =>
    void request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool } }));
  await ask(call('a small answer'));
  const idle = await peakOf(child.pid);
  if (name in cases) await ask(call(name));
  else await Promise.all(Array.from({ length: 100 }, () => ask(body)));
  out('proxy', name, (await peakOf(child.pid)) - idle, `  (idle ${idle.toFixed(0)})`);
  child.kill('SIGINT');
  await once(child, 'close');
}

const base = (await measuredRun(home, [process.execPath, '-e', '0'])).peak;
process.stdout.write(`\npeak of resident memory, over idle (node -e 0: ${base.toFixed(0)} MiB)\n`);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.some((word) => name.includes(word));
for (const args of [['token', 'bench'], ['credential', 'headers', 'bench'], ['status'], ['--help']]) {
  if (isWanted(args.join(' '))) await endingRow(args[0] ?? '', args.slice(1).join(' '), programCommand(args));
}
for (const name of Object.keys(cases).filter((one) => !one.startsWith('64'))) {
  if (!isWanted(`call ${name}`)) continue;
  await endingRow('call', name, programCommand(['call', 'bench', name, '--json', '--timeout', '300']));
}
const large = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'an answer of 31 MiB' } });
if (isWanted('request')) {
  const args = ['request', server.url, '--request', 'POST', '--data', large];
  await endingRow('request', 'an answer of 31 MiB', programCommand(args));
}
for (const name of Object.keys(cases)) if (isWanted(`bridge ${name}`)) await bridgeRow(name);
const ofOneByte = async (request: ClientRequest): Promise<void> => {
  request.setHeader('transfer-encoding', 'chunked');
  request.flushHeaders();
  request.cork();
  for (let count = 0; count < 20_000; count += 1) request.write(' ');
  request.uncork();
  request.end('{"jsonrpc":"2.0","method":"x"}');
};
for (const name of ['an answer of 31 MiB', '31 MiB in chunks of one byte', '100 uploads in chunks of one byte']) {
  if (isWanted(`proxy ${name}`)) await proxyRow(name, ofOneByte);
}
