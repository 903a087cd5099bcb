import { jsonResponse, type SentResponse } from '../wire/response.js';
import { type Fault, html, insteadFault, jsonFault, jsonOf, redirect, successFault, withJson } from './fault.js';

const point = 'registration';

/** The one client that may register where `registration-known-names` is on. */
export const knownClientName = 'A Known Client';

/** C: what a dynamic client registration gets back. */
export function registrationFaults(): readonly Fault[] {
  return [
    jsonFault(
      point,
      { name: 'registration-evil-redirect', rows: [52], what: 'a redirect URI more than asked for' },
      (client) => ({
        ...client,
        redirect_uris: [...(client['redirect_uris'] as string[]), 'https://evil.invalid/callback'],
      }),
    ),
    jsonFault(
      point,
      { name: 'registration-drops-redirect', rows: [52], what: 'without the redirect URI asked for' },
      (client) => ({ ...client, redirect_uris: ['http://127.0.0.1:1/other'] }),
    ),
    jsonFault(point, { name: 'registration-no-id', rows: [51], what: 'no client_id' }, (client) => ({
      ...client,
      client_id: undefined,
    })),
    jsonFault(point, { name: 'registration-bad-id', rows: [51], what: 'a client_id with a line break' }, (client) => ({
      ...client,
      client_id: 'a\r\nb"c',
    })),
    jsonFault(
      point,
      { name: 'registration-secret-with-none', rows: [53], what: 'a secret together with method none' },
      (client) => ({
        ...client,
        client_secret: 'not-to-be-sent',
        client_secret_expires_at: 0,
        token_endpoint_auth_method: 'none',
      }),
    ),
    jsonFault(
      point,
      { name: 'registration-expired-secret', rows: [61], what: 'a secret that has expired' },
      (client) => ({
        ...client,
        client_secret: 'expired',
        client_secret_expires_at: 1,
        token_endpoint_auth_method: 'client_secret_post',
      }),
    ),
    successFault(
      point,
      { name: 'registration-lenient', rows: [], what: '200 and strings for numbers' },
      (_exchange, response) => ({
        ...withJson(response, {
          ...jsonOf(response),
          client_id_issued_at: '1700000000',
          client_secret_expires_at: '0',
          client_uri: null,
        }),
        status: 200,
      }),
    ),
    insteadFault(
      point,
      { name: 'registration-no-device', rows: [], what: 'refused where it asks for the device grant' },
      ({ body }) => refusedIf(body.includes('device_code'), 'the device grant is not for everybody'),
    ),
    insteadFault(
      point,
      { name: 'registration-code-only', rows: [], what: 'refused where it asks for more than a code' },
      ({ body }) => refusedIf(/refresh_token|device_code|"scope"/.test(body), 'authorization_code alone'),
    ),
    insteadFault(
      point,
      { name: 'registration-known-names', rows: [], what: `refused where the client is not called ${knownClientName}` },
      ({ body }) =>
        body.includes(JSON.stringify(knownClientName))
          ? undefined
          : jsonResponse(403, { error: 'access_denied', error_description: 'this client is not on the list' }),
    ),
    insteadFault(point, { name: 'registration-redirect', rows: [54], what: '307 to another origin' }, ({ addresses }) =>
      redirect(307, `${addresses.serverOrigin}/stolen-registration`),
    ),
    insteadFault(point, { name: 'registration-error-html', rows: [55], what: '400 with a page full of escapes' }, () =>
      html(400, hostilePage),
    ),
    insteadFault(point, { name: 'registration-error-huge', rows: [55], what: 'the same, and a megabyte' }, () =>
      html(400, hostilePage.padEnd(1_048_576, 'x')),
    ),
  ];
}

function refusedIf(isTooMuch: boolean, why: string): SentResponse | undefined {
  const error = { error: 'invalid_client_metadata', error_description: why };
  return isTooMuch ? jsonResponse(400, error) : undefined;
}

/** C: what a pushed authorization request gets back (RFC 9126). */
export function pushedFaults(): readonly Fault[] {
  return [
    insteadFault('pushed', { name: 'pushed-refused', rows: [], what: '400 with a description' }, () =>
      jsonResponse(400, { error: 'invalid_request', error_description: 'this client may not ask for that scope' }),
    ),
    insteadFault('pushed', { name: 'pushed-redirect', rows: [54], what: '307 to another origin' }, ({ addresses }) =>
      redirect(307, `${addresses.serverOrigin}/stolen-request`),
    ),
    jsonFault('pushed', { name: 'pushed-no-uri', rows: [], what: 'no request_uri' }, (pushed) => ({
      ...pushed,
      request_uri: undefined,
    })),
  ];
}

const hostilePage = '<script>alert(1)</script>\u001b]52;c;b3duZWQ=\u0007<p>Enter your password:</p>';
