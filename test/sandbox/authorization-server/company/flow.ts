import { createHash } from 'node:crypto';
import type { SandboxClient } from '../../../support/product.js';
import type { Sandbox } from '../../../support/start-sandbox.js';
import { form, observe, type Seen } from '../../observe.js';

export const clients: readonly SandboxClient[] = [
  { client_id: 'tool', company: 'desktop', redirect_uris: [] },
  { client_id: 'other', client_secret: 'x'.repeat(32), company: 'another', company_secret: 'y', redirect_uris: [] },
];

export const redirectUri = 'http://127.0.0.1:9/callback';

const verifier = 'a'.repeat(43);

export const grants = {
  bearer: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  exchange: 'urn:ietf:params:oauth:grant-type:token-exchange',
} as const;

/** An authorization request, but for what is given otherwise. */
export function authorizationUrl({ issuer }: Pick<Sandbox, 'issuer'>, given: Readonly<Record<string, string>> = {}) {
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: 'desktop', redirect_uri: redirectUri, state: 'a state' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    ...{ code_challenge_method: 'S256', scope: 'openid offline_access', prompt: 'consent', ...given },
  });
  return `${issuer}/company/authorize?${query}`;
}

export const jsonOf = ({ text }: Pick<Seen, 'text'>): Record<string, string> => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};

/** What the provider's token endpoint says. */
export async function askProvider(
  { issuer }: Pick<Sandbox, 'issuer'>,
  fields: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
) {
  const asked = form({ client_id: 'desktop', ...fields });
  return await observe(`${issuer}/company/token`, { ...asked, headers: { ...asked.headers, ...more } });
}

/** A login at the provider of a sandbox that approves. */
export async function logIn(sandbox: Sandbox, given: Readonly<Record<string, string>> = {}) {
  const [back = ''] = (await observe(authorizationUrl(sandbox, given))).header('location');
  const code = new URL(back).searchParams.get('code') ?? '';
  const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  return jsonOf(await askProvider(sandbox, fields));
}

export async function exchange(
  sandbox: Sandbox,
  subject: string,
  given: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const fields = {
    grant_type: grants.exchange,
    requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    subject_token: subject,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    audience: sandbox.issuer,
    resource: sandbox.serverUrl,
    ...given,
  };
  return await askProvider(sandbox, fields, headers);
}

/** What the authorization server says to an ID-JAG. */
export async function redeem(sandbox: Sandbox, assertion: string, given: Readonly<Record<string, string>> = {}) {
  const fields = { grant_type: grants.bearer, assertion, client_id: 'tool', resource: sandbox.serverUrl, ...given };
  return await observe(`${sandbox.issuer}/token`, form(fields));
}
