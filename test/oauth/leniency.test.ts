import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as oauth from 'oauth4webapi';
import type { JsonObject } from '../../src/core/text/json.js';
import { tidyDevice, tidyRegistration, tidyResponse, tidyToken } from '../../src/oauth/leniency.js';

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
