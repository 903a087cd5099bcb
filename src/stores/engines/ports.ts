import type { SecureContext } from 'node:tls';
import type { Failure } from '../../core/failure.js';
import type { Limits } from '../../core/limits.js';
import type { Clock } from '../../core/ports.js';
import type { Secret } from '../../core/secret.js';

/** One POST of JSON to an engine. Its address comes from a person alone. */
export interface EngineRequest {
  readonly url: string;
  readonly body: string;
  /** Value of the `authorization` header. */
  readonly token: Secret | undefined;
  readonly limitMs: number;
  readonly maxBytes: number;
}

/** What engines need of the world; `app` joins it to the guarded HTTP client and its trust. */
export interface EnginePorts {
  readonly clock: Clock;
  readonly limits: () => Promise<Limits>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes each secret, so that it is never printed. */
  readonly hold: (secret: string) => void;
  /** Trusted authorities, and a client certificate where the person has set one for that origin. */
  readonly secureContext: (origin: string) => Promise<SecureContext>;
  /** @throws Failure as the HTTP client */
  readonly post: (
    request: EngineRequest,
    signal: AbortSignal,
  ) => Promise<{ readonly status: number; readonly body: Uint8Array }>;
  /** What happened to a connection, in words. */
  readonly networkFailure: (
    error: unknown,
    party: { readonly host: string; readonly port: number },
  ) => Promise<Failure>;
}
