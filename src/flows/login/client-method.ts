import type { AuthorizationServer } from '../../protocol/oauth/authorization-server-metadata.js';
import type { ClientAuthentication } from '../../protocol/oauth/client-authentication.js';

type Judgement =
  | { readonly ok: true }
  | { readonly ok: false; readonly problem: string; readonly error?: string; readonly status?: number };

/**
 * Asks an endpoint as this client. Where Basic authentication fails and the server lists client_secret_post, that is
 * tried once, and where a key is not known, the client's next one: authentication comes before anything is spent. The
 * client comes back with the method and the key that were last used.
 */
export async function askAsClient<Judged extends Judgement, Client extends ClientAuthentication>(
  server: AuthorizationServer,
  client: Client,
  ask: (client: Client) => Promise<Judged>,
): Promise<{ readonly judged: Judged; readonly client: Client }> {
  const judged = await ask(client);
  const [secret, ...otherKeys] = client.otherKeys ?? [];
  if (clientRefused(judged) && secret !== undefined) {
    return askAsClient(server, { ...client, secret, otherKeys }, ask);
  }
  const otherMethod =
    clientRefused(judged) &&
    client.method === 'client_secret_basic' &&
    server.tokenAuthMethods?.includes('client_secret_post') === true;
  if (!otherMethod) {
    return { judged, client };
  }
  const changed = { ...client, method: 'client_secret_post' } as const;
  return { judged: await ask(changed), client: changed };
}

function clientRefused(judged: Judgement): boolean {
  return (
    !judged.ok && judged.problem === 'refused' && (judged.error === 'invalid_client' || judged.status === 401)
  );
}
