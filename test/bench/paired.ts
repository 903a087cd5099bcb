import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
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
}

/** Runs the programs in turn, round after round, so that whatever else the machine does strikes all of them alike. */
export function measure(programs: readonly Program[], rounds: number): readonly Timing[] {
  const times = programs.map((): number[] => []);
  for (let round = -2; round < rounds; round += 1) {
    for (const [index, program] of programs.entries()) {
      const ms = once(program);
      if (round >= 0) times[index]?.push(ms); // the first two rounds fill the caches
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
  if (status !== 0 || !prints.test(stdout)) {
    throw error ?? new Error(`${name} failed (${status}): ${stdout}${stderr}`);
  }
  return ms;
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN;
}
