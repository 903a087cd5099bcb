import type { CommandExit } from '../../core/command.js';
import type { Files, Signals } from '../../core/ports.js';
import { unlessAborted } from '../../core/time.js';
import type { RunningProxy } from '../ports.js';

interface EndWorld {
  readonly signals: Signals;
  readonly signal: AbortSignal;
  readonly files: Pick<Files, 'stdin'>;
}

/** Runs until it is asked to end, then until running requests have ended. */
export async function untilEnd(
  world: EndWorld,
  args: { readonly grace: number; readonly untilStdinEnds: boolean },
  proxy: RunningProxy,
): Promise<CommandExit> {
  const { signal } = world;
  try {
    await unlessAborted(askedToEnd(world, args.untilStdinEnds), signal);
    await unlessAborted(proxy.close(args.grace * 1000), signal);
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    return 130;
  }
}

/** Resolves at SIGTERM or SIGHUP, or with `stdin` at its end. */
async function askedToEnd({ signals, signal, files }: EndWorld, stdin: boolean): Promise<void> {
  if (signal.aborted) return;
  let asked = () => {};
  const end = new Promise<void>((resolve) => {
    asked = resolve;
  });
  using _taken = signals.take((name) => {
    if (name !== 'SIGTERM' && name !== 'SIGHUP') return false;
    asked();
    return true;
  });
  signal.addEventListener('abort', asked, { once: true });
  if (stdin) readToEnd(files.stdin()).then(asked, asked);
  const keepsAlive = setInterval(() => undefined, 2 ** 30);
  try {
    await end;
  } finally {
    clearInterval(keepsAlive);
  }
}

async function readToEnd(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}
