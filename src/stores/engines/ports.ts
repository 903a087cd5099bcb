import type { SecureContext } from 'node:tls';
import type { Failure } from '../../core/failure.js';
import type { Limits } from '../../core/limits.js';
import type { Clock } from '../../core/ports.js';

/** What engines need of the world; `app` joins it to the guarded HTTP client and its trust. */
export interface EnginePorts {
  readonly clock: Clock;
  readonly limits: () => Promise<Limits>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Trusted authorities, and a client certificate where the person has set one for that origin. */
  readonly secureContext: (origin: string) => Promise<SecureContext>;
  /** What happened to a connection, in words. */
  readonly networkFailure: (
    error: unknown,
    party: { readonly host: string; readonly port: number },
  ) => Promise<Failure>;
}
