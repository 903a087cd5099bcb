import { tokenTable } from '../cli/commands/token.table.js';
import { tokenOutput } from '../cli/words/token-words.js';
import { proveNamed } from '../flows/token/prove-address.js';
import { reportedRefused, usable } from '../flows/token/token-request.js';
import { pickLogin } from '../primitives/pick-login.js';
import type { LoginRecord } from '../primitives/records.js';
import { decodeCredential } from '../protocol/credential-item.js';
import { readSecretFast } from '../system/keychain/fast-read.js';
import { indexPath, readIndexSync } from '../system/state/read-index.js';
import type { Left } from './left.js';
import { isRefreshWaiting, stateFolder, usualArguments } from './usual.js';

type Arguments = NonNullable<ReturnType<typeof usualArguments<typeof tokenTable>>>;

/** What `postern token` prints; undefined when anything is unusual. */
export async function tokenOutputFor(argv: readonly string[], left: Left): Promise<string | undefined> {
  let asked: { readonly args: Arguments; readonly login: LoginRecord } | undefined;
  const findKey = () => {
    asked = whatIsAsked(argv);
    return asked?.login.key;
  };
  const item = await readSecretFast(findKey, process.env, (bus) => left.open.push(bus));
  if (asked === undefined || !item.ok) {
    return undefined;
  }
  const { args, login } = asked;
  const decoded = decodeCredential(item.value, login);
  if (!decoded.ok) {
    return undefined;
  }
  const { credential } = decoded;
  proveNamed(credential.binding, args.server);
  const wanted = { minLifeMs: args.minTtl * 1000, rejected: reportedRefused(login, credential) };
  return usable(credential, wanted, Date.now()) && !isRefreshWaiting(login)
    ? tokenOutput(credential, args)
    : undefined;
}

/** @throws Failure for a command line that is wrong, or an error of the file system */
function whatIsAsked(argv: readonly string[]) {
  const args = usualArguments(tokenTable, argv);
  if (args === undefined || args.refresh) {
    return undefined;
  }
  const index = readIndexSync(indexPath(stateFolder()));
  const picked = index.ok ? pickLogin(index.document.logins, args) : undefined;
  return picked?.kind === 'one' && picked.login.store === 'keychain'
    ? { args, login: picked.login }
    : undefined;
}
