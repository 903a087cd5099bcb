import { exitCode, Failure } from '../core/failure.js';
import { quoted, shellWord } from '../core/text/printable.js';

/** The sandbox cannot listen where it was told to. `code` is the system's, e.g. `EADDRINUSE`. */
export function sandboxPortRefused(port: number, code: string, cause: unknown): Failure {
  const why = code === 'EADDRINUSE' ? 'another program listens there' : `the system says ${quoted(code, 40)}`;
  return new Failure({
    code: 'port_refused',
    exit: exitCode.usage,
    message: `The sandbox cannot use port ${port} of 127.0.0.1: ${why}.`,
    remedy: 'Choose other ports, or leave --port and --authorization-port out.',
    cause,
  });
}

/** `--misbehave` names no fault. `near` is one that may have been meant. */
export function faultUnknown(name: string, near: string | undefined): Failure {
  return new Failure({
    code: 'usage_wrong',
    exit: exitCode.usage,
    message: `The sandbox has no fault named ${quoted(name, 80)}.`,
    remedy:
      near === undefined
        ? 'See the list: postern sandbox --misbehave list'
        : `Did you mean --misbehave ${shellWord(near)}?`,
  });
}

/** The folder of `--state` can't be used. `code` is the system's, e.g. `EACCES`; undefined: others may enter it. */
export function sandboxStateUnusable(path: string, code: string | undefined): Failure {
  const why =
    code === undefined
      ? 'other users of this machine may enter it, and signing keys would lie there'
      : `the system says ${quoted(code, 40)}`;
  return new Failure({
    code: 'sandbox_state_unusable',
    exit: exitCode.usage,
    message: `The sandbox cannot keep its state in ${quoted(path, 400)}: ${why}.`,
    remedy:
      code === undefined
        ? `Make it private: chmod 700 ${shellWord(path)}`
        : 'Name another folder with --state, or leave --state out.',
  });
}

/** What lies in the folder of `--state` is not what a sandbox has written. */
export function sandboxStateUnreadable(file: string, cause: unknown): Failure {
  return new Failure({
    code: 'sandbox_state_unreadable',
    exit: exitCode.usage,
    message: `${quoted(file, 400)} is not the state of a sandbox, or it is damaged.`,
    remedy: `Start anew without it: rm ${shellWord(file)}`,
    cause,
  });
}
