import { jsonResponse, type SentResponse } from '../wire/response.js';
import { type Fault, faultsAt, html, patched, redirect } from './fault.js';

const { patch, success, instead } = faultsAt('registration');

/** The one client that may register where `registration-known-names` is on. */
export const knownClientName = 'A Known Client';

/** C: what a dynamic client registration gets back. */
export function registrationFaults(): readonly Fault[] {
  return [
    patch('registration-evil-redirect', [52], 'a redirect URI more than asked for', ({ redirect_uris: uris }) => ({
      redirect_uris: [...(uris as string[]), 'https://evil.invalid/callback'],
    })),
    patch('registration-drops-redirect', [52], 'without the redirect URI asked for', () => ({
      redirect_uris: ['http://127.0.0.1:1/other'],
    })),
    patch('registration-no-id', [51], 'no client_id', () => ({ client_id: undefined })),
    patch('registration-bad-id', [51], 'a client_id with a line break', () => ({ client_id: 'a\r\nb"c' })),
    patch('registration-secret-with-none', [53], 'a secret together with method none', () => ({
      client_secret: 'not-to-be-sent',
      client_secret_expires_at: 0,
      token_endpoint_auth_method: 'none',
    })),
    patch('registration-expired-secret', [61], 'a secret that has expired', () => ({
      client_secret: 'secret-that-has-expired',
      client_secret_expires_at: 1,
      token_endpoint_auth_method: 'client_secret_post',
    })),
    success('registration-lenient', [], '200 and strings for numbers', (_exchange, response) => {
      const odd = { client_id_issued_at: '1700000000', client_secret_expires_at: '0', client_uri: null };
      return { ...patched(response, () => odd), status: 200 };
    }),
    instead('registration-no-device', [], 'refused where it asks for the device grant', ({ body }) =>
      refusedIf(body.includes('device_code'), 'the device grant is not for everybody'),
    ),
    instead('registration-code-only', [], 'refused where it asks for more than a code', ({ body }) =>
      refusedIf(/refresh_token|device_code|"scope"/.test(body), 'authorization_code alone'),
    ),
    instead(
      ...(['registration-known-names', [], `refused where the client is not called ${knownClientName}`] as const),
      ({ body }) =>
        body.includes(JSON.stringify(knownClientName))
          ? undefined
          : jsonResponse(403, { error: 'access_denied', error_description: 'this client is not on the list' }),
    ),
    instead('registration-redirect', [54], '307 to another origin', ({ addresses }) =>
      redirect(307, `${addresses.serverOrigin}/stolen-registration`),
    ),
    instead('registration-error-html', [55], '400 with a page full of escapes', () => html(400, hostilePage)),
    instead('registration-error-huge', [55], 'the same, and a megabyte', () =>
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
  const pushed = faultsAt('pushed');
  return [
    pushed.instead('pushed-refused', [], '400 with a description', () =>
      jsonResponse(400, { error: 'invalid_request', error_description: 'this client may not ask for that scope' }),
    ),
    pushed.instead('pushed-redirect', [54], '307 to another origin', ({ addresses }) =>
      redirect(307, `${addresses.serverOrigin}/stolen-request`),
    ),
    pushed.patch('pushed-no-uri', [], 'no request_uri', () => ({ request_uri: undefined })),
  ];
}

const hostilePage = '<script>alert(1)</script>\u001b]52;c;b3duZWQ=\u0007<p>Enter your password:</p>';
