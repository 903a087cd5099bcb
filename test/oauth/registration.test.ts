import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpClient, HttpRequest } from '../../src/http/request.js';
import {
  authMethodFor,
  type ClientAuthentication,
  clientAuthentication,
} from '../../src/oauth/client-authentication.js';
import { registerClient } from '../../src/oauth/registration.js';
import { Secret } from '../support/product.js';

const redirectUri = 'http://127.0.0.1:4321/callback';
const now = Date.UTC(2026, 10, 21);

/** A registration endpoint that answers as told; the HTTP client itself is tested against real servers elsewhere. */
function endpointAnswering(body: unknown, status: number) {
  const seen: HttpRequest[] = [];
  const bytes = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
  const http: HttpClient = {
    async send(request) {
      seen.push(request);
      return {
        status,
        url: request.url,
        headers: [],
        zone: 'public',
        body: (async function* () {
          yield bytes;
        })(),
        bytes: async () => bytes,
        [Symbol.asyncDispose]: async () => {},
      };
    },
    check: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  return { http, seen };
}

async function register(
  body: unknown,
  status = 201,
  listed?: readonly string[],
  grants: readonly string[] = ['authorization_code', 'refresh_token'],
) {
  const { http, seen } = endpointAnswering(body, status);
  const judged = await registerClient(http, {
    server: {
      issuer: 'https://as.example',
      authorizationEndpoint: 'https://as.example/a',
      tokenEndpoint: 'https://as.example/t',
      registrationEndpoint: 'https://as.example/r',
      revocationEndpoint: undefined,
      pushedAuthorizationRequestEndpoint: undefined,
      requiresPushedRequests: false,
      deviceAuthorizationEndpoint: undefined,
      scopesSupported: [],
      promptValues: [],
      grantTypes: undefined,
      tokenAuthMethods: listed,
      announcesIss: false,
      dpopAlgorithms: undefined,
      takesMetadataDocuments: false,
      grantProfiles: undefined,
      exchangedTypes: undefined,
    },
    endpoint: 'https://as.example/r',
    redirectUri,
    grants,
    scopes: ['a', 'b'],
    zone: 'public',
    now,
    signal: new AbortController().signal,
  });
  return { judged, sent: JSON.parse(String(seen[0]?.body)) as Record<string, unknown>, request: seen[0] };
}

test('[Q-6.11][Q-6.19][R-1.8c][R-2.2b] a registration says native, the exact redirect URI, grants, responses and scope', async () => {
  const { sent, request } = await register({ client_id: 'c1' });
  assert.deepEqual(sent, {
    client_name: 'postern',
    application_type: 'native',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: 'a b',
  });
  assert.equal(request?.redirects, 'refuse');
});

test('[A-51] a client identifier that is missing, empty, no string, too long or odd is refused', async () => {
  for (const id of [undefined, '', 7, null, ['x'], 'x'.repeat(1025), 'a\nb', 'a"\u0000', 'é']) {
    const { judged } = await register({ client_id: id });
    assert.ok(!judged.ok && judged.problem === 'unusable', JSON.stringify(id));
  }
});

test('[A-52] an answer that drops our redirect URI or adds another is refused', async () => {
  for (const uris of [
    [],
    ['https://evil.example/cb'],
    [redirectUri, 'https://evil.example/cb'],
    'x',
    ['http://127.0.0.1/callback'],
  ]) {
    const { judged } = await register({ client_id: 'c', redirect_uris: uris });
    assert.ok(!judged.ok && judged.problem === 'unusable', JSON.stringify(uris));
  }
  const { judged } = await register({ client_id: 'c', redirect_uris: [redirectUri] });
  assert.ok(judged.ok);
});

test('[A-53] the method that the answer states is obeyed; a secret beside none is dropped', async () => {
  const method = async (body: Record<string, unknown>, listed?: readonly string[]) => {
    const { judged } = await register({ client_id: 'c', ...body }, 200, listed);
    return judged.ok ? [judged.client.method, judged.client.secret?.reveal()] : judged.problem;
  };
  assert.deepEqual(await method({ client_secret: 's', token_endpoint_auth_method: 'client_secret_post' }), [
    'client_secret_post',
    's',
  ]);
  assert.deepEqual(await method({ client_secret: 's', token_endpoint_auth_method: 'none' }), ['none', undefined]);
  assert.deepEqual(await method({ client_secret: 's' }), ['client_secret_basic', 's']);
  assert.deepEqual(await method({ client_secret: 's' }, ['client_secret_post']), ['client_secret_post', 's']);
  assert.deepEqual(await method({}), ['none', undefined]);
  assert.equal(await method({ token_endpoint_auth_method: 'client_secret_basic' }), 'unusable');
  assert.equal(await method({ client_secret: 's', token_endpoint_auth_method: 'tls_client_auth' }), 'unusable');
  for (const secret of ['', 7, 'a\nb', 'x'.repeat(5000)]) {
    assert.equal(await method({ client_secret: secret }), 'unusable', String(secret).slice(0, 9));
  }
});

test('[A-61] client_secret_expires_at: 0 is never, strings of digits are taken, past and absurd are refused', async () => {
  const expires = async (value: unknown) => {
    const { judged } = await register({ client_id: 'c', client_secret: 's', client_secret_expires_at: value });
    return judged.ok ? judged.client.secretExpiresAt : judged.problem;
  };
  assert.equal(await expires(undefined), null);
  assert.equal(await expires(0), null);
  assert.equal(await expires('0'), null);
  assert.equal(await expires(now / 1000 + 60), now + 60_000);
  assert.equal(await expires(String(now / 1000 + 60)), now + 60_000);
  for (const bad of [-1, 'soon', now / 1000 - 60, 1e308, {}, true]) {
    assert.equal(await expires(bad), 'unusable', JSON.stringify(bad));
  }
});

test('[A-55] a refusal keeps the server’s words apart, whatever they are', async () => {
  const { judged } = await register({ error: 'invalid_redirect_uri', error_description: '\u001b[2J<script>' }, 400);
  assert.ok(!judged.ok && judged.problem === 'refused' && judged.error === 'invalid_redirect_uri');
  const html = await register(`<html>${'x'.repeat(60_000)}</html>`, 400);
  assert.ok(!html.judged.ok && html.judged.problem === 'transient' && html.judged.said === '');
});

test('the method asked for is one that the token endpoint lists; none is tried where nothing fits (field note 6)', async () => {
  const wanted = async (listed?: readonly string[]) =>
    (await register({ client_id: 'c' }, 201, listed)).sent['token_endpoint_auth_method'];
  assert.equal(await wanted(undefined), 'none');
  assert.equal(await wanted(['client_secret_post', 'none']), 'none');
  assert.equal(await wanted(['client_secret_post']), 'client_secret_post');
  assert.equal(await wanted(['client_secret_basic', 'client_secret_post']), 'client_secret_basic');
  assert.equal(await wanted(['private_key_jwt']), 'none');
});

test('[A-41] without a secret only none is used; with one, what is listed', () => {
  assert.equal(authMethodFor(false, ['client_secret_basic']), 'none');
  assert.equal(authMethodFor(true, undefined), 'client_secret_basic');
  assert.equal(authMethodFor(true, ['client_secret_post']), 'client_secret_post');
});

test('[R-1.8a] identifier and secret are form-encoded for Basic (RFC 6749 section 2.3.1)', async () => {
  const authenticated = async (client: ClientAuthentication) => {
    const [form, headers] = [new URLSearchParams(), new Headers()];
    const authenticate = await clientAuthentication(client);
    await authenticate({ issuer: 'https://as.example' }, { client_id: client.clientId }, form, headers);
    return { form, authorization: headers.get('authorization') };
  };
  const secret = new Secret('p%:ü+');
  const basic = await authenticated({ clientId: 'a:b c', method: 'client_secret_basic', secret });
  const [, value = ''] = /^Basic (.*)$/.exec(basic.authorization ?? '') ?? [];
  assert.equal(Buffer.from(value, 'base64').toString(), 'a%3Ab+c:p%25%3A%C3%BC%2B');
  assert.equal(basic.form.has('client_secret'), false);
  const none = await authenticated({ clientId: 'c', method: 'none', secret: undefined });
  assert.deepEqual([none.authorization, none.form.get('client_id')], [null, 'c']);
});

test('an answer that is no JSON object is no registration, and why is said', async () => {
  for (const body of ['', 'no JSON', '[]', '"x"', 'null']) {
    const { judged } = await register(body);
    const why = 'it is not a JSON object';
    assert.deepEqual(judged, { ok: false, problem: 'unusable', why }, body);
  }
});

test('a client may use a device code where that was asked for, and no answer names other grants', async () => {
  const device = 'urn:ietf:params:oauth:grant-type:device_code';
  const code = 'authorization_code';
  const cases = [
    { asked: [code, device], answered: [code, device], may: true },
    { asked: [code, device], answered: undefined, may: true },
    { asked: [code, device], answered: [code], may: false },
    { asked: [code], answered: [code, device], may: undefined },
  ];
  for (const { asked, answered, may } of cases) {
    const { judged } = await register({ client_id: 'c1', grant_types: answered }, 201, undefined, asked);
    assert.ok(judged.ok);
    assert.equal(judged.client.device, may, JSON.stringify({ asked, answered }));
  }
});
