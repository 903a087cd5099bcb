import type { CommandOutput } from '../../core/command.js';
import { Failure } from '../../core/failure.js';
import { remedyAt } from '../../core/login-command.js';
import type { Clock, RequestLog } from '../../core/ports.js';
import { printable } from '../../core/text/printable.js';
import type { ProxyMount, ProxyOptions } from '../ports.js';

export interface ReportWorld extends Pick<CommandOutput, 'tell'> {
  readonly clock: Clock;
  readonly requestLog: RequestLog | undefined;
}

/** The same failure of the same server is printed again after this long. */
const repeatedAfterMs = 10_000;

/** A line for each request that is over: when, what, how it ended, how long it took, who asked. */
export function logger({ requestLog, clock }: ReportWorld): ProxyOptions['log'] {
  return (
    requestLog &&
    (({ method, path, status, ms, program, refused }) => {
      const ended = status === undefined ? 'left' : String(status);
      const what = path === undefined ? `not let in: ${refused ?? ''}` : `${path}${refused ? ` (${refused})` : ''}`;
      requestLog({ at: clock.now(), method, what, status: ended, ms: path === undefined ? undefined : ms, program });
    })
  );
}

/** Prints failures on stderr, the same one again only after a while: a program may ask again and again. */
export function printer(
  world: ReportWorld,
  mounts: readonly Pick<ProxyMount, 'name' | 'server'>[],
): ProxyOptions['failed'] {
  const printed = new Map<string, number>();
  return (mount, error, id) => {
    const server = mounts.find(({ name }) => name === mount)?.server;
    const failure = error instanceof Failure ? error : undefined;
    const key = `${mount} ${failure?.code}`;
    const now = world.clock.monotonic();
    if (now - (printed.get(key) ?? Number.NEGATIVE_INFINITY) < repeatedAfterMs) return;
    printed.set(key, now);
    const what = failure === undefined ? `A fault of this program: ${printable(String(error))}` : failure.message;
    world.tell(`${mount} ${id}: ${what}`);
    if (failure !== undefined) world.tell(`  ${remedyAt(failure, server)} [${failure.code}]`);
  };
}
