import { companyFaults } from '../../../src/sandbox/faults/company.js';
import { askProvider, clients, exchange, jsonOf, logIn, redeem } from '../authorization-server/company/flow.js';
import { observe, proveFaults, type Seen } from './observe.js';

/** What the provider issues, and what it gets. */
interface Company {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signature: string;
  readonly exchanged: Seen;
  readonly redeemed: Seen;
  readonly refreshed: Readonly<Record<string, string>>;
  readonly metadata: string;
  readonly serverMetadata: string;
  readonly isSlow: boolean;
}

const part = (text = '') => JSON.parse(Buffer.from(text, 'base64url').toString() || '{}');

const subjectIn = (idToken = '') => String(part(idToken.split('.')[1])['sub']);

const errorOf = (seen: Seen) => jsonOf(seen)['error'];

proveFaults<Company>(
  companyFaults(),
  async (sandbox, arm) => {
    const { id_token: idToken = '', refresh_token = '' } = await logIn(sandbox);
    arm();
    const metadataUrl = `${sandbox.issuer}/company/.well-known/openid-configuration`;
    const inTime = AbortSignal.timeout(4_000);
    const metadata = await Promise.race([
      observe(metadataUrl),
      new Promise<undefined>((resolve) => inTime.addEventListener('abort', () => resolve(undefined))),
    ]);
    const none: Seen = { status: 0, header: () => [], text: '', bytes: 0, ended: true };
    const empty = { header: {}, claims: {}, signature: '', refreshed: {}, metadata: '', serverMetadata: '' };
    if (metadata === undefined) return { ...empty, exchanged: none, redeemed: none, isSlow: true };
    const exchanged = await exchange(sandbox, idToken);
    const { access_token: idJag = '..' } = jsonOf(exchanged);
    const [header, claims, signature = ''] = idJag.split('.');
    return {
      exchanged,
      redeemed: await redeem(sandbox, idJag),
      refreshed: jsonOf(await askProvider(sandbox, { grant_type: 'refresh_token', refresh_token })),
      metadata: metadata.text,
      serverMetadata: (await observe(`${sandbox.issuer}/.well-known/oauth-authorization-server`)).text,
      ...{ header: part(header), claims: part(claims), signature, isSlow: false },
    };
  },
  {
    'company-other-audience': ({ claims }) => claims['aud'] === 'https://another.invalid',
    'company-two-audiences': ({ claims }) => Array.isArray(claims['aud']) && claims['aud'].length === 2,
    'company-other-resource': ({ claims }) => claims['resource'] === 'https://another.invalid/mcp',
    'company-other-client': ({ claims }) => claims['client_id'] === 'another',
    'company-expired': ({ claims }) => Number(claims['exp']) < Date.now() / 1000,
    'company-other-issuer': ({ claims }) => claims['iss'] === 'https://another.invalid',
    'company-untyped': ({ header }) => header['typ'] === 'JWT',
    'company-unsigned': ({ header, signature }) => header['alg'] === 'none' && signature === '',
    'company-other-type': ({ exchanged }) => /access_token$/.test(jsonOf(exchanged)['issued_token_type'] ?? ''),
    'company-refused': ({ exchanged }) => errorOf(exchanged) === 'access_denied',
    'company-session-ended': ({ exchanged }) => errorOf(exchanged) === 'invalid_grant',
    'company-page': ({ exchanged }) => exchanged.status === 200 && exchanged.text.startsWith('<h1>'),
    'company-down': ({ exchanged }) => exchanged.status === 503,
    'company-no-exchange': ({ metadata }) => metadata !== '' && !metadata.includes('token-exchange'),
    'company-no-id-token': ({ refreshed }) => 'access_token' in refreshed && !('id_token' in refreshed),
    'company-other-person': ({ refreshed }) => subjectIn(refreshed['id_token']) === 'bob',
    'company-slow': ({ isSlow }) => isSlow,
    'id-jag-refused': ({ redeemed }) => redeemed.text.includes('this company is not known here'),
    'id-jag-not-listed': ({ serverMetadata }) => serverMetadata !== '' && !serverMetadata.includes('jwt-bearer'),
  },
  { clients, approve: true },
);
