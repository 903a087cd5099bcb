import type { Provider } from 'oidc-provider';
import { oauthError, type SentResponse } from '../wire/response.js';

/**
 * What must hold before a code or refresh token is looked at any further: one `resource`, one of ours,
 * and the one that was authorized (RFC 8707 section 2.2). oidc-provider asks this only after it has used
 * the code up, so a slip of the client would cost a login.
 * @param known.mayLack With a fault: the one that was authorized stands for none.
 */
export async function refusedTarget(
  provider: Provider,
  known: { readonly resources: readonly string[]; readonly mayLack: boolean },
  form: URLSearchParams,
): Promise<SentResponse | undefined> {
  const { resources, mayLack } = known;
  const asked = form.getAll('resource');
  if (mayLack && asked.length === 0) return undefined;
  const [resource] = asked;
  if (asked.length !== 1 || resource === undefined) return refuse('exactly one resource must be named');
  if (!resources.includes(resource)) return refuse('no such resource here');
  const source = await spent(provider, form);
  if (source?.['resource'] !== undefined && source['resource'] !== resource) {
    return refuse('another resource was authorized');
  }
  return undefined;
}

/** The value that a token request uses up, if it is of a kind that does. */
export function spentBy(form: URLSearchParams): string | undefined {
  const grantType = form.get('grant_type');
  if (grantType === 'authorization_code') return form.get('code') ?? undefined;
  return grantType === 'refresh_token' ? (form.get('refresh_token') ?? undefined) : undefined;
}

async function spent(provider: Provider, form: URLSearchParams): Promise<Record<string, unknown> | undefined> {
  const value = spentBy(form);
  if (value === undefined) return undefined;
  const found =
    form.get('grant_type') === 'refresh_token'
      ? await provider.RefreshToken.find(value)
      : await provider.AuthorizationCode.find(value);
  return found as unknown as Record<string, unknown> | undefined;
}

function refuse(description: string): SentResponse {
  return oauthError(400, 'invalid_target', description);
}

/**
 * Lets one task at a time through for each key, in order of arrival: a code or refresh token that two
 * requests bring at once is used by the first and found used by the second (RFC 6749 section 4.1.2).
 */
export class OneAtATime {
  readonly #last = new Map<string, Promise<void>>();

  async run(key: string | undefined, task: () => Promise<void>): Promise<void> {
    if (key === undefined) return task();
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(task);
    const settled = mine.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      await mine;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
