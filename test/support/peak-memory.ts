import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from './home.js';

/** The most resident memory that a process ever had, in MiB (Linux). */
export async function peakOf(pid: number | undefined): Promise<number> {
  return peakIn(await readFile(`/proc/${pid}/status`, 'utf8'));
}

function peakIn(status: string): number {
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** How a process that ended by itself went. */
export interface Run {
  readonly code: number | null;
  /** The most resident memory that it ever had, in MiB. */
  readonly peak: number;
  /** Seconds of processor time, the system's for it included. */
  readonly processor: number;
  /** Bytes of stdout. */
  readonly printed: number;
}

/** Runs a program of Node's to its end, and reads what it prints without keeping it (Linux). */
export async function measuredRun({ env, path }: Home, command: readonly string[]): Promise<Run> {
  const [file = '', ...args] = command;
  const hook = join(path, 'measure.cjs');
  const figures = join(path, 'figures.json');
  await writeFile(hook, atExit);
  const measured = { ...env, NODE_OPTIONS: `--require=${hook}`, FIGURES: figures };
  const child = spawn(file, args, { env: measured, stdio: ['ignore', 'pipe', 'ignore'] });
  let printed = 0;
  child.stdout.on('data', (bytes: Buffer) => {
    printed += bytes.length;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const { status, microseconds } = JSON.parse(await readFile(figures, 'utf8'));
  return { code, peak: peakIn(status), processor: microseconds / 1e6, printed };
}

// Not `maxRSS`: that counts what the parent had when it made the process.
const atExit = `process.once('exit', () => {
  const fs = require('node:fs');
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const figures = { status: fs.readFileSync('/proc/self/status', 'utf8'), microseconds: userCPUTime + systemCPUTime };
  fs.writeFileSync(process.env.FIGURES, JSON.stringify(figures));
});
`;
