import type { SeenRequest } from '../../src/sandbox/log.js';
import { type Sandbox as Started, startSandbox as start } from '../../src/sandbox/start.js';

/** A sandbox whose requests are counted. */
export interface Sandbox extends Started {
  /** What it was asked since the start. */
  readonly stats: ReturnType<typeof countsOf>;
}

export async function startSandbox(...options: Parameters<typeof start>): Promise<Sandbox> {
  const sandbox = await start(...options);
  return Object.defineProperty(sandbox, 'stats', { get: () => countsOf(sandbox.requests) }) as Sandbox;
}

/** What its own authorization server was asked, not the company's provider; the steps of one login after its request are not new ones. */
export function countsOf(requests: readonly SeenRequest[]) {
  const count = (fits: (request: SeenRequest) => boolean) => requests.filter(fits).length;
  const asked = (end: string, method = 'POST') =>
    count((one) => one.method === method && one.path.endsWith(end) && !one.path.includes('/company/'));
  return {
    serverRequests: count(({ at }) => at === 'server'),
    authorizationServerRequests: count(({ at }) => at === 'authorization'),
    authorizationRequests: asked('/authorize', 'GET'),
    tokenRequests: asked('/token'),
    refreshes: count(({ params }) => new Map(params).get('grant_type') === 'refresh_token'),
    registrations: asked('/register'),
    revocations: asked('/revoke'),
  };
}
