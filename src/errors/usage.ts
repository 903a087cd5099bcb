import { type LoginMeant, loginCommand } from '../primitives/login-command.js';
import { printable, quoted } from '../primitives/printable.js';
import { shellWord } from '../primitives/quoting.js';
import { defaultAccount } from '../primitives/records.js';
import { visibleUrl } from '../primitives/visible-url.js';
import { exitCode, Failure } from './failure.js';

/** `--name` is not of the form that names have. */
export function nameUnusable(name: string): Failure {
  return new Failure({
    code: 'name_unusable',
    exit: exitCode.usage,
    message: `${quoted(name, 80)} cannot be a name: names are 1 to 63 of a-z, 0-9, ".", "_" and "-", and begin with a letter or digit.`,
    remedy: 'Choose another --name.',
  });
}

/** `--name` is another login's. */
export function nameTaken(name: string, server: string, account: string): Failure {
  return new Failure({
    code: 'name_taken',
    exit: exitCode.usage,
    message: `The name ${quoted(name)} belongs to the login for ${quoted(server)}${account === defaultAccount ? '' : ` (account ${quoted(account)})`}.`,
    remedy: 'Choose another --name, or log that one out first.',
  });
}

/** A server argument that is neither a name nor a URL that can be used. */
export function serverUnusable(argument: string, why: string, likelyName: string | undefined): Failure {
  return new Failure({
    code: 'server_unusable',
    exit: exitCode.usage,
    message: `${quoted(visibleUrl(argument), 200)} is neither the name of a login nor a usable server address: ${why}.`,
    remedy:
      likelyName === undefined
        ? 'Pass the server’s full URL, such as https://example.com/mcp.'
        : `Did you mean ${quoted(likelyName)}? Else pass the server’s full URL.`,
  });
}

/** A login needs a browser, and none may or can be opened here. `why` is what forbids it; `of`: which command wants it. */
export function noBrowserHere(
  login: LoginMeant,
  { why, canOpen, of }: { readonly why: string; readonly canOpen: boolean; readonly of: 'login' | 'other' },
): Failure {
  const run = loginCommand(login);
  const open = canOpen ? 'Add --browser to open one, ' : `Run where there is a display: ${run}; or add `;
  return new Failure({
    code: 'login_needs_person',
    exit: exitCode.loginNeeded,
    message: `No browser was opened (${why}).`,
    remedy:
      of === 'login'
        ? `${open}--no-browser for a link, or --device for a code.`
        : `${open}${canOpen ? `or --no-browser for a link; or run: ${run}` : '--no-browser for a link.'}`,
  });
}

/** The command line, or a value on it, is not one that this program takes. `help` is the command that explains. */
export function usageWrong(message: string, help: string): Failure {
  return new Failure({
    code: 'usage_wrong',
    exit: exitCode.usage,
    message,
    remedy: `See: ${help}`,
  });
}

/** Two options of which the one leaves the other no meaning. */
export function usageContradictory(option: string, other: string, help: string): Failure {
  return new Failure({
    code: 'usage_wrong',
    exit: exitCode.usage,
    message: `${option} and ${other} cannot be used together.`,
    remedy: `Leave one of them out; what each does: ${help}`,
  });
}

/** A mistyped command or option with a likely meaning. */
export function usageMistyped(message: string, meant: string): Failure {
  return new Failure({
    code: 'usage_wrong',
    exit: exitCode.usage,
    message,
    remedy: `Did you mean ${meant}?`,
  });
}

/** The configuration file, or a variable that stands for a part of it, says something that cannot be used. */
export function configurationUnusable(where: string, why: string): Failure {
  return new Failure({
    code: 'configuration_unusable',
    exit: exitCode.usage,
    message: `${quoted(where, 200)} cannot be used: ${why}.`,
    remedy: 'Mend or remove that setting, and run the command again.',
  });
}

