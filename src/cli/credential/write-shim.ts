import { addressSecret } from '../../errors/setup.js';
import { findLogin } from '../../flows/find-login.js';
import { type LoginWords, loginWords } from '../../flows/login-pin.js';
import type { CredentialFormat } from '../../primitives/credential-format.js';
import { authorityVariables, proxyVariables } from '../../primitives/network-variables.js';
import { printable } from '../../primitives/printable.js';
import type { CommandContext } from '../command.js';
import type { CredentialArguments } from './call.js';
import { readVariables } from './environment.js';
import { readCall } from './read-call.js';
import { refuseMore, shimMark, shimText, shimWords } from './shim.js';

/**
 * The login in words that mean it for good: a file outlasts the name that it was written by.
 * @throws Failure `login_needed`, `login_ambiguous`, `login_changed`, `address_secret`
 */
async function lasting(
  { ports }: CommandContext,
  {
    server,
    account,
    pin,
  }: { readonly server: string; readonly account?: string | undefined; readonly pin?: string | undefined },
): Promise<LoginWords> {
  const login = await findLogin(ports, { server, account, pin });
  const { logins } = await ports.index.read();
  const hasOthers = logins.some((other) => other.server === login.server && other.key !== login.key);
  const [best] = await loginWords(login, hasOthers);
  if (best === undefined) throw addressSecret(login.server);
  return best;
}

/**
 * Writes a program that answers in this format, for this server, with no argument of its own.
 * @throws Failure `shim_refused` where the file is somebody else's, `login_needed`, `usage_wrong`
 */
export async function writeShim(
  context: CommandContext,
  format: CredentialFormat,
  args: CredentialArguments,
  path: string,
): Promise<void> {
  refuseMore(format, args);
  if (format === 'env') readVariables(args.var);
  const [server] = args.words;
  const named = server === undefined ? undefined : await lasting(context, { ...args, server });
  if (server === undefined && ['header', 'token', 'curl', 'env'].includes(format)) {
    readCall(format, args, { env: {}, input: new Uint8Array() }); // says that it needs a server
  }
  const self = context.self();
  const variables = { ...self.variables, ...authorityVariables(context.env) };
  const text = shimText(self.platform, self.program, variables, shimWords(format, args, named));
  const written = await self.writeShim(path, text, shimMark);
  context.tell(`Written: ${printable(written, 400)}`);
  if (proxyVariables(context.env).kind !== 'none') {
    context.tell(
      'Note: HTTPS_PROXY is set in this shell and not in that file; whoever runs it has to pass it on.',
    );
  }
}
