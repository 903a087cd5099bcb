/** How long clean-up may take once the program is to end, and how long what is left of it may keep the process. */
const graceMs = 1500;

/** The process is ours from now on. */
export interface OwnedProcess extends Disposable {
  /** Ends it with this code once everything is written; what still runs then does not hold it up for long. */
  end(code: number): void;
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
  /** Turns an error that nobody caught into what is printed. */
  readonly fault: (error: unknown) => { readonly exit: number; readonly lines: readonly string[] };
}): OwnedProcess {
  Object.assign(process.report, {
    reportOnFatalError: false,
    reportOnSignal: false,
    reportOnUncaughtException: false,
  });
  let ending: number | undefined;
  const handlers = Object.entries(signals).map(([signal, code]) => {
    const handler = () => {
      if (ending !== undefined) {
        // By the signal itself: it ends what `process.exit` waits for, too, such as a call of a hung keychain.
        process.off(signal, handler);
        process.kill(process.pid, signal);
        return;
      }
      ending = code;
      options.interrupt();
    };
    process.on(signal, handler);
    return [signal, handler] as const;
  });
  options.signal.addEventListener('abort', () => {
    setTimeout(() => process.exit(ending ?? signals.SIGINT), graceMs).unref();
  });
  const uncaught = (error: unknown) => {
    const { exit, lines } = options.fault(error);
    process.stderr.write(`${lines.join('\n')}\n`, () => process.exit(exit));
  };
  process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught);
  return {
    end: (code) => {
      process.exitCode = ending ?? code;
      setTimeout(() => process.exit(), graceMs).unref();
    },
    [Symbol.dispose]: () => {
      for (const [signal, handler] of handlers) process.off(signal, handler);
    },
  };
}
