import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Sandbox, startSandbox } from '../support/start-sandbox.js';
import { type Json, listenForCallback, loggedIn, register, registerNative, tokenOf, tokenRequest } from './client.js';
import { messagesOf, post } from './protected-server/session.js';

type Look = (sandbox: Sandbox) => Promise<boolean>;

const textOf = async (address: string) => (await fetch(address)).text();

/** Sees what the metadata of the authorization server says. */
const metadata = (isFaulty: (document: Json) => boolean): Look => {
  return async ({ issuer }) => isFaulty(JSON.parse(await textOf(`${issuer}/.well-known/oauth-authorization-server`)));
};

const resourceMetadata = (isFaulty: (document: Json) => boolean): Look => {
  return async ({ serverUrl }) =>
    isFaulty(JSON.parse(await textOf(serverUrl.replace('/mcp', '/.well-known/oauth-protected-resource/mcp'))));
};

const challenge = (start: string): Look => {
  return async ({ serverUrl }) => {
    const { headers } = await fetch(serverUrl, { method: 'POST' });
    return headers.get('www-authenticate')?.startsWith(start) === true;
  };
};

const registered = (metadata: Json, isFaulty: (client: Json, status: number) => boolean): Look => {
  return async (sandbox) => {
    const { json, status } = await register(sandbox, { token_endpoint_auth_method: 'none', ...metadata });
    return isFaulty(json, status);
  };
};

/** Sees the queries that come to a client's callback, and what its code is redeemed for. */
const loggedInTo = (isFaulty: (queries: readonly URLSearchParams[], token: Json) => boolean): Look => {
  return async (sandbox) => {
    await using callback = await listenForCallback();
    const { redemption } = await loggedIn(sandbox, callback, await registerNative(sandbox));
    const { json } = await tokenRequest(sandbox, redemption);
    return typeof json['access_token'] === 'string' && isFaulty(callback.seen, json);
  };
};

const subscribed: Look = async (sandbox) => {
  const method = 'subscriptions/listen';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = { jsonrpc: '2.0', id: 1, method, params: { notifications: { toolsListChanged: true }, _meta } };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
  for await (const { message } of messagesOf(await post(sandbox.serverUrl, await tokenOf(sandbox), body, headers))) {
    return JSON.stringify(message).includes('"notifications":{}');
  }
  return false;
};

const redirectUri = 'http://127.0.0.1/callback';
const named = { redirect_uris: ['http://localhost/callback'] };
const device = ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'];

/** The faults that neither `doctor` nor a failure of `login` or `call` shows. */
const silent: Readonly<Record<string, Look>> = {
  'challenge-reflects-text': challenge('Basic realm="x, Bearer resource_metadata=\\"https://evil'),
  'challenge-odd-form': challenge('NewScheme abc==, , bEaReR'),
  'challenge-no-metadata': challenge('Bearer realm="sandbox"'),
  'prm-resource-origin': resourceMetadata(({ resource }) => !String(resource).endsWith('/mcp')),
  'prm-hostile-names': resourceMetadata(({ resource_name: name }) => String(name).includes('\u001b[2J')),
  'as-issuer-slash': metadata(({ issuer }) => String(issuer).endsWith('/')),
  'as-no-refresh-grant': metadata(({ grant_types_supported: grants }) => String(grants) === 'authorization_code'),
  'as-nulls': metadata(({ scopes_supported: scopes }) => scopes === null),
  'as-unused-endpoints': metadata(({ userinfo_endpoint: url }) => url === 'http://169.254.169.254/userinfo'),
  'as-endpoint-shell': metadata(({ authorization_endpoint: url }) => String(url).includes('$(touch')),
  'as-first-html': async ({ issuer }) =>
    (await textOf(`${issuer}/.well-known/oauth-authorization-server`)).startsWith('<!doctype'),
  'as-first-500': async ({ issuer }) =>
    (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).status === 500,
  'server-wants-no-login': async ({ serverUrl }) => (await fetch(serverUrl, { method: 'POST' })).status !== 401,
  'registration-lenient': registered({ redirect_uris: [redirectUri] }, (_client, status) => status === 200),
  'registration-no-device': registered(
    { redirect_uris: [redirectUri], grant_types: device },
    (_client, status) => status === 400,
  ),
  'registration-code-only': registered(
    { redirect_uris: [redirectUri], scope: 'mcp:basic' },
    (_client, status) => status === 400,
  ),
  'registration-no-localhost': registered(named, (_client, status) => status === 400),
  'callback-error-no-state': loggedInTo(([first]) => first?.toString() === 'error=access_denied'),
  'callback-stray-code': loggedInTo(([first]) => first?.get('state') === 'wrong'),
  'token-lowercase-type': loggedInTo((_queries, token) => token['token_type'] === 'bearer'),
  'token-extra': loggedInTo((_queries, token) => token['extra1999'] === 1999),
  'token-expires-missing': loggedInTo((_queries, token) => token['expires_in'] === undefined),
  'token-scope-absent': loggedInTo((_queries, token) => token['scope'] === undefined),
  'newer-acknowledges-less': subscribed,
};

test('[A-298] what no command complains about is on the wire when it is on, and at no other time', async () => {
  await using sandbox = await startSandbox();
  for (const [name, look] of Object.entries(silent)) {
    sandbox.setFaults([name]);
    assert.equal(await look(sandbox), true, name);
    sandbox.setFaults([]);
    assert.equal(await look(sandbox), false, `${name} is off`);
  }
});
