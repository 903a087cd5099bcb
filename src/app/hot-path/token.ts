import { tokenTable } from '../../credential/credential.options.js';
import { tokenOutput } from '../../credential/token.command.js';
import { decodeCredential } from '../../stores/credential-item.js';
import { proveNamed } from '../../tokens/credential-target.js';
import { pickLogin } from '../../tokens/find-login.js';
import { usable } from '../../tokens/token-request.js';
import { isOwnLogin, isRefreshWaiting, keyringFor, type Left, readIndex, usualArguments } from './parts.js';

/** What `postern token` prints; undefined when anything is unusual. */
export async function tokenOutputFor(argv: readonly string[], left: Left): Promise<string | undefined> {
  const args = usualArguments(tokenTable, argv);
  if (args === undefined || args.refresh || isOwnLogin(args)) return undefined;
  const keyring = await keyringFor(left);
  if (keyring === undefined) return undefined;
  const index = readIndex();
  const picked = index.ok ? pickLogin(index.document.logins, args) : undefined;
  if (picked?.kind !== 'one' || picked.login.store !== 'keychain') return undefined;
  const { login } = picked;
  const item = await keyring.read(login.key);
  const decoded = item === undefined ? undefined : decodeCredential(item, login);
  // A DPoP-bound token is refused with a message.
  if (decoded?.ok !== true || decoded.credential.dpopKey !== undefined) return undefined;
  const { credential } = decoded;
  proveNamed(credential.binding, args.server);
  return usable(credential, { login, minLifeMs: args.minTtl * 1000 }, Date.now()) && !isRefreshWaiting(login)
    ? tokenOutput(credential, args)
    : undefined;
}
