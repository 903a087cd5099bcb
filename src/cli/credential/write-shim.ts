import { findLogin } from '../../flows/find-login.js';
import type { CredentialFormat } from '../../primitives/credential-format.js';
import { authorityVariables, proxyVariables } from '../../primitives/network-variables.js';
import { printable } from '../../primitives/printable.js';
import type { CommandContext } from '../command.js';
import type { CredentialArguments } from './call.js';
import { readVariables } from './environment.js';
import { readCall } from './read-call.js';
import { shimMark, shimText, shimWords } from './shim.js';

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
  const words = shimWords(format, args);
  if (format === 'env') readVariables(args.var);
  const [server] = args.words;
  if (server !== undefined) {
    await findLogin(context.ports, { server, account: args.account });
  } else if (['header', 'token', 'curl', 'env'].includes(format)) {
    readCall(format, args, { env: {}, input: new Uint8Array() }); // says that it needs a server
  }
  const self = context.self();
  const variables = { ...self.variables, ...authorityVariables(context.env) };
  const text = shimText(self.platform, self.program, variables, words);
  const written = await self.writeShim(path, text, shimMark);
  context.tell(`Written: ${printable(written, 400)}`);
  if (proxyVariables(context.env).kind !== 'none') {
    context.tell(
      'Note: HTTPS_PROXY is set in this shell and not in that file; whoever runs it has to pass it on.',
    );
  }
}
