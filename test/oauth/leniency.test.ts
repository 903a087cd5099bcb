import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as oauth from 'oauth4webapi';
import type { JsonObject } from '../../src/core/text/json.js';
import { errorWords, tidyDevice, tidyRegistration, tidyResponse, tidyToken } from '../../src/oauth/leniency.js';

const as = { issuer: 'https://as.example' };
const client = { client_id: 'c' };
const token = { access_token: 'a', token_type: 'Bearer' };
const device = { device_code: 'd', user_code: 'U', verification_uri: 'https://as.example/d', expires_in: 60 };

const endpoints = {
  token: {
    how: { success: 200, repair: tidyToken },
    process: (response: Response) => oauth.processGenericTokenEndpointResponse(as, client, response),
  },
  device: {
    how: { success: 200, repair: tidyDevice },
    process: (response: Response) => oauth.processDeviceAuthorizationResponse(as, client, response),
  },
  registration: {
    how: { success: 201, repair: tidyRegistration },
    process: (response: Response) => oauth.processDynamicClientRegistrationResponse(response),
  },
} as const;

/** What real servers send (field notes 6, 11 and 17). */
const exceptions: readonly (readonly [
  name: string,
  endpoint: keyof typeof endpoints,
  object: JsonObject,
  status: number,
])[] = [
  ['null for absent', 'token', { ...token, refresh_token: null }, 200],
  ['a lifetime that is no number', 'token', { ...token, expires_in: 'soon' }, 200],
  ['an ID token that is not signed', 'token', { ...token, id_token: 'eyJhbGciOiJub25lIn0.e30.' }, 200],
  ['an interval of 0', 'device', { ...device, interval: 0 }, 200],
  ['a complete address that is none', 'device', { ...device, verification_uri_complete: 7 }, 200],
  ['200 for 201', 'registration', { client_id: 'c' }, 200],
  ['a secret that is not said to end', 'registration', { client_id: 'c', client_secret: 's' }, 201],
  [
    'a time as a string of digits',
    'registration',
    { client_id: 'c', client_secret: 's', client_secret_expires_at: '0' },
    201,
  ],
];

for (const [name, endpoint, object, status] of exceptions) {
  test(`${name} (${endpoint}): oauth4webapi refuses it, and takes it once it is put right`, async () => {
    const { how, process } = endpoints[endpoint];
    const headers = { 'content-type': 'application/json' };
    await assert.rejects(process(new Response(JSON.stringify(object), { status, headers })));
    assert.ok(await process(tidyResponse({ status, object }, how)));
  });
}

const errors: readonly (readonly [body: string, error: string, said: string])[] = [
  [
    '{"error":"invalid_grant","error_description":"Token has been revoked."}',
    'invalid_grant',
    'Token has been revoked.',
  ],
  ['{"message":"Client quota reached"}', '', 'Client quota reached'],
  ['{"detail":"Not allowed here"}', '', 'Not allowed here'],
  ['{"detail":[{"loc":["body","code"],"msg":"field required","type":"value_error"}]}', '', 'field required'],
  ['{"type":"about:blank","title":"Forbidden","status":403,"detail":"Plan ended"}', '', 'Forbidden: Plan ended'],
  ['{"errors":["one","two"]}', '', 'one; two'],
  ['{"errors":[{"code":"X","defaultMessage":"must not be blank"}]}', '', 'must not be blank'],
  ['{"errors":{"redirect_uris":["is not allowed"]}}', '', 'is not allowed'],
  ['{"timestamp":1,"status":400,"error":"Bad Request","message":"no such client"}', 'Bad Request', 'no such client'],
  ['{"error":{"code":400,"status":"INVALID","message":"nested"}}', 'INVALID', 'nested'],
  ['{"errorCode":"E1","errorSummary":"Okta says no"}', '', 'Okta says no'],
  ['[{"message":"in a list"}]', '', 'in a list'],
  ['Unknown\n  client', '', 'Unknown client'],
  ['\ufeff{"error":"invalid_client"}', 'invalid_client', ''],
  ['', '', ''],
  ['{"a":1,"a":2}', '', ''],
  ['{"error":7,"detail":null}', '', ''],
];

for (const [body, error, said] of errors) {
  test(`the words of ${JSON.stringify(body)} are read`, () => {
    assert.deepEqual(errorWords(new TextEncoder().encode(body)), { error, said, isPage: false });
  });
}

test('[A-55] a web page is no answer of the endpoint: of it the title is read, and what has no end is cut', () => {
  const page = new TextEncoder().encode(
    '<!DOCTYPE html><html><head><title>\nJust a moment...</title><script>x</script>',
  );
  assert.deepEqual(errorWords(page), { error: '', said: 'Just a moment...', isPage: true });
  const deep = `${'{"error":'.repeat(50)}{"message":"x"}${'}'.repeat(50)}`;
  for (const body of ['x'.repeat(1e6), JSON.stringify({ message: 'x'.repeat(1e6) }), deep]) {
    assert.ok(errorWords(new TextEncoder().encode(body)).said.length <= 500);
  }
});

test('an error is an error with any status and beside any challenge', async () => {
  for (const status of [200, 401, 503]) {
    const response = tidyResponse({ status, object: { ...token, error: 'invalid_grant' } }, endpoints.token.how);
    await assert.rejects(
      endpoints.token.process(response),
      (error) => error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant',
      `${status}`,
    );
  }
});
