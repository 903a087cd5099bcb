import { exitCode, Failure } from '../core/failure.js';
import { defaultAccount, type LoginRecord } from '../core/records.js';
import { canonicalResource } from '../core/resource.js';
import { Secret } from '../core/secret.js';
import { isTokenText } from '../core/text/characters.js';
import { quoted } from '../core/text/printable.js';
import { encodeCredential } from './credential-item.js';
import type { CredentialIndex, SecretStore } from './ports.js';

/** A token in the environment of this run, and the one address that it is for. */
const tokenVariable = 'POSTERN_TOKEN';

const tokenServerVariable = 'POSTERN_TOKEN_SERVER';

export type GivenToken = Readonly<Record<string, string | undefined>>;

/** Does the environment name a token or its server? An empty variable counts as unset. */
export function mentionsToken(env: GivenToken): boolean {
  return (env[tokenVariable] ?? '') !== '' || (env[tokenServerVariable] ?? '') !== '';
}

/** Takes both variables out of the environment, so that no child process inherits them. */
export function takeToken(env: Record<string, string | undefined>): GivenToken {
  const taken = { [tokenVariable]: env[tokenVariable], [tokenServerVariable]: env[tokenServerVariable] };
  delete env[tokenVariable];
  delete env[tokenServerVariable];
  return taken;
}

/** A login that is nowhere but in the environment: its record, and the item that proves its server. */
export interface EnvironmentLogin {
  readonly login: LoginRecord;
  readonly item: Secret;
}

/** No hash of a login's parts is this one. */
const key = '0'.repeat(64);

/**
 * The login of `POSTERN_TOKEN`. Nothing is known of its end.
 * @param now Milliseconds since 1970. @throws Failure `environment_token_unusable`
 */
export function environmentLogin(env: GivenToken, now: number): EnvironmentLogin {
  const [token, server] = [env[tokenVariable] ?? '', env[tokenServerVariable] ?? ''];
  if (token === '') throw unusable(`${tokenServerVariable} is set, and ${tokenVariable} is not`, unset);
  if (server === '') throw unusable(`${tokenVariable} is set, and nothing says which server it is for`, setServer);
  if (!isTokenText(token)) {
    throw unusable(
      `the text in ${tokenVariable} is no access token (RFC 6749 appendix A.12)`,
      `Set ${tokenVariable} to the token alone: one word, without “Bearer”, quotes or line ends.`,
    );
  }
  const canonical = canonicalResource(server);
  if (!canonical.ok) throw unusable(`${tokenServerVariable} is no server’s address: ${canonical.problem}`, setServer);
  if (canonical.value !== server) {
    throw unusable(`${tokenServerVariable} is not spelled as that address is used`, `Set it to: ${canonical.value}`);
  }
  if (!mayGetToken(server)) throw unusable(`${tokenServerVariable} is not https, and not on this machine`, setServer);
  const parts = { server, resource: server, issuer: tokenVariable, clientId: tokenVariable, account: defaultAccount };
  const known = { scopes: [], expiresAt: null, obtainedAt: now, generation: 1 } as const;
  const login: LoginRecord = {
    ...{ key, ...parts, ...known },
    refreshable: false,
    store: 'environment',
    zone: 'public',
    registration: 'preregistered',
  };
  const secret = { accessToken: new Secret(token), authMethod: 'none', tokenEndpoint: tokenVariable } as const;
  return { login, item: encodeCredential({ version: 2, binding: parts, ...known, ...secret }) };
}

/** A login is needed, and the environment has a token for another address: says that it was not sent. */
export function unusedToken(given: GivenToken): string | undefined {
  const server = given[tokenServerVariable] ?? '';
  return server === '' ? undefined : `${tokenVariable} was not sent: it is for ${quoted(server, 200)} alone.`;
}

const setServer = `Set ${tokenServerVariable} to that server’s exact address, such as https://example.com/mcp, beside ${tokenVariable}.`;

const unset = `Set both, or unset ${tokenServerVariable}.`;

function mayGetToken(server: string): boolean {
  return server.startsWith('https:') || /^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/?]|$)/.test(server);
}

function unusable(why: string, remedy: string): Failure {
  const message = `The token of the environment cannot be used: ${why}.`;
  return new Failure({ code: 'environment_token_unusable', exit: exitCode.usage, message, remedy });
}

/** The index with that login in it, in the place of a stored one of its server and account. What is written is the index alone. */
export function withEnvironmentLogin(index: CredentialIndex, given: () => EnvironmentLogin): CredentialIndex {
  return {
    update: (change) => index.update(change),
    adopt: async (kind) => await index.adopt?.(kind),
    read: async () => {
      const { login } = given();
      const document = await index.read();
      const others = document.logins.filter(
        ({ server, account }) => server !== login.server || account !== login.account,
      );
      return { ...document, logins: [login, ...others] };
    },
  };
}

/** Its store: nothing is ever written. */
export function environmentStore(given: () => EnvironmentLogin): SecretStore {
  const refuse = async () => {
    throw new Error('a token of the environment is not stored');
  };
  return {
    kind: 'environment',
    ready: async () => undefined,
    read: async (wanted) => (wanted === key ? given().item : undefined),
    write: refuse,
    remove: refuse,
  };
}
