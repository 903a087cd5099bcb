import type { Signals } from '../core/ports.js';
import { isWindows } from '../core/text/system.js';

/** How long clean-up may take once the program is to end, and how long what is left of it may keep the process. */
const graceMs = 1500;

/** The process is ours from now on. */
export interface OwnedProcess extends Disposable {
  /**
   * Ends it with this code once everything is written; what still runs then does not hold it up. `by`: the
   * signal that ended a program run in our place.
   */
  end(code: number, by?: NodeJS.Signals): void;
}

/** Exit codes by signal, as shells count them. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Takes signals and stray errors: the first signal asks the program to end and lets it clean up, the second one, or
 * 1.5 seconds, ends it. Diagnostic reports are switched off, they would hold environment and arguments.
 */
export function ownProcess(options: {
  readonly interrupt: () => void;
  /** Aborted by `interrupt`, or by a Ctrl-C that came as a key. */
  readonly signal: AbortSignal;
  /** Gives a signal to a command that takes it for its own; false when none does, and it ends the program. */
  readonly offer: (signal: NodeJS.Signals) => boolean;
  /** Turns an error that nobody caught into what is printed. */
  readonly fault: (error: unknown) => { readonly exit: number; readonly lines: readonly string[] };
}): OwnedProcess {
  const reports = { reportOnFatalError: false, reportOnSignal: false, reportOnUncaughtException: false };
  Object.assign(process.report, reports);
  let ending: number | undefined;
  let by: NodeJS.Signals = 'SIGINT';
  const handlers = Object.entries(signals).map(([signal, code]) => {
    const handler = () => {
      if (options.offer(signal as NodeJS.Signals)) return;
      // It ends what `process.exit` waits for, too, such as a call of a hung keychain.
      if (ending !== undefined) return endBy(signal as NodeJS.Signals);
      ending = code;
      by = signal as NodeJS.Signals;
      options.interrupt();
    };
    process.on(signal, handler);
    return [signal, handler] as const;
  });
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
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
  const uncaught = (error: unknown) => {
    const { exit, lines } = options.fault(error);
    process.stderr.write(`${lines.join('\n')}\n`, () => process.exit(exit));
  };
  process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught);
  return {
    end: (code, by) => {
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

/**
 * Does the system not come back to a thread, as from a named pipe that nobody writes to? `process.exit` waits for those. On
 * Windows no signal ends a process with the code that shells know.
 */
function isHeldBySystem(): boolean {
  return !isWindows && process.getActiveResourcesInfo().some((name) => /^(?:FSReq|GetAddrInfo|GetNameInfo)/.test(name));
}

/** The signals of this process, and who takes them for his own. */
export interface OwnSignals extends Signals {
  /** Gives a signal to the last who takes signals; false when nobody wants it. */
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
