import { loginUnderWay } from '../../errors/bridge.js';
import type { Ports } from '../../ports.js';

export interface PersonWait {
  /** The address of the server, for what is told. */
  readonly server: string;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Waits for what a person does, not longer than is said; what comes later is used then. @throws Failure `login_under_way` */
export async function waitForPerson(
  { clock }: Pick<Ports, 'clock'>,
  done: Promise<void>,
  { server, waitMs, signal }: PersonWait,
): Promise<void> {
  const waiting = new AbortController();
  const late = clock.sleep(waitMs, AbortSignal.any([signal, waiting.signal])).then(() => {
    throw loginUnderWay(server, waitMs / 1000);
  });
  late.catch(() => undefined);
  done.catch(() => undefined);
  try {
    await Promise.race([done, late]);
  } finally {
    waiting.abort();
  }
}
