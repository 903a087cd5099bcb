import type { Signals } from '../core/ports.js';
import { isWindows } from '../core/text/system.js';

/** Time for clean-up after an interruption, and for pending work after the end. */
const graceMs = 1500;

/** Exit codes by signal, as shells count them. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Handles signals and uncaught errors: the first signal lets the program clean up; a second one, or 1.5 seconds, ends it.
 * Diagnostic reports are switched off, because they would contain the environment and the arguments.
 */
export function ownProcess(options: {
  readonly interrupt: () => void;
  /** Aborted by `interrupt`, or by a Ctrl-C that came as a key. */
  readonly signal: AbortSignal;
  /** Passes a signal to the command that handles it; false when there is none, so that it ends the program. */
  readonly offer: (signal: NodeJS.Signals) => boolean;
  readonly fault: (error: unknown) => { readonly exit: number; readonly lines: readonly string[] };
}) {
  const reports = { reportOnFatalError: false, reportOnSignal: false, reportOnUncaughtException: false };
  Object.assign(process.report, reports);
  let ending: number | undefined;
  let by: NodeJS.Signals = 'SIGINT';
  const handler = (signal: NodeJS.Signals) => {
    if (options.offer(signal)) return;
    // It ends what `process.exit` waits for, too, such as a call of a hung keychain.
    if (ending !== undefined) return endBy(signal);
    ending = signals[signal as keyof typeof signals];
    by = signal;
    options.interrupt();
  };
  for (const signal of Object.keys(signals)) process.on(signal, handler);
  const endBy = (signal: NodeJS.Signals) => {
    process.emit('exit', ending ?? signals.SIGINT);
    dispose();
    process.kill(process.pid, signal);
  };
  options.signal.addEventListener('abort', () => {
    const end = () => (isHeldBySystem() ? endBy(by) : process.exit(ending ?? signals.SIGINT));
    setTimeout(end, graceMs).unref();
  });
  const dispose = () => {
    for (const signal of Object.keys(signals)) process.off(signal, handler);
  };
  const uncaught = (error: unknown) => {
    const { exit, lines } = options.fault(error);
    process.stderr.write(`${lines.join('\n')}\n`, () => process.exit(exit));
  };
  process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught);
  return {
    /** Ends it once all output is written. @param by The signal that ended a program run in our place. */
    end: (code: number, by?: NodeJS.Signals) => {
      if (by !== undefined && by in signals) {
        // By the same signal, so that a shell's loop ends at Ctrl-C, too. Not those that leave a dump of our memory.
        dispose();
        process.kill(process.pid, by);
      }
      process.exitCode = ending ?? code;
      // Where nothing waits for its reader, at once: to take the heap of V8 apart first takes milliseconds.
      const waiting = process.stdout.writableLength + process.stderr.writableLength;
      if (by === undefined && waiting === 0) process.exit();
      setTimeout(() => process.exit(), graceMs).unref();
    },
    [Symbol.dispose]: dispose,
  };
}

/** Is a thread stuck in a system call, such as on a pipe without a writer? `process.exit` waits for it. Windows has no signal for that. */
function isHeldBySystem(): boolean {
  return !isWindows && process.getActiveResourcesInfo().some((name) => /^(?:FSReq|GetAddrInfo|GetNameInfo)/.test(name));
}

/** The signals of this process, and their handlers. */
export interface OwnSignals extends Signals {
  /** Passes a signal to the newest handler; false where none handles it. */
  offer(signal: NodeJS.Signals): boolean;
}

export function createSignals(): OwnSignals {
  const takers: ((signal: string) => boolean)[] = [];
  return {
    offer: (signal) => takers.at(-1)?.(signal) ?? false,
    take: (taker) => {
      takers.push(taker);
      return { [Symbol.dispose]: () => void takers.splice(takers.indexOf(taker), 1) };
    },
  };
}