/** The configuration file or its folder is not one that only its person, or the system, can have written. */
export function configurationUnsafe(path: string, why: string): Failure {
  const word = shellWord(path);
  return new Failure({
    code: 'configuration_unusable',
    exit: exitCode.usage,
    message: `${quoted(path, 200)} cannot be used: ${why}.`,
    remedy: `Look at it with ls -ld ${printable(word, 300)}; make it a plain file of yours that nobody else can write to (chown, chmod go-w), or name the folder where it really is with POSTERN_CONFIG_DIR.`,
  });
}

/** `--client-secret-…` without a client that it could belong to. */
export function clientSecretWithoutClient(): Failure {
  return new Failure({
    code: 'usage',
    exit: exitCode.usage,
    message: 'A client secret was given, and no client identifier that it belongs to.',
    remedy: 'Pass the client identifier with --client-id.',
  });
}

/** `--client-credentials` with a client, and nothing that proves who it is. */
export function clientProofMissing(): Failure {
  return new Failure({
    code: 'usage',
    exit: exitCode.usage,
    message:
      'A client that logs in as itself has to prove who it is: neither a secret nor a key was given, and none was made here for it.',
    remedy:
      'Pass --client-key-file FILE, --client-secret-file FILE or --client-secret-stdin; or let one be made with --generate-key.',
  });
}

/** Both a secret and a key. */
export function clientProofTwice(): Failure {
  return new Failure({
    code: 'usage',
    exit: exitCode.usage,
    message: 'Both a client secret and a client key were given, and only one of them can be used.',
    remedy: 'Pass the one that the client is registered with.',
  });
}

/** A key for a login by a person. */
export function clientKeyWithoutGrant(): Failure {
  return new Failure({
    code: 'usage',
    exit: exitCode.usage,
    message: 'A client key was given for a login in the browser; it is for a client that logs in as itself.',
    remedy: 'Add --client-credentials, or leave --client-key-file out.',
  });
}

/** `--generate-key` with what has no place beside it. */
export function keyNotToBeMade(why: string, remedy: string): Failure {
  return new Failure({ code: 'usage', exit: exitCode.usage, message: `No key was made: ${why}.`, remedy });
}

/** There is no client to log in as. */
export function ownClientMissing(server: string): Failure {
  return new Failure({
    code: 'client_identifier_needed',
    exit: exitCode.usage,
    message: `No client was given to log in to ${quoted(server)} as, and no login of that kind is kept to take it from.`,
    remedy:
      'Pass --client-id ID with --client-key-file FILE, --client-secret-file FILE or --client-secret-stdin; or let a key be made with --generate-key.',
  });
}

/** The key file holds no key that can be used. `why` says it without quoting anything of it. */
export function clientKeyUnusable(why: string): Failure {
  return new Failure({
    code: 'client_key_unusable',
    exit: exitCode.usage,
    message: `The client key cannot be used: ${why}.`,
    remedy: 'Make one with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out FILE',
  });
}

/** The secret was announced and nothing came. `source` is a path or `stdin`. */
export function clientSecretMissing(source: string): Failure {
  return new Failure({
    code: 'usage',
    exit: exitCode.usage,
    message: `There is no client secret in ${quoted(source, 200)}.`,
    remedy: 'Put the secret there, on one line.',
  });
}

/** The secret was to come from stdin, which is a terminal, and the question would not be seen, or is forbidden. */
export function clientSecretUnasked(): Failure {
  return new Failure({
    code: 'usage',
    exit: exitCode.usage,
    message: 'No client secret came on stdin, and there is nobody here to ask for it.',
    remedy: 'Give it as a file: --client-secret-stdin < FILE, or --client-secret-file FILE.',
  });
}

/** An option whose value cannot be used. `why` says it without quoting the value. */
export function argumentRefused(option: string, why: string): Failure {
  return new Failure({
    code: 'usage',
    exit: exitCode.usage,
    message: `The value of ${option} cannot be used: ${why}.`,
    remedy: 'See postern --help.',
  });
}
