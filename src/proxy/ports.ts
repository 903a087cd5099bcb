import type { LoginMeant } from '../core/login-command.js';
import type { Secret } from '../core/secret.js';
import type { OutboundRequest } from '../http/request.js';

/** A token with more scope; `helped` is to be called once the server is content with it. */
export interface WidenedToken {
  readonly token: Secret;
  helped(): Promise<void>;
}

/** One server behind the local proxy: where it is, and whose token goes there. Tokens are chosen by mount alone. */
export interface ProxyMount {
  /** The path segment that it has here: a-z, 0-9, ".", "_", "-". */
  readonly name: string;
  /** Canonical URL. */
  readonly server: string;
  /** Whose token goes there, for what is told. */
  readonly login: LoginMeant;
  /** The token for the next request; at once while it lives. @throws Failure `login_expired`, … when there is none */
  token(): Secret | Promise<Secret>;
  /** Told of each success with that token. */
  worked(token: Secret): void;
  /** What to send instead of a token that the server answered with 401. @throws Failure `token_refused`, … */
  renewed(rejected: Secret): Promise<Secret>;
  /**
   * What to send instead of a token that the server answered with 403 and these challenges; undefined when they ask for
   * nothing that a token could have. @throws Failure `insufficient_scope`, `scope_refused`, …
   */
  widened(
    refused: Secret,
    challenges: readonly string[],
    request: Pick<OutboundRequest, 'method' | 'url' | 'body'>,
  ): Promise<WidenedToken> | undefined;
}

export interface ProxyOptions {
  readonly mounts: readonly ProxyMount[];
  /** A TCP port of 127.0.0.1, 0 for any free one; or a Unix socket, which only its owner may open. */
  readonly listen: { readonly port: number } | { readonly socket: string };
  /** Whether requests must show the local key. */
  readonly key: boolean;
  /** Milliseconds to wait for the head of an answer, and between two pieces of its body (null: for ever). */
  readonly limits: { readonly headMs: number; readonly silenceMs: number | null };
  /** Told of each request that is answered with a failure of ours. `id` is in the answer, too. */
  readonly failed: (mount: string, failure: unknown, id: string) => void;
}

/** A proxy that listens. Leaving its scope ends every connection at once. */
export interface RunningProxy extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, or `http://localhost` behind a Unix socket. */
  readonly origin: string;
  readonly key: Secret | undefined;
  /** Takes no more requests, lets those that run end within so many milliseconds, standing event streams excepted. */
  close(graceMs: number): Promise<void>;
}

/** Local proxies. No part of `Ports`: a command opens one. */
export interface Proxies {
  /** @throws Failure `proxy_port_in_use`, `proxy_socket_refused`, … */
  open(options: ProxyOptions): Promise<RunningProxy>;
}
