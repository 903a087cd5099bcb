import { formatScope } from '../../primitives/scope.js';
import type { Secret } from '../../primitives/secret.js';

/** What `token` prints, to the byte, line feed included: the fast path and the command share it. */
export function tokenOutput(
  token: {
    readonly accessToken: Secret;
    readonly expiresAt: number | null;
    readonly scopes: readonly string[];
  },
  form: { readonly header: boolean; readonly json: boolean },
): string {
  const value = token.accessToken.reveal();
  if (form.json) {
    const json = {
      access_token: value,
      token_type: 'Bearer',
      expires_at: token.expiresAt === null ? null : Math.floor(token.expiresAt / 1000),
      scope: formatScope(token.scopes),
    };
    return `${JSON.stringify(json)}\n`;
  }
  return form.header ? `Authorization: Bearer ${value}\n` : `${value}\n`;
}
