import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { engineOpener } from '../../src/app/network.js';
import type { SharedEngine } from '../../src/fleet/engine/redis.js';
import { createClock } from '../../src/stores/clock.js';
import { startRedis } from '../support/engines.js';
import { defaultLimits } from '../support/product.js';

// `node build/test/bench/engine.js [seconds]`: 1,000 connections of 8 processes read the item of one login through one
// Redis, with our engine; beside it, in the same rounds, redis-benchmark gets a value of the same size with as many
// connections and threads. Only ratios carry over to other machines. What takes part is our own part alone: nothing
// is opened or unsealed.
const key = 'postern/default/access/{h1}/item';
const valueBytes = 2_000;
const [processes, connectionsOfEach] = [8, 125];
const rounds = 3;

interface Counted {
  readonly reads: number;
  readonly ms: number;
  /** In milliseconds, sorted. */
  readonly times: readonly number[];
}

if (process.send === undefined) await measureAll(Number(process.argv[2] ?? '5'));
else await readInChild(process.argv[2] ?? '', Number(process.argv[3]));

async function openAt(address: string): Promise<SharedEngine> {
  const limits = { ...defaultLimits, connectSeconds: 30, storeSeconds: 30 };
  const world = { clock: createClock(), env: {}, settings: async () => ({ limits }) };
  return await engineOpener(world)(address);
}

async function measureAll(seconds: number): Promise<void> {
  await using redis = await startRedis();
  await using engine = await openAt(redis.address());
  const put = { key, value: new Uint8Array(valueBytes).fill(0x61) };
  await engine.commit({ onlyIf: [], puts: [put], removes: [] }, new AbortController().signal);
  for (let round = 1; round <= rounds; round += 1) {
    const ours = await readWithOurs(redis.address(), seconds);
    const theirs = await readWithBenchmark(redis.port, ours.reads);
    const line = [
      `round ${round}: ours ${Math.round(ours.rate)} reads/s, p50 ${ours.p50.toFixed(1)} ms, p99 ${ours.p99.toFixed(1)} ms`,
      `redis-benchmark ${Math.round(theirs.rate)} reads/s, p50 ${theirs.p50.toFixed(1)} ms, p99 ${theirs.p99.toFixed(1)} ms`,
      `ratio: reads ${(ours.rate / theirs.rate).toFixed(2)}, p99 ${(ours.p99 / theirs.p99).toFixed(2)}`,
    ];
    process.stdout.write(`${line.join('; ')}\n`);
  }
}

async function readWithOurs(address: string, seconds: number) {
  const children = Array.from({ length: processes }, () => fork(process.argv[1] ?? '', [address, String(seconds)]));
  await Promise.all(children.map((child) => once(child, 'message'))); // connected
  const counted = children.map(async (child) => {
    child.send('go');
    const [found] = await once(child, 'message');
    return found as Counted;
  });
  const all = await Promise.all(counted);
  const times = all.flatMap((one) => one.times).sort((one, other) => one - other);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  const reads = all.reduce((sum, one) => sum + one.reads, 0);
  return { reads, rate: all.reduce((sum, one) => sum + (one.reads * 1000) / one.ms, 0), p50: at(0.5), p99: at(0.99) };
}

/** Each connection reads as soon as it has read. */
async function readInChild(address: string, seconds: number): Promise<void> {
  const engines = await Promise.all(Array.from({ length: connectionsOfEach }, () => openAt(address)));
  for (const engine of engines) await engine.read([key], new AbortController().signal);
  process.send?.('connected');
  await once(process, 'message');
  const began = performance.now();
  const end = began + seconds * 1000;
  const times: number[] = [];
  await Promise.all(
    engines.map(async (engine) => {
      const { signal } = new AbortController();
      for (let last = performance.now(); last < end; ) {
        const [entry] = await engine.read([key], signal);
        if (entry?.value.length !== valueBytes) throw new Error('another value');
        const now = performance.now();
        times.push(now - last);
        last = now;
      }
    }),
  );
  process.send?.({ reads: times.length, ms: performance.now() - began, times });
  process.disconnect();
  await Promise.all(engines.map((engine) => engine[Symbol.asyncDispose]()));
}

async function readWithBenchmark(port: number, requests: number) {
  const words = [
    '-h',
    '127.0.0.1',
    '-p',
    String(port),
    '-c',
    String(processes * connectionsOfEach),
    '-n',
    String(requests),
  ];
  const more = ['--threads', String(processes), '--csv', 'GET', key];
  const { stdout } = await promisify(execFile)('redis-benchmark', [...words, ...more]);
  const [, values = ''] = stdout.trim().split('\n').slice(-2);
  const fields = values.split('","').map((field) => Number(field.replaceAll('"', '')));
  const [, rate = Number.NaN, , , p50 = Number.NaN, , p99 = Number.NaN] = fields;
  return { rate, p50, p99 };
}
