import type { SentResponse } from '../wire/response.js';

/** An error response of the token or registration endpoint (RFC 6749 section 5.2, RFC 7591 section 3.2.2). */
export function oauthError(status: number, error: string, description: string): SentResponse {
  return {
    status,
    headers: [
      ['content-type', 'application/json'],
      ['cache-control', 'no-store'],
    ],
    body: Buffer.from(JSON.stringify({ error, error_description: description })),
  };
}
