import type { Command, CommandOutput } from '../core/command.js';
import type { Logins } from '../core/ports.js';
import type { Secret } from '../core/secret.js';
import { proveBare, proveNamed } from '../tokens/credential-target.js';
import { findLogin } from '../tokens/find-login.js';
import type { TokenPorts } from '../tokens/read-credential.js';
import { refreshedToken, validToken } from '../tokens/valid-token.js';
import { tokenTable } from './credential.options.js';

interface World extends TokenPorts, CommandOutput {
  readonly logins: () => Promise<Logins>;
}

export const command: Command<typeof tokenTable, World> = {
  table: tokenTable,
  async run(world, args) {
    const login = args.clientCredentials
      ? await (await world.logins()).asClient(args)
      : await findLogin(world, { server: args.server, account: args.account });
    proveBare(login, 'postern token');
    const asked = { login, minLifeMs: args.minTtl * 1000, signal: world.signal };
    const token = await (args.refresh ? refreshedToken : validToken)(world, asked);
    proveNamed(token.binding, args.server);
    proveBare(login, 'postern token', token);
    // The token is what was asked for: it is not replaced here as it is elsewhere.
    if (world.json) await world.out.exact.json(tokenJson(token));
    else await world.out.write(tokenOutput(token, { header: args.header, json: false }));
    return 0;
  },
};

type Printed = { readonly accessToken: Secret; readonly expiresAt: number | null; readonly scopes: readonly string[] };

/** What `token` prints, to the byte, line feed included: the hot path and the command share it. */
export function tokenOutput(token: Printed, form: { readonly header: boolean; readonly json: boolean }): string {
  if (form.json) return `${JSON.stringify(tokenJson(token))}\n`;
  const value = token.accessToken.reveal();
  return form.header ? `Authorization: Bearer ${value}\n` : `${value}\n`;
}

function tokenJson({ accessToken, expiresAt, scopes }: Printed): object {
  return {
    accessToken: accessToken.reveal(),
    tokenType: 'Bearer',
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    scopes,
  };
}
