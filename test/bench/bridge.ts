import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeHome } from '../support/home.js';
import { startKeyring } from '../support/keyring.js';
import { programCommand } from '../support/program.js';
import { repositoryRoot } from '../support/repository.js';
import { storeLogin } from '../support/stored-login.js';
import { type Calls, throughProgram } from './bridge-client.js';
import { direct } from './direct-client.js';

// `npm run bench:bridge [-- rounds [scale]]`: postern bridge, mcp-remote and no bridge, in turn, on the same bare server. What
// counts is the ratio within one round: the machine may be busy with something else.
const rounds = Number(process.argv[2] ?? '5');
/** How much of the work is done: 0.1 for a quick look. */
const scale = Number(process.argv[3] ?? '1');
const sized = (count: number): number => Math.max(1, Math.round(count * scale));
const remote = join(repositoryRoot, 'test', 'bench', 'peers', 'node_modules', 'mcp-remote', 'dist', 'proxy.js');
if (!existsSync(remote)) throw new Error('install the peers first: npm ci --ignore-scripts (in test/bench/peers)');

interface Figures {
  readonly first: number;
  readonly p50: number;
  readonly p99: number;
  readonly parallel: number;
  readonly stream: number;
  readonly large: number;
  readonly idle: number;
  readonly peak: number;
  readonly cpu: number;
}

const server = spawn(process.execPath, [join(import.meta.dirname, 'bare-server.js')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const url = await new Promise<string>((resolve) => server.stdout.once('data', (text) => resolve(String(text).trim())));
await using keyring = await startKeyring();
await using home = await makeHome(keyring.env);
await storeLogin(home, { server: url, accessToken: 'token-of-the-bench', expiresAt: Date.now() + 3_600_000 });
const contestants: readonly (readonly [string, () => Promise<Calls>])[] = [
  ['no bridge (undici)', () => direct(url)],
  ['postern bridge', () => throughProgram(programCommand(['bridge', url]), home.env)],
  ['mcp-remote 0.15.1', () => throughProgram([process.execPath, remote, url], home.env)],
];
const results = contestants.map((): Figures[] => []);
for (let round = 0; round < rounds; round += 1) {
  for (const [index, [, open]] of contestants.entries()) results[index]?.push(await figures(open));
}
server.stdin.end();
report();

async function figures(open: () => Promise<Calls>): Promise<Figures> {
  await using calls = await open();
  const idle = calls.usage()?.now ?? Number.NaN;
  for (let index = 0; index < sized(500); index += 1) await calls.call({ text: 'warm' });
  const cpuBefore = calls.usage()?.cpu ?? Number.NaN;
  const times: number[] = [];
  for (let index = 0; index < sized(1_000); index += 1) {
    const start = performance.now();
    await calls.call({ text: 'a text that makes it about a hundred bytes' });
    times.push(performance.now() - start);
  }
  const cpu = ((calls.usage()?.cpu ?? Number.NaN) - cpuBefore) / scale;
  times.sort((one, other) => one - other);
  const parallel = await rate(sized(4_000), async () => {
    let left = sized(4_000);
    const worker = async (): Promise<void> => {
      while (left-- > 0) await calls.call({ text: 'x' });
    };
    await Promise.all(Array.from({ length: 32 }, worker));
  });
  const before = calls.notifications;
  const stream = await rate(sized(20_000), () => calls.call({ notifications: sized(20_000) }));
  if (calls.notifications - before !== sized(20_000)) throw new Error('notifications were lost');
  const text = 'x'.repeat(1_000_000);
  const large =
    1000 /
    (await rate(sized(10), async () => {
      for (let index = 0; index < sized(10); index += 1) await calls.call({ text });
    }));
  const peak = calls.usage()?.peak ?? Number.NaN;
  return {
    first: calls.firstMs,
    p50: times[Math.floor(times.length / 2)] ?? 0,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
    parallel,
    stream,
    large,
    idle,
    peak,
    cpu,
  };
}

/** So many a second. */
async function rate(count: number, work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return count / ((performance.now() - start) / 1000);
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function report(): void {
  const names: readonly (keyof Figures)[] = [
    'first',
    'p50',
    'p99',
    'parallel',
    'stream',
    'large',
    'idle',
    'peak',
    'cpu',
  ];
  const heads = [
    'first ms',
    'p50 ms',
    'p99 ms',
    '32 in flight/s',
    'notifications/s',
    '1 MB ms',
    'idle MiB',
    'peak MiB',
    'CPU ms/1000',
  ];
  const lines = [['', ...heads]];
  const of = (index: number, name: keyof Figures): number => median((results[index] ?? []).map((one) => one[name]));
  for (const [index, [title]] of contestants.entries()) {
    lines.push([title, ...names.map((name) => of(index, name).toFixed(of(index, name) < 10 ? 2 : 0))]);
  }
  const ratio = (name: keyof Figures, take: (own: Figures, other: Figures, none: Figures) => number): string => {
    const [none = [], own = [], other = []] = results;
    const ratios = own.flatMap((one, round) => {
      const [against, bare] = [other[round], none[round]];
      return against === undefined || bare === undefined ? [] : [take(one, against, bare)];
    });
    return `${name}: ${median(ratios).toFixed(2)}`;
  };
  const simple = (name: keyof Figures): string => ratio(name, (own, other) => own[name] / other[name]);
  process.stdout.write(
    `${lines.map((line) => line.map((cell, at) => (at === 0 ? cell.padEnd(20) : cell.padStart(16))).join('')).join('\n')}\n\n`,
  );
  process.stdout.write(
    `postern to mcp-remote, in the same round: ${names.map(simple).join(', ')}; added latency (wanted 0.25): ${ratio('p50', (own, other, none) => (own.p50 - none.p50) / (other.p50 - none.p50))}\n`,
  );
}
