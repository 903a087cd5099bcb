import { systemCode } from '../../core/failure.js';

/** How long a file that another process has open may stay so, in milliseconds. */
const usualMs = 1_500;

const pauseMs = { min: 1, max: 25 } as const;

/** What is done with a file, and how long one waits for it. */
export interface FileUse {
  readonly platform: string;
  readonly maxMs: number;
}

const here: FileUse = { platform: process.platform, maxMs: usualMs };

/**
 * Windows refuses to rename, remove or open what another process has open just then, or has removed while a third one read
 * it: a reader of ours, a virus scanner, a backup. A moment later it goes well. Elsewhere this is the act and nothing more.
 * @throws what the last attempt threw
 */
export async function whenFree<Value>(act: () => Promise<Value>, use: FileUse = here): Promise<Value> {
  const since = process.uptime();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (!mayTryAgain(error, since, use)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseOf(attempt)));
    }
  }
}

/** As `whenFree`, and nothing else of this process runs meanwhile. */
export function whenFreeSync<Value>(immediate: () => Value, use: FileUse = here): Value {
  const since = process.uptime();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return immediate();
    } catch (error) {
      if (!mayTryAgain(error, since, use)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseOf(attempt));
    }
  }
}

function mayTryAgain(error: unknown, since: number, { platform, maxMs }: FileUse): boolean {
  if (platform !== 'win32' || (process.uptime() - since) * 1000 > maxMs) return false;
  return ['EPERM', 'EBUSY', 'EACCES'].includes(systemCode(error));
}

function pauseOf(attempt: number): number {
  return Math.min(pauseMs.max, pauseMs.min * 2 ** attempt);
}
