import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpClient, HttpRequest } from '../../src/http/request.js';
import { registerClient } from '../../src/oauth/registration.js';

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

async function register(body: unknown, status = 201, listed?: readonly string[]) {
  const { http, seen } = endpointAnswering(body, status);
  const judged = await registerClient(http, {
    server: { issuer: 'https://as.example', tokenAuthMethods: listed },
    endpoint: 'https://as.example/r',
    redirectUri,
    grants: ['authorization_code', 'refresh_token'],
    scopes: ['a', 'b'],
    zone: 'public',
    now,
    signal: new AbortController().signal,
  });
  return { judged, sent: JSON.parse(String(seen[0]?.body)) as Record<string, unknown> };
}

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

test('the method asked for is one that the token endpoint lists; none is tried where nothing fits (field note 6)', async () => {
  const wanted = async (listed?: readonly string[]) =>
    (await register({ client_id: 'c' }, 201, listed)).sent['token_endpoint_auth_method'];
  assert.equal(await wanted(undefined), 'none');
  assert.equal(await wanted(['client_secret_post', 'none']), 'none');
  assert.equal(await wanted(['client_secret_post']), 'client_secret_post');
  assert.equal(await wanted(['client_secret_basic', 'client_secret_post']), 'client_secret_basic');
  assert.equal(await wanted(['private_key_jwt']), 'none');
});

test('an answer that is no JSON object is no registration, and why is said', async () => {
  for (const body of ['', 'no JSON', '[]', '"x"', 'null']) {
    const { judged } = await register(body);
    const why = 'it is not a JSON object';
    assert.deepEqual(judged, { ok: false, problem: 'unusable', why }, body);
  }
});
