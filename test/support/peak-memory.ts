import { readFile } from 'node:fs/promises';

/** The most resident memory that a process ever had, in MiB (Linux). */
export async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
