import type { Command, CommandOutput, CommandTable } from '../core/command.js';
import { formatScope } from '../core/scope.js';
import type { Secret } from '../core/secret.js';
import { proveNamed } from '../tokens/credential-target.js';
import { findLogin } from '../tokens/find-login.js';
import type { TokenPorts } from '../tokens/token-request.js';
import { refreshedToken, validToken } from '../tokens/valid-token.js';
import { minTtlOption } from './credential.options.js';

export const tokenTable = {
  name: 'token',
  summary: 'print a valid access token and nothing else, refreshed when needed',
  positionals: [{ name: 'server', describe: 'the server’s URL, or the name of a login', required: true }],
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
    { name: 'header', kind: 'boolean', describe: 'print it as a header: Authorization: Bearer …' },
    { ...minTtlOption, default: 60, describe: 'refresh a token with less life left than this' },
    {
      name: 'refresh',
      kind: 'boolean',
      describe: 'refresh it first, though it may live: for a token that a server refuses',
    },
  ],
  examples: [
    { command: 'curl -H "$(postern token work --header)" https://example.com/mcp', describe: 'use it elsewhere' },
    { command: 'postern token work --refresh', describe: 'another one, where the server refuses that one' },
  ],
  notes: [
    'With --json: access_token, token_type, expires_at (seconds since 1970, or null) and scope. Limits: 15 s for a refresh, 30 s to wait for another process’s, three with --refresh within a minute, 5 s for the keychain.',
  ],
} as const satisfies CommandTable;

export const command: Command<typeof tokenTable, TokenPorts & CommandOutput> = {
  table: tokenTable,
  async run(world, args) {
    const login = await findLogin(world, { server: args.server, account: args.account });
    const asked = { login, minLifeMs: args.minTtl * 1000, signal: world.signal };
    const token = await (args.refresh ? refreshedToken : validToken)(world, asked);
    proveNamed(token.binding, args.server);
    await world.out.write(tokenOutput(token, { header: args.header, json: world.json }));
    return 0;
  },
};

/** What `token` prints, to the byte, line feed included: the hot path and the command share it. */
export function tokenOutput(
  token: { readonly accessToken: Secret; readonly expiresAt: number | null; readonly scopes: readonly string[] },
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
