import { exitCode, Failure, type Remedy } from '../core/failure.js';
import { wordMissing } from '../core/failures.js';
import { type LoginMeant, loginArgument } from '../core/login-command.js';
import { quotedServer, visibleUrl } from '../core/resource.js';
import { quoted, shellWord } from '../core/text/printable.js';

function wrongUsage(code: string, message: string, remedy: Remedy): Failure {
  return new Failure({ code, exit: exitCode.usage, message, remedy });
}

/** What a tool wrote on stdin, or put into its variable, is no request of its format. `why` quotes nothing of it. */
export function requestUnusable(format: string, why: string): Failure {
  const what = format === 'kubectl' ? 'What kubectl says' : 'What came on stdin';
  return new Failure({
    code: 'request_unusable',
    exit: exitCode.fault,
    message: `${what} is no request of the ${format} format: ${why}.`,
    remedy: 'See what it has to be: postern help credential',
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
  const message = `The caller asks for ${quoted(visibleUrl(target), 200)}, and the login it is configured with is for ${quotedServer(server, 200)}.`;
  return wrongUsage('target_elsewhere', message, 'Give the caller’s own server as the argument in its configuration.');
}

/** The whole host was asked for, and has several logins. `servers` come from the index. */
export function serversAmbiguous(format: string, servers: readonly string[]): Failure {
  const shown = servers.slice(0, 10).map((server) => quotedServer(server, 200));
  const command = `postern credential ${format} ${shellWord(servers[0] ?? '')} --whole-host`;
  return wrongUsage(
    'login_ambiguous',
    `There are logins for ${servers.length} servers on that host: ${shown.join(', ')}.`,
    `Name one in the caller’s configuration: ${command}`,
  );
}

/** No server was named, neither as an argument nor by the caller. */
export function serverNotNamed(format: string, variable?: string): Failure {
  const message =
    variable === undefined
      ? `postern credential ${format} needs a server: its URL, or the name of a login.`
      : `postern credential ${format} was given no server, and ${variable} names none.`;
  return wordMissing(message, 'credential', `postern credential ${format} work`);
}

/** A word is missing, or one too many. */
export function wordsWrong(format: string, why: string): Failure {
  return wrongUsage('usage_wrong', `postern credential ${format} ${why}.`, 'See: postern help credential');
}

/** The result would show a secret to whoever looks at the screen. */
export function secretOnTerminal(): Failure {
  const remedy = 'Send the output to the program that needs it, or add --show-secret.';
  return wrongUsage('terminal_output', 'The credential would be shown on this terminal.', remedy);
}

/** All has to be done within the time that callers wait. */
export function deadlinePassed(login: LoginMeant | undefined, seconds: number): Failure {
  const of = login === undefined ? '' : ` for ${quotedServer(login.server, 200)}`;
  return new Failure({
    code: 'deadline_passed',
    exit: exitCode.network,
    message: `No valid token${of} could be had within ${seconds} s; a refresh that was begun goes on.`,
    remedy: ({ server }) =>
      `Ask again in a moment; if it stays so, see: postern token ${login === undefined ? server : loginArgument(login)} --verbose`,
  });
}

/** The program to run is not there, or is none. `code` is the system's. */
export function programNotStarted(command: string, code: string, cause: unknown): Failure {
  const shown = quoted(command, 200);
  const messages: Readonly<Record<string, string>> = {
    ENOENT: `There is no program ${shown} on the PATH, or in the folder it names.`,
    EACCES: `${shown} may not be run (no permission, or a folder).`,
    E2BIG: 'The command line and the environment together are longer than the system takes.',
  };
  return new Failure({
    code: 'command_not_started',
    exit: exitCode.usage,
    message:
      code === 'EINVAL'
        ? `${shown} is a batch file, and an argument for it has a line break, which none can get.`
        : (messages[code] ?? `${shown} could not be started (${code}).`),
    remedy:
      'Check how the command is spelled after “--”; a shell’s own words need the shell: -- sh -c "…", on Windows -- cmd /c "…".',
    cause,
  });
}
