import type { LoginRecord } from '../../core/records.js';
import { tokenOutput, tokenTable } from '../../credential/token.command.js';
import { decodeCredential } from '../../stores/credential-item.js';
import { readSecretFast } from '../../stores/keychain/read-item.js';
import { proveNamed } from '../../tokens/credential-target.js';
import { pickLogin } from '../../tokens/find-login.js';
import { usable } from '../../tokens/token-request.js';
import { isOwnLogin, isRefreshWaiting, type Left, readIndex, usualArguments } from './parts.js';

type Arguments = NonNullable<ReturnType<typeof usualArguments<typeof tokenTable>>>;

/** What `postern token` prints; undefined when anything is unusual. */
export async function tokenOutputFor(argv: readonly string[], left: Left): Promise<string | undefined> {
  let asked: { readonly args: Arguments; readonly login: LoginRecord } | undefined;
  const findKey = () => {
    asked = whatIsAsked(argv, left);
    return asked?.login.key;
  };
  const item = await readSecretFast(findKey, process.env, (keychain) => {
    left.keychain = keychain;
  });
  if (asked === undefined || !item.ok) return undefined;
  const { args, login } = asked;
  const decoded = decodeCredential(item.value, login);
  // What is bound to a key is refused, in words.
  if (!decoded.ok || decoded.credential.dpopKey !== undefined) return undefined;
  const { credential } = decoded;
  proveNamed(credential.binding, args.server);
  return usable(credential, { login, minLifeMs: args.minTtl * 1000 }, Date.now()) && !isRefreshWaiting(login)
    ? tokenOutput(credential, args)
    : undefined;
}

/** @throws Failure for a command line that is wrong, or an error of the file system */
function whatIsAsked(argv: readonly string[], left: Left) {
  const args = usualArguments(tokenTable, argv);
  if (args === undefined || args.refresh || isOwnLogin(args)) return undefined;
  const index = readIndex(left);
  const picked = index.ok ? pickLogin(index.document.logins, args) : undefined;
  return picked?.kind === 'one' && picked.login.store === 'keychain' ? { args, login: picked.login } : undefined;
}
