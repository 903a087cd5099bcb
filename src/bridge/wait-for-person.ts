import type { CorePorts, LoginInBackground } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import type { WantedLogin } from '../tokens/find-login.js';
import { loginUnderWay } from './failures.js';

export interface PersonWait {
  /** The address of the server, for what is told. */
  readonly server: string;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Waits for what a person does, not longer than is said; what comes later is used then. @throws Failure `login_under_way` */
export async function waitForPerson(
  { clock }: Pick<CorePorts, 'clock'>,
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

export interface AuthorizationOptions {
  readonly wanted: WantedLogin;
  /** Canonical; held from the start: no login of another server is used, whatever it is called. */
  readonly server: string;
  readonly login: LoginRecord | undefined;
  /** Undefined: nobody may be asked. */
  readonly ask: LoginInBackground | undefined;
  /** How long a request waits for a person. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Work that several want at the same time and that is done once. */
export class Together {
  readonly #underWay = new Map<string, Promise<void>>();

  /** Whoever asks for work of a name that is under way waits for that. @throws what the work throws */
  run(name: string, work: () => Promise<void>): Promise<void> {
    const running = this.#underWay.get(name);
    if (running !== undefined) return running;
    const promise = work().finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, promise);
    return promise;
  }

  /** Resolves once what is under way now has ended, however. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay.values());
  }
}
