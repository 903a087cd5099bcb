import { randomBytes } from 'node:crypto';

/** The sandbox as the upstream knows it: one client identifier, whoever of the sandbox's own clients it acts for. */
export interface StaticClient {
  readonly id: string;
  readonly secret: string;
  /** The one redirect URI that it has; compared as a string. */
  readonly redirectUri: string;
}

/** @param issuer of the sandbox, at which the responses of the upstream arrive */
export function makeStaticClient(issuer: string): StaticClient {
  return {
    id: 'postern-sandbox',
    secret: randomBytes(32).toString('base64url'),
    redirectUri: `${issuer}/upstream/callback`,
  };
}
