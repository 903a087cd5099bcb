import { insistingFaults, otherSpelling } from '../../../src/sandbox/faults/insisting.js';
import { observe, proveFaults, type Seen } from './observe.js';

interface Insisted {
  /** Statuses of registrations, by redirect URI. */
  readonly registered: Readonly<Record<string, number>>;
  readonly refusedOn: (uri: string) => Promise<Seen>;
  readonly numeric: Seen;
  readonly named: Seen;
  /** Authorization requests that name the server, another spelling, nothing. */
  readonly own: Seen;
  readonly other: Seen;
  readonly none: Seen;
  /** One with a scope, of a client that was registered without. */
  readonly scoped: Seen;
}

const numeric = 'http://127.0.0.1:4321/callback';
const named = 'http://localhost:4321/callback';
const fixed = 'http://127.0.0.1:23418/oauth/done';

const errorOf = (seen: Seen) => new URL(seen.header('location')[0] ?? 'x:', 'http://x').searchParams.get('error');

proveFaults<Omit<Insisted, 'refusedOn'>>(
  insistingFaults(),
  async (sandbox, arm) => {
    const register = async (uri: string) =>
      await observe(`${sandbox.issuer}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [uri], token_endpoint_auth_method: 'none' }),
      });
    const clients: Readonly<Record<string, Seen>> = {
      [numeric]: await register(numeric),
      [named]: await register(named),
    };
    arm();
    const ask = async (uri: string, resource: string | undefined, scope?: string) => {
      const url = new URL(`${sandbox.issuer}/authorize`);
      const { client_id: clientId } = JSON.parse(clients[uri]?.text ?? '{}') as { readonly client_id: string };
      const wanted = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: uri,
        state: 'state',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
        ...(resource === undefined ? {} : { resource }),
        ...(scope === undefined ? {} : { scope }),
      };
      for (const [name, value] of Object.entries(wanted)) url.searchParams.set(name, value);
      return await observe(url.href);
    };
    const statuses = await Promise.all(
      [numeric, named, fixed].map(async (uri) => [uri, (await register(uri)).status] as const),
    );
    const server = sandbox.serverUrl;
    return {
      registered: Object.fromEntries(statuses),
      numeric: await ask(numeric, server),
      named: await ask(named, server),
      own: await ask(numeric, server),
      other: await ask(numeric, otherSpelling),
      none: await ask(numeric, undefined),
      scoped: await ask(numeric, server, 'mcp:basic'),
    };
  },
  {
    'registration-localhost-only': ({ registered }) => String(Object.values(registered)) === '400,201,400',
    'registration-no-localhost': ({ registered }) => String(Object.values(registered)) === '201,400,201',
    'registration-fixed-redirect': ({ registered }) => String(Object.values(registered)) === '400,400,201',
    'authorization-localhost-only': (seen) => seen.numeric.status === 400 && seen.named.status === 303,
    'registration-binds-scope': ({ scoped, own }) => errorOf(scoped) === 'invalid_scope' && errorOf(own) === null,
    'resource-refused': ({ own, none }) => errorOf(own) === 'invalid_target' && errorOf(none) === null,
    'resource-renamed': ({ own, other, none }) =>
      errorOf(own) === 'invalid_target' && errorOf(other) === null && errorOf(none) === 'invalid_target',
  },
);
