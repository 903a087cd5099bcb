import type { McpServer } from '@modelcontextprotocol/server';
import { isSameSecret, randomSecret } from '../../one-time.js';
import type { UpstreamAccounts } from '../../upstream-accounts.js';
import { needs } from '../needed-scope.js';
import { callerOf } from '../verify-token.js';
import { textResult } from './basic.js';

/** upstream_profile: uses the person's account at the upstream, if they allowed it to the very client that calls. */
export function registerUpstreamProfile(server: McpServer, accounts: Pick<UpstreamAccounts, 'profile'>): void {
  server.registerTool(
    'upstream_profile',
    {
      title: 'Read your profile at the upstream',
      description:
        'Reads your profile at another service, with a token that was issued to this server for you and the ' +
        'program that calls. Needs the scope upstream:read.',
      annotations: { readOnlyHint: true, openWorldHint: false },
      scopeChallenge: needs('upstream:read'),
    },
    async (context) => {
      const { subject, clientId } = callerOf(context);
      const name = await accounts.profile(subject, clientId);
      if (name !== undefined) return textResult(`At the upstream you are ${name}.`);
      const sentence =
        'The upstream was not connected for you and this program: log in again with the scope upstream:read.';
      return { ...textResult(sentence), isError: true };
    },
  );
}

/** upstream_time: asks another resource, with this server's own token for it. */
export function registerUpstreamTime(server: McpServer, upstream: UpstreamClient): void {
  server.registerTool(
    'upstream_time',
    {
      title: 'Ask the upstream for the time',
      description: 'Asks another protected resource for the time, with a token that is not yours.',
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    () => textResult(upstream.time()),
  );
}

/**
 * Another protected resource, with an authorization server of its own, in this process: it tells the time to
 * whoever brings a token that it issued. It remembers the tokens it was shown, so that a test can see that no
 * other was ever sent to it.
 */
class UpstreamTime {
  readonly #received: string[] = [];
  readonly #issued = new Set<string>();
  readonly #secret: string;

  constructor(clientSecret: string) {
    this.#secret = clientSecret;
  }

  /** The latest hundred tokens that came, good or bad. */
  get received(): readonly string[] {
    return this.#received;
  }

  /** A token by client credentials (RFC 6749 section 4.4); undefined for a wrong secret. */
  issueToken(clientSecret: string): string | undefined {
    if (!isSameSecret(clientSecret, this.#secret)) return undefined;
    const token = randomSecret();
    this.#issued.add(token);
    return token;
  }

  /** The time in ISO 8601; undefined for a token that is not its own. */
  time(token: string): string | undefined {
    this.#received.push(token);
    if (this.#received.length > 100) this.#received.shift();
    return this.#issued.has(token) ? new Date().toISOString() : undefined;
  }
}

/** This server as a client of the upstream: it has its own token, and never sees its callers'. */
export class UpstreamClient {
  readonly upstream: UpstreamTime;
  readonly #secret = randomSecret();
  #token: string | undefined;

  constructor() {
    this.upstream = new UpstreamTime(this.#secret);
  }

  /** @throws Error when the upstream refuses */
  time(): string {
    this.#token ??= this.upstream.issueToken(this.#secret);
    const time = this.#token === undefined ? undefined : this.upstream.time(this.#token);
    if (time === undefined) throw new Error('the upstream refused this server');
    return time;
  }
}
