import { type LoginMeant, loginArgument } from '../primitives/login-command.js';
import { quoted } from '../primitives/printable.js';
import { shellWord } from '../primitives/quoting.js';
import { exitCode, Failure } from './failure.js';

/** The program to run is not there, or is none. `code` is the system's. */
export function programNotStarted(command: string, code: string, cause: unknown): Failure {
  const shown = quoted(command, 200);
  const isScript = /\.(?:cmd|bat)$/i.test(command);
  const messages: Readonly<Record<string, string>> = {
    ENOENT: `There is no program ${shown} on the PATH, or in the folder it names.`,
    EACCES: `${shown} may not be run (no permission, or a folder).`,
    E2BIG: 'The command line and the environment together are longer than the system takes.',
  };
  return new Failure({
    code: 'command_not_started',
    exit: exitCode.usage,
    message:
      isScript && code === 'EINVAL'
        ? `${shown} is a batch file, which only a shell can run; no shell is started here.`
        : (messages[code] ?? `${shown} could not be started (${code}).`),
    remedy: isScript
      ? `Name the shell yourself: postern exec … -- cmd /c ${shellWord(command)}`
      : 'Check how the command is spelled after “--”; a shell’s own words need the shell: -- sh -c "…".',
    cause,
  });
}

/** The token at hand ends too soon, and a longer one was not to be had. Both lives in milliseconds. */
export function tokenTooShort(login: LoginMeant, leftMs: number, wantedMs: number): Failure {
  const seconds = (ms: number) => Math.max(0, Math.floor(ms / 1000));
  return new Failure({
    code: 'token_too_short',
    exit: exitCode.refused,
    message: `The token for ${quoted(login.server)} lives ${seconds(leftMs)} more seconds, not the ${seconds(wantedMs)} that are wanted, and a longer one was not to be had. Nothing was started.`,
    remedy: `Ask for less with --min-ttl, or see why: postern token ${loginArgument(login)} --verbose`,
  });
}
