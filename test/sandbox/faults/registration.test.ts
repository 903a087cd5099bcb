import { knownClientName, registrationFaults } from '../../../src/sandbox/faults/registration.js';
import { observe, proveFaults, type Seen } from './observe.js';

type Registration = {
  readonly seen: Seen;
  readonly client: Readonly<Record<string, unknown>>;
  /** Statuses where the client asks for these grants, too. */
  readonly refreshing: number;
  readonly device: number;
  /** Where it has the name that is known. */
  readonly known: number;
};
const redirectUri = 'http://127.0.0.1/callback';

proveFaults<Registration>(
  registrationFaults(),
  async (sandbox, arm) => {
    arm();
    const register = (grants: readonly string[], named = {}) =>
      observe(`${sandbox.issuer}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'none',
          ...named,
          ...(grants.length === 0 ? {} : { grant_types: ['authorization_code', ...grants] }),
        }),
      });
    const seen = await register([]);
    const { status: refreshing } = await register(['refresh_token']);
    const { status: device } = await register(['urn:ietf:params:oauth:grant-type:device_code']);
    const { status: known } = await register([], { client_name: knownClientName });
    return { seen, client: seen.text.startsWith('{') ? JSON.parse(seen.text) : {}, refreshing, device, known };
  },
  {
    'registration-evil-redirect': ({ client }) =>
      String(client['redirect_uris']) === `${redirectUri},https://evil.invalid/callback`,
    'registration-drops-redirect': ({ client }) => String(client['redirect_uris']) === 'http://127.0.0.1:1/other',
    'registration-no-id': ({ client, seen }) => seen.status === 201 && client['client_id'] === undefined,
    'registration-bad-id': ({ client }) => client['client_id'] === 'a\r\nb"c',
    'registration-secret-with-none': ({ client }) =>
      client['token_endpoint_auth_method'] === 'none' && client['client_secret'] !== undefined,
    'registration-expired-secret': ({ client }) => client['client_secret_expires_at'] === 1,
    'registration-lenient': ({ client, seen }) =>
      seen.status === 200 && client['client_id_issued_at'] === '1700000000' && client['client_uri'] === null,
    'registration-no-device': ({ seen, refreshing, device }) =>
      seen.status === 201 && refreshing === 201 && device === 400,
    'registration-code-only': ({ seen, refreshing, device }) =>
      seen.status === 201 && refreshing === 400 && device === 400,
    'registration-known-names': ({ seen, known }) => seen.status === 403 && known === 201,
    'registration-redirect': ({ seen }) =>
      seen.status === 307 && seen.header('location')[0]?.endsWith('/stolen-registration') === true,
    'registration-error-html': ({ seen }) =>
      seen.status === 400 && seen.text.includes('\u001b]52') && seen.bytes < 1000,
    'registration-error-huge': ({ seen }) => seen.status === 400 && seen.bytes === 1_048_576,
  },
);
