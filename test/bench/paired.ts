import { spawnSync } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';
import { makePipe } from '../support/pipe.js';

/** One program as a whole process. */
export interface Program {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  /** All that it reads on stdin, from a pipe, as git and Bazel start their helpers. */
  readonly input?: string;
  /** What it must print, so that it is known to have done its work. */
  readonly prints: RegExp;
}

/** Times in milliseconds, and how they stand to the first program's in the same round. */
export interface Timing {
  readonly name: string;
  readonly median: number;
  readonly quartiles: readonly [number, number];
  readonly ratio: number;
  readonly ratioQuartiles: readonly [number, number];
  /** Processor time, mean, and to that of the first program: what other work on the machine hardly changes. */
  readonly cpu: number;
  readonly cpuRatio: number;
}

/** Runs the programs in turn, round after round, so that whatever else the machine does strikes all of them alike. */
export function measure(programs: readonly Program[], rounds: number): readonly Timing[] {
  const times = programs.map((): number[] => []);
  const cpu = programs.map(() => 0);
  for (let round = -2; round < rounds; round += 1) {
    for (const [index, program] of programs.entries()) {
      const before = childrenCpu();
      const ms = once(program);
      if (round < 0) continue; // the first two rounds fill the caches
      times[index]?.push(ms);
      cpu[index] = (cpu[index] ?? 0) + (childrenCpu() - before) / rounds;
    }
  }
  const [base = []] = times;
  return programs.map(({ name }, index) => {
    const own = times[index] ?? [];
    const ratios = own.map((ms, round) => ms / (base[round] ?? Number.NaN));
    return {
      name,
      median: quantile(own, 0.5),
      quartiles: [quantile(own, 0.25), quantile(own, 0.75)],
      ratio: quantile(ratios, 0.5),
      ratioQuartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
      cpu: cpu[index] ?? Number.NaN,
      cpuRatio: (cpu[index] ?? Number.NaN) / (cpu[0] ?? Number.NaN),
    };
  });
}

function once({ name, command, env, prints, input = '' }: Program): number {
  const [file, ...args] = command;
  using stdin = makePipe();
  writeSync(stdin.to, input);
  stdin.end();
  const start = performance.now();
  const { stdout, stderr, status, error } = spawnSync(file, args, {
    env,
    stdio: [stdin.from, 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  const ms = performance.now() - start;
  if (status !== 0 || !prints.test(stdout)) throw error ?? new Error(`${name} failed (${status}): ${stdout}${stderr}`);
  return ms;
}

/**
 * Milliseconds of processor time of all children so far, as Linux tells it: in hundredths of a second, so that only
 * many rounds together mean something. NaN elsewhere.
 */
function childrenCpu(): number {
  if (process.platform !== 'linux') return Number.NaN;
  const fields = readFileSync('/proc/self/stat', 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  const [user = Number.NaN, system = Number.NaN] = fields.slice(13, 15).map(Number); // cutime, cstime (proc(5))
  return (user + system) * 10;
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN;
}
