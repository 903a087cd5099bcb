import { exitCode, Failure } from '../../core/failure.js';
import { type LoginMeant, loginArgument } from '../../core/login-command.js';
import { visibleUrl } from '../../core/resource.js';
import { quoted, shellWord } from '../../core/text/printable.js';

/** Another login has this name: one of the two has to be called otherwise first. */
export function newNameTaken(name: string, server: string): Failure {
  return new Failure({
    code: 'name_taken',
    exit: exitCode.usage,
    message: `The name ${quoted(name)} belongs to the login for ${quoted(visibleUrl(server), 200)}.`,
    remedy: `Choose another name, or first rename that one: postern rename ${shellWord(name)} ANOTHER`,
  });
}

/** A login of another server had this name: what still uses it would reach this one. */
export function nameWasOthers(login: LoginMeant, name: string): Failure {
  return new Failure({
    code: 'name_taken',
    exit: exitCode.usage,
    message: `The name ${quoted(name)} was that of another server, and scripts may still use it for that one.`,
    remedy: `Choose another name, or, if nothing does: postern rename ${loginArgument(login)} ${shellWord(name)} --force`,
  });
}

/** A server has several accounts, and the one that is to be taken was not said. */
export function accountNotSaid(server: string, accounts: readonly string[]): Failure {
  return new Failure({
    code: 'login_ambiguous',
    exit: exitCode.usage,
    message: `Which account? There are ${accounts.length} for ${quoted(visibleUrl(server), 200)}: ${accounts
      .slice(0, 20)
      .map((one) => quoted(one, 80))
      .join(', ')}.`,
    remedy: `Name one: postern switch ${shellWord(visibleUrl(server))} ACCOUNT`,
  });
}
