import type { Secret } from '../core/secret.js';
import type { ToolPolicy } from '../mcp/lending/tool-policy.js';
import type { Authorizer } from '../tokens/authorizer.js';

/** One server behind the local proxy: where it is, and whose token goes there. Tokens are chosen by mount alone. */
export interface ProxyMount {
  /** The path segment that it has here: a-z, 0-9, ".", "_", "-". */
  readonly name: string;
  /** Canonical URL. */
  readonly server: string;
  readonly authorizer: Authorizer;
  /** Which tools are lent; undefined: all, and nothing is read. */
  readonly policy: ToolPolicy | undefined;
}

/** One request of a caller, when it is over. All of it is the caller's or the server's text. */
export interface ProxiedRequest {
  readonly method: string;
  /** The mount and what follows it, without the key and the query; undefined where it was not let in. */
  readonly path: string | undefined;
  /** Undefined: the caller left before a response began. */
  readonly status: number | undefined;
  /** Milliseconds to its end. */
  readonly ms: number;
  /** What the caller calls itself (`User-Agent`). */
  readonly program: string | undefined;
  /** Code of the refusal, where the response is the proxy's own. */
  readonly refused: string | undefined;
}

export interface ProxyOptions {
  readonly mounts: readonly ProxyMount[];
  /** A TCP port of 127.0.0.1, 0 for any free one; or a Unix socket, which only its owner may open. */
  readonly listen: { readonly port: number } | { readonly socket: string };
  /** Whether requests must show a local key, one of this start; or that key. */
  readonly key: boolean | Secret;
  /**
   * Milliseconds to wait for the head of a response, and between two pieces of its body (null: for ever); bytes of all
   * bodies that are kept to be validated, where they are others than usual.
   */
  readonly limits: { readonly headMs: number; readonly silenceMs: number | null; readonly heldBodies?: number };
  /** Called for each response that is a failure of ours. `id` is in the response, too. */
  readonly failed: (mount: string, failure: unknown, id: string) => void;
  /** Told of each request when it is over; undefined where nobody reads that: then it costs nothing. */
  readonly log: ((request: ProxiedRequest) => void) | undefined;
}

/** A proxy that listens. Leaving its scope ends every connection at once. */
export interface RunningProxy extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, or `http://localhost` behind a Unix socket. */
  readonly origin: string;
  readonly key: Secret | undefined;
  /** Takes no more requests, lets those that run end within so many milliseconds, standing event streams excepted. */
  close(graceMs: number): Promise<void>;
}

/** Opens a local proxy. @throws Failure `proxy_port_in_use`, `proxy_socket_refused`, … */
export type OpenProxy = (options: ProxyOptions) => Promise<RunningProxy>;
