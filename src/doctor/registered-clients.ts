import { isFailure } from '../core/failure.js';
import type { Zone } from '../core/records.js';
import { stringField } from '../core/text/json.js';
import { gateUrl } from '../core/url.js';
import type { RegisteredHere, RunHttp } from './run-http.js';

const limits = { of: 'token', totalMs: 5_000, headersMs: 5_000, maxBytes: 64 * 1024 } as const;

/**
 * Removes the clients that were registered in this run (RFC 7592 section 2.3), where the registration has said how.
 * @returns the identifiers of those that stay
 */
export async function removeClients(
  http: RunHttp,
  about: { readonly probed: { readonly zone: Zone }; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const clients = http.registered.splice(0);
  const left = await Promise.all(
    clients.map(async (client) => ((await remove(http, client, about)) ? undefined : client.clientId)),
  );
  return left.filter((one) => one !== undefined);
}

async function remove(
  http: RunHttp,
  { endpoint, body }: RegisteredHere,
  { probed, signal }: Parameters<typeof removeClients>[1],
): Promise<boolean> {
  const url = stringField(body, 'registration_client_uri');
  const token = stringField(body, 'registration_access_token');
  // A request that removes something goes to whom the client was registered with, and to nobody that he names.
  const isTheirs = url !== undefined && gateUrl(url).ok && new URL(url).origin === new URL(endpoint).origin;
  if (!isTheirs || token === undefined || !/^[\x21-\x7e]+$/.test(token)) return false;
  const headers = [['authorization', `Bearer ${token}`]] as const;
  const { zone: namedBy } = probed;
  try {
    await using response = await http.send({
      ...{ method: 'DELETE', url, headers, namedBy, redirects: 'refuse', limits, signal },
    });
    return response.status >= 200 && response.status < 300;
  } catch (error) {
    if (!isFailure(error) && !signal.aborted) throw error;
    return false;
  }
}
