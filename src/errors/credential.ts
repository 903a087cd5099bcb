import { type LoginMeant, loginArgument } from '../primitives/login-command.js';
import { printable, quoted } from '../primitives/printable.js';
import { shellWord } from '../primitives/quoting.js';
import { visibleUrl } from '../primitives/visible-url.js';
import { exitCode, Failure } from './failure.js';

/** What a tool wrote on stdin, or put into its variable, is no request of its format. `why` quotes nothing of it. */
export function requestUnusable(format: string, why: string): Failure {
  const what = format === 'kubectl' ? 'What kubectl says' : 'What came on stdin';
  return new Failure({
    code: 'request_unusable',
    exit: exitCode.fault,
    message: `${what} is no request of the ${format} format: ${why}.`,
    remedy: `See what it has to be: postern help credential`,
  });
}

/** The token, or the name of a variable, cannot stand in the format that was asked for. */
export function formatCannotCarry(format: string, why: string): Failure {
  return new Failure({
    code: 'output_unusable',
    exit: exitCode.fault,
    message: `The format ${format} cannot carry this credential: ${why}. Nothing was printed.`,
    remedy: 'Use another format: postern help credential',
  });
}

/** The caller's URL is not one that the configured login is for. */
export function targetElsewhere(server: string, target: string): Failure {
  return new Failure({
    code: 'target_elsewhere',
    exit: exitCode.usage,
    message: `The caller asks for ${quoted(visibleUrl(target), 200)}, and the login it is configured with is for ${quoted(server, 200)}.`,
    remedy: 'Give the caller’s own server as the argument in its configuration.',
  });
}

/** The whole host was asked for, and has several logins. `servers` come from the index. */
export function serversAmbiguous(format: string, servers: readonly string[]): Failure {
  const shown = servers.slice(0, 10).map((server) => quoted(server, 200));
  return new Failure({
    code: 'login_ambiguous',
    exit: exitCode.usage,
    message: `There are logins for ${servers.length} servers on that host: ${shown.join(', ')}.`,
    remedy: `Name one in the caller’s configuration: postern credential ${format} ${shellWord(servers[0] ?? '')} --whole-host`,
  });
}

/** No server was named, neither as an argument nor by the caller. */
export function serverNotNamed(format: string, variable: string): Failure {
  return new Failure({
    code: 'usage_wrong',
    exit: exitCode.usage,
    message: `postern credential ${format} was given no server, and ${variable} names none.`,
    remedy: `Name it: postern credential ${format} <server>`,
  });
}

/** A word is missing, or one too many. */
export function wordsWrong(format: string, why: string): Failure {
  return new Failure({
    code: 'usage_wrong',
    exit: exitCode.usage,
    message: `postern credential ${format} ${why}.`,
    remedy: 'See: postern help credential',
  });
}

/** The result would show a secret to whoever looks at the screen. */
export function secretOnTerminal(): Failure {
  return new Failure({
    code: 'terminal_output',
    exit: exitCode.usage,
    message: 'The credential would be shown on this terminal.',
    remedy: 'Send the output to the program that needs it, or add --show-secret.',
  });
}

/** The whole answer has to come within the time that callers wait. */
export function deadlinePassed(login: LoginMeant | undefined, seconds: number): Failure {
  const of = login === undefined ? '' : ` for ${quoted(login.server, 200)}`;
  return new Failure({
    code: 'deadline_passed',
    exit: exitCode.network,
    message: `No valid token${of} could be had within ${seconds} s; a refresh that was begun goes on.`,
    remedy: `Ask again in a moment; if it stays so, see: postern token ${login === undefined ? '<server>' : loginArgument(login)} --verbose`,
  });
}

/** The process that renews ended without saying how. */
export function renewalFailed(login: LoginMeant, how: string): Failure {
  return new Failure({
    code: 'renewal_failed',
    exit: exitCode.fault,
    message: `The token for ${quoted(login.server, 200)} could not be renewed: the process that does it ${printable(how, 100)}.`,
    remedy: `See what it says: postern token ${loginArgument(login)} --verbose`,
  });
}

/** There is no such folder for the shim. */
export function shimFolderMissing(folder: string): Failure {
  return new Failure({
    code: 'shim_refused',
    exit: exitCode.usage,
    message: `The folder ${quoted(folder, 200)} is not there, so nothing was written.`,
    remedy: `Make it, then run the command again: mkdir -p ${shellWord(printable(folder, 200))}`,
  });
}

/** The file for the shim is somebody else's. */
export function shimRefused(path: string, why: string): Failure {
  return new Failure({
    code: 'shim_refused',
    exit: exitCode.usage,
    message: `${quoted(path, 200)} was left as it is: ${why}.`,
    remedy: 'Name a file that does not exist yet.',
  });
}
